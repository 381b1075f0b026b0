/** What rules see of a call of each kernel tool, before it is made. */

/** @typedef {import('../tool_shape/tool_owner.js').ToldCall} ToldCall */

/** What rules call code that is in no file. */
const CODE = 'tools/.code.ts';

/** @type {(effect: string, tool: string, path: string | undefined, args: object) => ToldCall} */
const told = (effect, tool, path, args) => ({ tool, effect, path, args });

/**
 * @param {(path: string, args: unknown) => Promise<unknown>} argumentsOf the arguments of a tool as it takes them
 * @returns {Record<string, import('../tool_shape/tool_owner.js').Told>}
 */
export function toldCalls(argumentsOf) {
  return {
    list_files: ({ dir }) => told('read', 'list_files', dir, { dir }),
    read_file: ({ path }) => told('read', 'read_file', path, { path }),
    search_files: (query) => told('read', 'search_files', undefined, query),
    find_tool: ({ query, limit }) => told('read', 'find_tool', undefined, { query, limit }),
    file_history: ({ path, limit }) => told('read', 'file_history', path, { path, limit }),
    check_tool: ({ path }) => told('read', 'check_tool', path, { path }),
    write_file: ({ path, content }) => told('write', 'write_file', path, { path, content }),
    patch_file: ({ path, search, replace }) => told('write', 'patch_file', path, { path, search, replace }),
    apply_diff: ({ path, diff }) => told('write', 'apply_diff', path, { path, diff }),
    delete_file: ({ path }) => told('write', 'delete_file', path, { path }),
    move_file: ({ from, to }) => told('write', 'move_file', from, { from, to }),
    revert_file: ({ path, commit }) => told('write', 'revert_file', path, { path, commit }),
    test_tool: ({ path }) => told('run', 'test_tool', path, { path }),
    exec_tool: async ({ path, args = {} }) => ({
      tool: 'exec_tool',
      effect: 'run',
      path,
      args: await argumentsOf(path, args),
    }),
    run_code: ({ code, args = {} }) => told('run', 'run_code', CODE, { args, code }),
    exec_sql: ({ sql, params }) => told('sql', 'exec_sql', undefined, { sql, params }),
    describe_schema: ({ table }) => told('read', 'describe_schema', undefined, { table }),
  };
}
