import { ValidationError } from '../boundary/errors.js';
import { parseArguments } from '../boundary/validation.js';
import { ON_BEHALF, RESULTS } from '../kernel/agent_access.js';
import { report } from '../tool_shape/agent_tool.js';
import { boundedTools } from '../tool_shape/bounded_result.js';
import { listPage, textPage } from '../tool_shape/pages.js';
import { checkedTool } from './checked_tool.js';
import { fewer, findingsPage, matchesPage, patchReport, pathsPage, withPlace } from './file_answers.js';
import { testPage } from './test_answer.js';
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
  TestToolParams,
  TgpToolsOptionsSchema,
  WriteFileParams,
} from './tool_parameters.js';

/**
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {import('../kernel/kernel_calls.js').Who} who
 */
function accessTo(kernel, who) {
  try {
    if (kernel[ON_BEHALF] !== undefined) return kernel[ON_BEHALF](who);
  } catch {
    // Then it is none.
  }
  throw new ValidationError('tgpTools(kernel): "kernel" must be a TGP. Make one with new TGP().', {
    details: { field: 'kernel' },
  });
}

/**
 * Names are anybody's text, and half a character in one must not fail every call.
 * @param {import('../kernel/kernel_calls.js').Who} who
 * @returns {import('../kernel/kernel_calls.js').Who}
 */
function wellFormed(who) {
  return Object.fromEntries(Object.entries(who).map(([key, name]) => [key, name?.toWellFormed()]));
}

/** @type {typeof import('../../index.js').tgpTools} */
export function tgpTools(kernel, options = {}) {
  const { agent: id, ...context } = parseArguments(TgpToolsOptionsSchema, options, 'tgpTools options');
  return toolsFor(kernel, { agent: 'agent', ...(id !== undefined && { id }), ...context });
}

/**
 * The same for whoever it is.
 * @param {import('../../index.js').TGP} kernel
 * @param {import('../kernel/kernel_calls.js').Who} who
 * @returns {import('../../index.js').TGPTools}
 */
export function toolsFor(kernel, who) {
  const own = /** @type {import('../kernel/tgp.js').TGP} */ (kernel);
  const named = wellFormed(who);
  const access = accessTo(own, named);
  const { files } = access;
  const { session, model } = named;
  const context = { session, model };
  const note = (/** @type {string | undefined} */ why) => ({ ...context, why });
  const tools = {
    list_files: checkedTool(
      'list_files',
      'List all files under a folder of the workspace, as sorted relative paths. To find a tool for a job, call find_tool instead.',
      ListFilesParams,
      async ({ dir, limit, after }, signal) => pathsPage(await files.list(dir, signal), { dir, limit, after }),
    ),
    read_file: checkedTool(
      'read_file',
      'Read the text of one file. A long one comes in pages: the last line then says how to go on.',
      ReadFileParams,
      async ({ path, ...range }, signal) => textPage(await files.read(path, signal), range),
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
        ...patchReport(await files.patch(path, search, replace, note(why), signal)),
      }),
    ),
    apply_diff: checkedTool(
      'apply_diff',
      'Make several changes to one file at once, and commit it. Takes SEARCH/REPLACE blocks or a unified diff; line numbers may be off. All changes are made or none; "applied" tells where, and which whitespace was tolerated.',
      ApplyDiffParams,
      async ({ path, diff, start_line, end_line, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.diff(path, withPlace(diff, start_line, end_line), note(why), signal)),
      }),
    ),
    delete_file: checkedTool(
      'delete_file',
      'Remove a file, and commit that. A file that others import stays; the error names them. Files that hold its path as text are listed ("mentions").',
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
      async (query, signal) => matchesPage(await files.search(query, signal)),
    ),
    find_tool: checkedTool(
      'find_tool',
      'Start here. Find tools that already do a job, best first. Score above 0.85: run that tool with exec_tool. From 0.4 to 0.85: read it with read_file, then use or extend it. Below: write a new one.',
      FindToolParams,
      async ({ query, limit }, signal) =>
        listPage(await access.find(query, limit, signal), fewer('Ask with a narrower query or a smaller limit.')),
    ),
    file_history: checkedTool(
      'file_history',
      'List the commits that changed a file, newest first, with message, author, date, and why, session and model where they were given. revert_file goes back to one.',
      FileHistoryParams,
      async ({ path, limit }, signal) =>
        listPage(await files.history(path, limit, signal), fewer('Ask with a smaller limit.')),
    ),
    check_tool: checkedTool(
      'check_tool',
      'Check a tool without running it: syntax, the eight standards, types. Returns whether it is valid, and diagnostics with line, column and help that says what to write instead. Only errors make it invalid.',
      CheckToolParams,
      async ({ path }, signal) => findingsPage(await access.check(path, signal)),
    ),
    test_tool: checkedTool(
      'test_tool',
      'Run the tests of a tool: tools/a/b.test.ts beside tools/a/b.ts, written with describe, test and expect of "@tgp/std/test" as in vitest. They have no network, database or application: fake those with mockHost({ fetch, exec_sql, … }). Returns what passed and failed, with line, message and diff.',
      TestToolParams,
      async ({ path }, signal) => testPage(await access.test(path, signal)),
    ),
    exec_tool: checkedTool(
      'exec_tool',
      'Run a tool in the sandbox. Returns { success: true, result, logs, stats }, or { success: false, error, code, logs } with line and column of the failure.',
      ExecToolParams,
      ({ path, args }, signal) => report(access.exec(path, args, { signal })),
    ),
    run_code: checkedTool(
      'run_code',
      'Run TypeScript once, without a file: to look at data, try an idea, answer a question that will not come again. Same sandbox, limits, checks and report as exec_tool; imports are those of a file in "tools/", and errors name it tools/.code.ts. Nothing is kept: what will be needed again is a tool, with write_file.',
      RunCodeParams,
      ({ code, args }, signal) => report(access.run(code, args, { signal })),
    ),
  };
  return /** @type {import('../../index.js').TGPTools} */ (boundedTools(tools, own[RESULTS]));
}
