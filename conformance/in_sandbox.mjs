/** Runs code as tools of one kernel. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TGP, TGPError } from '../index.js';

/**
 * @typedef {import('./outcome.mjs').Case} Case
 * @typedef {import('./outcome.mjs').Outcome} Outcome
 */

const LIMITS = { timeoutMs: 10_000, wallMs: 20_000, memoryMb: 256 };

/** @param {import('../index.js').TGPConfigInput} [config] */
export async function inSandbox(config = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-conformance-'));
  const kernel = new TGP({ config: { ...config, rootDir: join(folder, '.tgp'), sandbox: LIMITS } });
  await kernel.run('return 1');
  let count = 0;
  /** @param {string} name @param {string} text */
  const write = (name, text) => {
    const path = `tools/${name}`;
    const file = join(folder, '.tgp', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return path;
  };
  return {
    /** Writes a file to the tools folder and returns its path. */
    write,
    /** The result and the logs of a tool. @param {string} path @param {unknown} args */
    result: (path, args) => kernel.exec(path, args),
    /** @param {string} path */
    exec: (path) => outcomeOf(kernel.exec(path, {})),
    /** @param {Case} code */
    run: ({ code, file = 'case.ts' }) => {
      count += 1;
      return outcomeOf(kernel.exec(write(`case${count}/${file}`, code), {}));
    },
    end: async () => {
      await kernel.shutdown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @param {Promise<{ result: unknown }>} run
 * @returns {Promise<Outcome>}
 */
async function outcomeOf(run) {
  try {
    return { value: (await run).result };
  } catch (error) {
    if (!(error instanceof TGPError)) throw error;
    const { code, message, details } = error;
    if (code === 'ERR_COMPILATION') return { error: 'SyntaxError', message };
    return { error: code === 'ERR_TOOL_THROWN' ? String(details.name ?? '') : code, message };
  }
}
