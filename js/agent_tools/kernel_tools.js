import { ValidationError } from '../boundary/errors.js';
import { EXEC_FOR_AGENT, FILES, RESULTS } from '../kernel/agent_access.js';
import { report } from '../tool_shape/agent_tool.js';
import { boundedTools } from '../tool_shape/bounded_result.js';
import { listPage, textPage } from '../tool_shape/pages.js';
import { checkedTool } from './checked_tool.js';
import { fewer, matchesPage, patchReport, pathsPage, withPlace } from './file_answers.js';
import {
  ApplyDiffParams,
  CheckToolParams,
  ExecToolParams,
  FileHistoryParams,
  FindToolParams,
  ListFilesParams,
  PatchFileParams,
  ReadFileParams,
  SearchFilesParams,
  WriteFileParams,
} from './tool_parameters.js';

/** @param {import('../kernel/tgp.js').TGP} kernel */
function filesOf(kernel) {
  try {
    if (kernel[FILES] !== undefined) return kernel[FILES];
  } catch {
    // Then it is none.
  }
  throw new ValidationError('tgpTools(kernel): "kernel" must be a TGP. Make one with new TGP().', {
    details: { field: 'kernel' },
  });
}

/** @type {typeof import('../../index.js').tgpTools} */
export function tgpTools(kernel) {
  const own = /** @type {import('../kernel/tgp.js').TGP} */ (kernel);
  const files = filesOf(own);
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
      async ({ path, content }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.write(path, content, signal)),
      }),
    ),
    patch_file: checkedTool(
      'patch_file',
      'Replace the first occurrence of a text in a file, literally, and commit it. Nothing is written when the text is not found.',
      PatchFileParams,
      async ({ path, search, replace }, signal) => ({
        success: /** @type {const} */ (true),
        ...patchReport(await files.patch(path, search, replace, signal)),
      }),
    ),
    apply_diff: checkedTool(
      'apply_diff',
      'Make several changes to one file at once, and commit it. Takes SEARCH/REPLACE blocks or a unified diff; line numbers may be off. All changes are made or none; "applied" tells where, and which whitespace was tolerated.',
      ApplyDiffParams,
      async ({ path, diff, start_line, end_line }, signal) => ({
        success: /** @type {const} */ (true),
        ...(await files.diff(path, withPlace(diff, start_line, end_line), signal)),
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
        listPage(await kernel.find(query, { limit, signal }), fewer('Ask with a narrower query or a smaller limit.')),
    ),
    file_history: checkedTool(
      'file_history',
      'List the commits that changed a file, newest first, with message, author and date. A commit can be gone back to.',
      FileHistoryParams,
      async ({ path, limit }, signal) =>
        listPage(await files.history(path, limit, signal), fewer('Ask with a smaller limit.')),
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
  };
  return /** @type {import('../../index.js').TGPTools} */ (boundedTools(tools, own[RESULTS]));
}
