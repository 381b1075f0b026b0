/** The application of a load run: its kernel, tools and calls. */

import { join } from 'node:path';

/**
 * @typedef {typeof import('../../index.js')} Api
 * @typedef {object} Job what each job gets
 * @property {Api} api of the build that is measured
 * @property {string} tree of that build
 * @property {string} folder of its own, empty
 * @property {number} seconds how long it works
 * @property {number} scale 1 in a run of 15 minutes
 */

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export const TOOLS = {
  'tools/add.ts': '/** Adds one. */\nexport default (args: { id: number }): number => args.id + 1;\n',
  'tools/large.ts':
    '/** A long text. */\nexport default (args: { id: number; bytes: number }): string => String(args.id).padEnd(10).repeat(args.bytes / 10);\n',
  'tools/row.ts': `/** Adds a row and counts the newest ones. */
export default async (args: { id: number }): Promise<number> => {
  await tgp.exec_sql('INSERT INTO rows (id, price) VALUES (?, ?)', [args.id, args.id % 100]);
  const found = await tgp.exec_sql('SELECT count(*) AS n FROM rows WHERE id > ?', [args.id - 100]);
  return found[0].n;
};
`,
};

/** Bytes of a large result. */
export const LARGE = 200_000;

/**
 * A kernel on `root` in the folder.
 * @param {Api} api
 * @param {string} folder
 * @param {import('../../index.js').TGPConfigInput} [config]
 * @param {Omit<import('../../index.js').TGPOptions, 'config' | 'configFile'>} [options]
 */
export function createKernel({ TGP }, folder, config, options) {
  return new TGP({ config: { memory: 'off', ...config, rootDir: rootOf(folder) }, logger: silent, ...options });
}

/** @param {string} folder */
export const rootOf = (folder) => join(folder, 'root');
/** The ledger of a workspace lies in its repository. @param {string} folder */
export const ledgerOf = (folder) => join(rootOf(folder), '.git', 'tgp', 'ledger');

/**
 * Writes the tools before the measurement.
 * @param {Api} api
 * @param {InstanceType<Api['TGP']>} kernel
 * @param {Record<string, string>} tools
 */
export async function placeTools({ tgpTools }, kernel, tools) {
  const { write_file } = tgpTools(kernel);
  for (const [path, content] of Object.entries(tools)) await write_file.execute({ path, content });
}

/** The text of a tool that no other write has. @param {number} id */
export const toolText = (id) => `/** Written as #${id}. */\nexport default (): number => ${id};\n`;

/** @param {unknown} error */
export const codeOf = (error) => String(/** @type {any} */ (error)?.code ?? /** @type {any} */ (error)?.name ?? error);

/**
 * @template T
 * @param {() => T | Promise<T>} work
 * @returns {Promise<{ ms: number, value?: T, code?: string }>} how long it took, and what came of it
 */
export async function timed(work) {
  const started = performance.now();
  try {
    const value = await work();
    return { ms: performance.now() - started, value };
  } catch (error) {
    return { ms: performance.now() - started, code: codeOf(error) };
  }
}

/** @param {number} ms */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));
