/** Kernels with a policy, and real calls with their verdicts. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { serveHttp } from './http_server.js';
import { tempRoot } from './temp_root.js';

/**
 * @typedef {{ verdict: 'allow' | 'ask' | 'deny', rule?: string, at?: string, reason?: string, nearest?: string,
 *   message?: string }} CallOutcome the verdict on a call, and its reason
 */

/** Files of the root at the start. */
export const FILES = {
  'README.md': '# Workspace\n',
  'lib/price.ts': 'export const price = 5;\n',
  'tools/ok.ts': '/** Answers. */\nexport default (args: { n?: number }) => args.n ?? 1;\n',
  'tools/reports/sum.ts':
    '/** Adds. */\nexport default (args: { of: number[] }) => args.of.reduce((a, b) => a + b, 0);\n',
  'tools/payments/charge.ts': '/** Charges. */\nexport default (_args: object) => "charged";\n',
  'tools/priced.ts':
    '/** Prices. */\nimport { price } from "../lib/price.ts";\nexport default (_args: object) => price;\n',
};

/**
 * A kernel with tools, a database, a function of the application and an HTTP server that tools may fetch from.
 * @param {import('../../index.js').PolicyInput | undefined} policy text with a line break is the text of a policy file
 * @param {{ config?: import('../../index.js').TGPConfigInput, files?: Record<string, string> } & Omit<import('../../index.js').TGPOptions, 'config'>} [options]
 */
export async function policyKernel(policy, { config = {}, files = {}, ...options } = {}) {
  const folder = await tempRoot();
  const rootDir = join(folder, 'root');
  for (const [path, text] of Object.entries({ ...FILES, ...files })) {
    await mkdir(dirname(join(rootDir, path)), { recursive: true });
    await writeFile(join(rootDir, path), text);
  }
  const isText = typeof policy === 'string' && policy.includes('\n');
  const file = join(folder, 'tgp.policy.yaml');
  if (isText) await writeFile(file, policy);
  /** @type {string[]} */
  const served = [];
  const { url, port } = await serveHttp((request, response) => {
    served.push(`${request.method} ${request.url}`);
    response.end('hello');
  });
  /** @type {string[]} */
  const sent = [];
  const kernel = new TGP({
    sql: { source: sqlite(':memory:'), ddl: true },
    sandboxAPI: {
      send_mail: (/** @type {{ to: string }} */ mail) => sent.push(mail.to),
      ...options.sandboxAPI,
    },
    ...options,
    config: {
      rootDir,
      allowedFetchUrls: [url],
      sandbox: { timeoutMs: 20_000 },
      ...(policy !== undefined && { policy: isText ? file : policy }),
      ...config,
    },
  });
  onTestFinished(() => kernel.shutdown());
  return { kernel, tools: tgpTools(kernel), folder, rootDir, file, url, port, served, sent };
}

/**
 * Makes calls as an agent does: of kernel tools, of SQL tools, and host calls of a running tool.
 * @param {TGP} kernel
 * @param {import('../../index.js').TGPToolsOptions} [options]
 */
export async function caller(kernel, options = {}) {
  await kernel.boot();
  /** @type {Record<string, any>} */
  const tools = { ...tgpTools(kernel, options), ...createSqlTools(kernel, { ddl: true, ...options }) };
  return {
    /** @type {(tool: string, args: unknown) => Promise<CallOutcome>} */
    call: (tool, args) => outcomeOf(tools[tool].execute(args)),
    /** @type {(code: string) => Promise<CallOutcome>} the outcome of a host call in a run */
    guest: async (code) => {
      const done = await tools.run_code.execute({ code: GUEST.replace('CODE', () => code) });
      return done.success && done.result.verdict === 'allow'
        ? { verdict: 'allow' }
        : failureOutcome(done.success ? done.result : done);
    },
  };
}

/** Reports the outcome of a call in the sandbox. */
const GUEST = `try { await (CODE); return { verdict: 'allow' }; } catch (error) { return { code: error.code, error: error.message }; }`;

/**
 * The outcome of a call.
 * @param {Promise<any>} call
 * @returns {Promise<CallOutcome>}
 */
export async function outcomeOf(call) {
  try {
    const done = await call;
    return done?.success === false ? failureOutcome(done) : { verdict: 'allow' };
  } catch (error) {
    return failureOutcome(error);
  }
}

/**
 * The outcome of a failed call.
 * @param {any} failure a thrown error, or a result with `success: false`
 * @returns {CallOutcome}
 */
export function failureOutcome({ code, details, message, error = message }) {
  if (code !== 'ERR_DENIED' && code !== 'ERR_APPROVAL') return { verdict: 'allow', message: error };
  // The message alone names the rule too.
  const [, rule, at] = /rule '([^']+)' \(([^)]+)\)/.exec(error) ?? /rule '([^']+)', ([^)]+)\)/.exec(error) ?? [];
  const verdict = code === 'ERR_DENIED' ? 'deny' : 'ask';
  return { verdict, rule, at, message: error, ...(details?.rule !== undefined && ruleOf(details)) };
}

/** @param {any} details */
function ruleOf({ rule, at, reason, nearest }) {
  return { rule, at, reason, ...(nearest !== undefined && { nearest }) };
}

/**
 * The events of some types, oldest first.
 * @param {TGP} kernel
 * @param {string[]} types
 */
export async function eventsOf(kernel, ...types) {
  const events = await kernel.ledger.query({ limit: 10_000 });
  return events.filter(({ type }) => types.includes(type));
}

/** @param {number} ms */
export const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Waits until a condition holds.
 * @param {() => unknown} isSo
 * @param {number} [ms]
 */
export async function until(isSo, ms = 30_000) {
  const end = Date.now() + ms;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('The condition did not hold in time.');
    await wait(20);
  }
}
