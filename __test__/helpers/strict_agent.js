import { expect } from 'vitest';
import { tgpTools } from '../../index.js';
import { createKernel } from './create_kernel.js';

/** @typedef {{ tool: string, path: string, to?: string, say: string }} NextCall */
/** @typedef {{ code: string, message: string, details: any }} Refusal */

export const T = 'tools/total.ts';
export const S = 'tools/total.test.ts';
export const HEAD = `import { describe, expect, test } from '@tgp/std/test';\n`;
export const TOOL = `/** Adds up. */
export default function total(args: { rows: number[] }): number {
  return args.rows.reduce((sum, row) => sum + row, 0);
}
`;
export const TEST = `${HEAD}import total from './total';
describe('total', () => {
  test('adds', () => { expect(total({ rows: [1, 2] })).toBe(3); });
  test('nothing', () => { expect(total({ rows: [] })).toBe(0); });
});
`;
/** The same test without its second case. */
export const FEWER = TEST.replace(/ {2}test\('nothing'.*\n/, '');
/** A tool without tests. */
export const PLAIN = `/** Says P. */\nexport default function plain(_args: object): string {\n  return 'P';\n}\n`;
export const ROWS = { rows: [1, 2] };

/** @param {string} name of a tool that says P */
export const testOf = (name) =>
  `${HEAD}import plain from './${name}';\ntest('says P', () => { expect(plain({})).toBe('P'); });\n`;

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * The calls of an agent, in a kernel with the mode `strict`.
 * @param {import('../../index.js').TGPConfigInput} [config]
 * @param {any} [options] of the kernel
 * @param {import('../../index.js').TGPToolsOptions} [caller]
 */
export async function strictAgent(config = {}, options = {}, caller = {}) {
  const { kernel, rootDir } = await createKernel({ mode: 'strict', ...config }, { logger: silent, ...options });
  return { rootDir, ...agentOf(kernel, tgpTools(kernel, caller)) };
}

/**
 * @param {import('../../index.js').TGP} kernel
 * @param {Record<string, any>} tools
 */
export function agentOf(kernel, tools) {
  /** @type {(tool: string, args: any, options?: any) => Promise<any>} */
  const call = (tool, args, options) => tools[tool].execute(args, options);
  const write = (/** @type {string} */ path, /** @type {string} */ content) => call('write_file', { path, content });
  const tried = (/** @type {string} */ path) => call('test_tool', { path });
  const run = (path = T, /** @type {any} */ args = ROWS) => call('exec_tool', { path, args });
  /** The state of a tool, as reported by `test_tool`. */
  const stateOf = async (path = T) => (await tried(path)).state;
  /** Test, red, tool, green. */
  const forge = async (path = T, test = TEST, tool = TOOL) => {
    await write(path.replace(/\.ts$/, '.test.ts'), test);
    expect((await tried(path)).state).toEqual({ phase: 'red', reason: 'red' });
    const written = await write(path, tool);
    expect((await tried(path)).state).toEqual({ phase: 'green', reason: 'green' });
    return written;
  };
  /**
   * Expects that a call is refused because another one must come first, and that this one succeeds.
   * @param {Promise<any>} made
   * @param {{ path?: string, test?: string, tool?: string }} [texts] of the tool, to be written if they must come first
   * @returns {Promise<Refusal>}
   */
  const refused = async (made, { path, test = TEST, tool = TOOL } = {}) => {
    let refusal = await made.catch((error) => error);
    if (refusal.success === false && path !== undefined) {
      expect(refusal).toMatchObject({ code: 'ERR_STATE', error: expect.stringMatching(/First/) });
      refusal = await kernel.exec(path, ROWS, { mode: 'strict' }).catch((error) => error);
    }
    expect(refusal).toMatchObject({ code: 'ERR_STATE', message: expect.stringMatching(/First/) });
    /** @type {NextCall} */
    const next = refusal.details.mustComeFirst[0];
    expect(refusal.message).toContain(next.say);
    const texts = next.path.includes('.test.') ? test : tool;
    if (next.tool === 'write_file') await write(next.path, texts);
    else if (next.tool === 'test_tool') await tried(next.path);
    else if (next.tool === 'move_file') await call('move_file', { from: next.path, to: next.to });
    else await call(next.tool, { path: next.path });
    return refusal;
  };
  return { kernel, tools, call, write, tried, run, stateOf, forge, refused };
}
