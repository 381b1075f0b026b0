/** The help that a model gets with a failed run fits the failure. */

import { expect, test } from 'vitest';
import { handleToolCall } from '../../index.js';

/**
 * What a model reads of a failed run.
 * @param {'exec_tool' | 'run_code'} name
 * @param {object} failure
 */
async function read(name, failure) {
  const execute = async () => ({ success: false, code: 'ERR_COMPILATION', logs: [], ...failure });
  const tool = { description: '', parameters: {}, inputSchema: {}, execute };
  const call = /** @type {const} */ ({ type: 'tool_use', id: '1', name, input: {} });
  const { content } = await handleToolCall(/** @type {any} */ ({ [name]: tool }), call);
  return JSON.parse(content);
}

test.each(
  /** @type {const} */ ([
    ['exec_tool', /Repair the named line/],
    ['run_code', /Correct it and call run_code again/],
  ]),
)('%s: an error with a line is to be repaired there', async (name, help) => {
  const shown = await read(name, { error: 'tools/a.ts:2:13: Expression expected', line: 2, column: 13 });
  expect(shown.help).toMatch(help);
});

test('an error without a line has only the advice of its message', async () => {
  const error = 'tools/a.ts was not compiled: no thread could be started; free memory and try again';
  const shown = { error, code: 'ERR_COMPILATION', success: false, logs: [] };
  expect(await read('exec_tool', { error })).toEqual(shown);
  expect(await read('run_code', { error })).toEqual(shown);
});
