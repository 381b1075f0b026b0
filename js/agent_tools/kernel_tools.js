import { ValidationError } from '../boundary/errors.js';
import { parseArguments } from '../boundary/validation.js';
import { ARGUMENTS_OF, ON_BEHALF, RESULTS } from '../kernel/agent_access.js';
import { report } from '../tool_shape/agent_tool.js';
import { boundedTools } from '../tool_shape/bounded_result.js';
import { listPage, textPage } from '../tool_shape/pages.js';
import { ownedTools } from '../tool_shape/tool_owner.js';
import { agentOwner, guardedTools } from './agent_owner.js';
import { checkedTool } from './checked_tool.js';
import { fewer, findingsPage, matchesPage, patchReport, pathsPage, withPlace } from './file_answers.js';
import { policyCalls } from './policy_calls.js';
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
 * Checks that the argument is a kernel.
 * @param {import('../../index.js').TGP} value
 * @returns {import('../kernel/tgp.js').TGP}
 */
function checkedKernel(value) {
  const kernel = /** @type {import('../kernel/tgp.js').TGP} */ (value);
  try {
    if (kernel[ON_BEHALF] !== undefined) return kernel;
  } catch {
    // A getter or proxy threw: not a kernel.
  }
  throw new ValidationError('tgpTools(kernel): "kernel" must be a TGP. Create one with new TGP().', {
    details: { field: 'kernel' },
  });
}

/** @type {typeof import('../../index.js').tgpTools} */
export function tgpTools(kernel, options = {}) {
  const parsed = parseArguments(TgpToolsOptionsSchema, options, 'tgpTools options');
  const { agent: id, approval, dryRun = false, ...context } = parsed;
  const who = { agent: 'agent', ...(id !== undefined && { id }), ...context };
  return toolsFor(kernel, who, { approval, mode: dryRun ? 'dry' : 'real' });
}

/**
 * The kernel tools for a given caller.
 * @param {import('../../index.js').TGP} kernel
 * @param {import('../kernel/kernel_calls.js').Caller} who
 * @param {{ approval?: 'sdk', mode?: import('../tool_shape/agent_tool.js').Mode }} [options] `approval`: the AI SDK approves
 * calls; `mode`: whether every call is a dry run
 * @returns {import('../../index.js').TGPTools}
 */
