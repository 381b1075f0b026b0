/** Kernels with rules, and calls that are really made to see what is said of them. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { serveHttp } from './http_server.js';
import { tempRoot } from './temp_root.js';

/**
 * @typedef {{ said: 'allow' | 'ask' | 'deny', rule?: string, at?: string, reason?: string, nearest?: string, message?: string }} Heard
 * what was said of a call, and why
 */

/** Tools that are there from the beginning. */
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
 * A kernel with tools, a database, a function of the application and a server that it may fetch from.
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
 * Makes calls as an agent does: of kernel tools, of SQL tools, and of what a running tool asks for.
 * @param {TGP} kernel
 * @param {import('../../index.js').TGPToolsOptions} [options]
 */
export async function caller(kernel, options = {}) {
  await kernel.boot();
  /** @type {Record<string, any>} */
  const tools = { ...tgpTools(kernel, options), ...createSqlTools(kernel, { ddl: true, ...options }) };
  return {
    /** @type {(tool: string, args: unknown) => Promise<Heard>} */
    call: (tool, args) => heard(tools[tool].execute(args)),
    /** @type {(code: string) => Promise<Heard>} what a run hears that asks for this */
    guest: async (code) => {
      const done = await tools.run_code.execute({ code: GUEST.replace('CODE', () => code) });
      return done.success && done.result.said === 'allow'
        ? { said: 'allow' }
        : heardOf(done.success ? done.result : done);
    },
  };
}

/** Says what has become of a call, in the sandbox. */
const GUEST = `try { await (CODE); return { said: 'allow' }; } catch (error) { return { code: error.code, error: error.message }; }`;

/**
 * What was said of a call that is being made.
 * @param {Promise<any>} call
 * @returns {Promise<Heard>}
 */
export async function heard(call) {
  try {
    const done = await call;
    return done?.success === false ? heardOf(done) : { said: 'allow' };
  } catch (error) {
    return heardOf(error);
  }
}

/**
 * @param {any} failure as it was thrown, or reported
 * @returns {Heard}
 */
export function heardOf({ code, details, message, error = message }) {
  if (code !== 'ERR_DENIED' && code !== 'ERR_APPROVAL') return { said: 'allow', message: error };
  // Whoever only reads the message finds the rule there.
  const [, rule, at] = /rule '([^']+)' \(([^)]+)\)/.exec(error) ?? /rule '([^']+)', ([^)]+)\)/.exec(error) ?? [];
  const said = code === 'ERR_DENIED' ? 'deny' : 'ask';
  return { said, rule, at, message: error, ...(details?.rule !== undefined && verdictOf(details)) };
}

/** @param {any} details */
function verdictOf({ rule, at, reason, nearest }) {
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
 * Waits for something that others do.
 * @param {() => unknown} isSo
 * @param {number} [ms]
 */
export async function until(isSo, ms = 30_000) {
  const end = Date.now() + ms;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('It has not come about.');
    await wait(20);
  }
}
