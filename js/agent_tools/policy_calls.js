/** Describes calls of the kernel tools to the policy, before they are made. */

import { withPlace } from './file_answers.js';

/** @typedef {import('../tool_shape/tool_owner.js').PolicyCall} PolicyCall */

/** The path of code without a file, as policies name it. */
const CODE = 'tools/.code.ts';

/** @type {(effect: string, tool: string, path: string | undefined, args: object) => PolicyCall} Arguments without a value are absent. */
const call = (effect, tool, path, args) => ({
  tool,
  effect,
  path,
  args: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)),
});

/**
 * @param {(path: string, args: unknown) => Promise<unknown>} argumentsOf returns the arguments of a tool after conversion to its schema
 * @returns {Record<string, import('../tool_shape/tool_owner.js').DescribeCall>}
 */
export function policyCalls(argumentsOf) {
  return {
    list_files: ({ dir, glob }) => call('read', 'list_files', dir, { dir, glob }),
    read_file: ({ path }) => call('read', 'read_file', path, { path }),
    search_files: (query) => call('read', 'search_files', undefined, query),
    find_tool: ({ query, limit }) => call('read', 'find_tool', undefined, { query, limit }),
    file_history: ({ path, limit }) => call('read', 'file_history', path, { path, limit }),
    check_tool: ({ path }) => call('read', 'check_tool', path, { path }),
    write_file: ({ path, content, why }) => call('write', 'write_file', path, { path, content, why }),
    patch_file: ({ path, search, replace, why }) => call('write', 'patch_file', path, { path, search, replace, why }),
    apply_diff: ({ path, diff, start_line, end_line, why }) =>
      call('write', 'apply_diff', path, { path, diff: withPlace(diff, start_line, end_line), why }),
    delete_file: ({ path, why }) => call('write', 'delete_file', path, { path, why }),
    move_file: ({ from, to, why }) => call('write', 'move_file', from, { from, to, why }),
    revert_file: ({ path, commit, why }) => call('write', 'revert_file', path, { path, commit, why }),
    test_tool: ({ path }) => call('run', 'test_tool', path, { path }),
    exec_tool: async ({ path, args = {} }) => ({
      tool: 'exec_tool',
      effect: 'run',
      path,
      args: await argumentsOf(path, args),
    }),
    run_code: ({ code, args = {} }) => call('run', 'run_code', CODE, { args, code }),
    exec_sql: ({ sql, params }) => call('sql', 'exec_sql', undefined, { sql, params }),
    describe_schema: ({ table }) => call('read', 'describe_schema', undefined, { table }),
  };
}
