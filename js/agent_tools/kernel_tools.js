import { parseArguments } from '../boundary/validation.js';
import { EXEC_FOR_AGENT, FILES, RUN_FOR_AGENT } from '../kernel/agent_access.js';
import { report } from '../tool_shape/agent_tool.js';
import { checkedTool } from './checked_tool.js';
import {
  ApplyDiffParams,
  CheckToolParams,
  DeleteFileParams,
  ExecToolParams,
  FileHistoryParams,
  FindToolParams,
  ListFilesParams,
  MoveFileParams,
  PatchFileParams,
  ReadFileParams,
  RevertFileParams,
  RunCodeParams,
  SearchFilesParams,
  TgpToolsOptionsSchema,
  WriteFileParams,
} from './tool_parameters.js';

/** @type {typeof import('../../index.js').tgpTools} */
export function tgpTools(kernel, options = {}) {
  const own = /** @type {import('../kernel/tgp.js').TGP} */ (kernel);
  const files = own[FILES];
  const context = parseArguments(TgpToolsOptionsSchema, options, 'tgpTools options');
  const note = (/** @type {string | undefined} */ why) => ({ ...context, why });
  return {
    list_files: checkedTool(
      'list_files',
      'List all files under a folder of the workspace, as sorted relative paths. Start here: a tool may already exist.',
      ListFilesParams,
      ({ dir }, signal) => files.list(dir, signal),
    ),
    read_file: checkedTool('read_file', 'Read the text of one file.', ReadFileParams, ({ path }, signal) =>
      files.read(path, signal),
    ),
    write_file: checkedTool(
      'write_file',
      'Create a file or replace all of it, and commit it. Tools go under "tools/" as TypeScript.',
      WriteFileParams,
      async ({ path, content, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.write(path, content, note(why), signal)),
      }),
    ),
    patch_file: checkedTool(
      'patch_file',
      'Replace the first occurrence of a text in a file, literally, and commit it. Nothing is written when the text is not found.',
      PatchFileParams,
      async ({ path, search, replace, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.patch(path, search, replace, note(why), signal)),
      }),
    ),
    apply_diff: checkedTool(
      'apply_diff',
      'Make several changes to one file at once, and commit it. Takes SEARCH/REPLACE blocks or a unified diff; line numbers may be off. All changes are made or none; "applied" tells where, and which whitespace was tolerated.',
      ApplyDiffParams,
      async ({ path, diff, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.diff(path, diff, note(why), signal)),
      }),
    ),
    delete_file: checkedTool(
      'delete_file',
      'Remove a file, and commit that. A file that others import stays; the error names them.',
      DeleteFileParams,
      async ({ path, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.remove(path, note(why), signal)),
      }),
    ),
    move_file: checkedTool(
      'move_file',
      'Move or rename a file, and commit it. Imports of it and in it follow ("relinked"); files that hold its path as text are only listed ("mentions").',
      MoveFileParams,
      async ({ from, to, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.move(from, to, note(why), signal)),
      }),
    ),
    revert_file: checkedTool(
      'revert_file',
      'Make a file what it was in a commit of file_history, as a new commit. It also brings back a file that was removed.',
      RevertFileParams,
      async ({ path, commit, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.revert(path, commit, note(why), signal)),
      }),
    ),
    search_files: checkedTool(
      'search_files',
      'Search the text of all files with a regular expression. Returns matching lines with path, line and column.',
      SearchFilesParams,
      (query, signal) => files.search(query, signal),
    ),
    find_tool: checkedTool(
      'find_tool',
      'Find tools that already do a job, best first. A score above 0.85 means: use that tool instead of writing one.',
      FindToolParams,
      ({ query, limit }, signal) => kernel.find(query, { limit, signal }),
    ),
    file_history: checkedTool(
      'file_history',
      'List the commits that changed a file, newest first, with message, author, date, and why, session and model where they were given. revert_file goes back to one.',
      FileHistoryParams,
      ({ path, limit }, signal) => files.history(path, limit, signal),
    ),
    check_tool: checkedTool(
      'check_tool',
      'Check a tool without running it: syntax, the eight standards, types. Returns whether it is valid, and diagnostics with line, column and help that says what to write instead. Only errors make it invalid.',
      CheckToolParams,
      ({ path }, signal) => kernel.check(path, { signal }),
    ),
    exec_tool: checkedTool(
      'exec_tool',
      'Run a tool in the sandbox. Returns { success: true, result, logs, stats }, or { success: false, error, code, logs } with line and column of the failure.',
      ExecToolParams,
      ({ path, args }, signal) => report(own[EXEC_FOR_AGENT](path, args, { signal })),
    ),
    run_code: checkedTool(
      'run_code',
      'Run TypeScript once, without a file: to look at data, try an idea, answer a question that will not come again. Same sandbox, limits, checks and report as exec_tool; imports are those of a file in "tools/", and errors name it tools/.code.ts. Nothing is kept: what will be needed again is a tool, with write_file.',
      RunCodeParams,
      ({ code, args }, signal) => report(own[RUN_FOR_AGENT](code, args, { signal })),
    ),
  };
}