export function toolsFor(kernel, who, { approval, mode = 'real' } = {}) {
  const own = checkedKernel(kernel);
  const isAlways = mode === 'dry';
  const owner = { ...agentOwner(own, who, approval), isDry: isAlways };
  const access = own[ON_BEHALF](owner.who);
  const { files } = access;
  const { session, model } = owner.who;
  const context = { session, model };
  const note = (/** @type {string | undefined} */ why) => ({ ...context, why });
  const tools = {
    list_files: checkedTool(
      'list_files',
      'List all files under a folder of the workspace, or those that match a glob, as sorted relative paths. To find a tool for a job, call find_tool instead.',
      ListFilesParams,
      async ({ dir, glob, limit, after }, signal) => pathsPage(await files.list(dir, glob, signal), { limit, after }),
    ),
    read_file: checkedTool(
      'read_file',
      'Read the text of one file. A long file comes in pages: the last line then shows how to continue.',
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
      {
        isAlways,
        preview: ({ path, content }, signal) => files.preview({ tool: 'write_file', path, content }, signal),
      },
    ),
    patch_file: checkedTool(
      'patch_file',
      'Replace the first occurrence of a text in a file, literally, and commit it. Nothing is written when the text is not found.',
      PatchFileParams,
      async ({ path, search, replace, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...patchReport(await files.patch(path, search, replace, note(why), signal)),
      }),
      {
        isAlways,
        preview: ({ path, search, replace }, signal) =>
          files.preview({ tool: 'patch_file', path, search, replace }, signal),
      },
    ),
    apply_diff: checkedTool(
      'apply_diff',
      'Make several changes to one file at once, and commit it. Takes SEARCH/REPLACE blocks or a unified diff; line numbers may be off. All changes are made or none; "applied" lists where, and which whitespace was tolerated.',
      ApplyDiffParams,
      async ({ path, diff, start_line, end_line, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.diff(path, withPlace(diff, start_line, end_line), note(why), signal)),
      }),
      {
        isAlways,
        preview: ({ path, diff, start_line, end_line }, signal) =>
          files.preview({ tool: 'apply_diff', path, diff: withPlace(diff, start_line, end_line) }, signal),
      },
    ),
    delete_file: checkedTool(
      'delete_file',
      'Remove a file, and commit it. A file that others import is not removed; the error names them. Files that contain its path as text are listed ("mentions").',
      DeleteFileParams,
      async ({ path, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.remove(path, note(why), signal)),
      }),
      { isAlways, preview: ({ path }, signal) => files.preview({ tool: 'delete_file', path }, signal) },
    ),
    move_file: checkedTool(
      'move_file',
      'Move or rename a file, and commit it. Imports of it and in it are updated ("relinked"); files that contain its path as text are only listed ("mentions").',
      MoveFileParams,
      async ({ from, to, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.move(from, to, note(why), signal)),
      }),
      { isAlways, preview: ({ from, to }, signal) => files.preview({ tool: 'move_file', from, to }, signal) },
    ),
    revert_file: checkedTool(
      'revert_file',
      'Restore a file to its state in a commit of file_history, as a new commit. Also restores a removed file.',
      RevertFileParams,
      async ({ path, commit, why }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.revert(path, commit, note(why), signal)),
      }),
      { isAlways, preview: ({ path, commit }, signal) => files.preview({ tool: 'revert_file', path, commit }, signal) },
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
      'List the commits that changed a file, newest first, with message, author, date, and why, session and model if recorded. revert_file restores one.',
      FileHistoryParams,
      async ({ path, limit }, signal) =>
        listPage(await files.history(path, limit, signal), fewer('Ask with a smaller limit.')),
    ),
    check_tool: checkedTool(
      'check_tool',
      'Check a tool without running it: syntax, the eight standards, types. Returns whether it is valid, and diagnostics with line, column and help with what to write instead. Only errors make it invalid.',
      CheckToolParams,
      async ({ path }, signal) => findingsPage(await access.check(path, signal)),
    ),
    test_tool: checkedTool(
      'test_tool',
      'Run the tests of a tool: tools/a/b.test.ts beside tools/a/b.ts, written with describe, test and expect of "@tgp/std/test" as in vitest. They have no network, database or application: fake those with mockHost({ fetch, exec_sql, … }). Returns what passed and failed, with line, message and diff.',
      TestToolParams,
      async ({ path }, signal) => testPage(await access.test(path, signal)),
      // Tests change nothing. As a dry run they need no approval.
      { isAlways, preview: async ({ path }, signal) => testPage(await access.test(path, signal, 'dry')) },
    ),
    exec_tool: checkedTool(
      'exec_tool',
      'Run a tool in the sandbox. Returns { success: true, result, logs, stats }, or { success: false, error, code, logs } with line and column of the failure.',
      ExecToolParams,
      ({ path, args }, signal) => report(access.exec(path, args, { signal })),
      { isAlways, preview: ({ path, args }, signal) => report(access.exec(path, args, { signal, dryRun: true })) },
    ),
    run_code: checkedTool(
      'run_code',
      'Run TypeScript once, without a file: to look at data, try an idea, answer a question that will not come again. Same sandbox, limits, checks and report as exec_tool; imports are those of a file in "tools/", and errors name it tools/.code.ts. Nothing is kept: what will be needed again is a tool, with write_file.',
      RunCodeParams,
      ({ code, args }, signal) => report(access.run(code, args, { signal })),
      { isAlways, preview: ({ code, args }, signal) => report(access.run(code, args, { signal, dryRun: true })) },
    ),
  };
  const descriptions = policyCalls((path, args) => own[ARGUMENTS_OF](path, args));
  const guarded = guardedTools(tools, owner, descriptions);
  return /** @type {import('../../index.js').TGPTools} */ (ownedTools(boundedTools(guarded, own[RESULTS]), owner));
}
