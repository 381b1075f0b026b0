/**
 * The table of kernel tools for agents: everything about a tool except its names for policy rules, which are in
 * `src/kernel/door/kernel_tools.rs`, and its implementation.
 */

import type { ZodObject } from 'zod';
import { count, flag, list, object, REPORT, text, written } from './output_schemas.js';
import * as params from './tool_parameters.js';

/** MCP annotations. */
type Hints = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

export type ToolWords = {
  /** For people. */
  title: string;
  /** For models. */
  description: string;
  parameters: ZodObject;
  hints: Hints;
  /** JSON Schema of the result; only where every result is an object. */
  output?: Record<string, unknown>;
  /** Argument with the path of a call, if no argument of the kernel's table is a path. */
  path?: string;
  /** Arguments that select a part of the answer; policy and ledger do not see them. */
  paging?: string[];
  /** The list of an agent's summary that has the paths of its calls. */
  summary?: 'changed' | 'reused' | 'tested';
  /** Whether it may create a file. */
  creates?: boolean;
  /** Text argument that an approver sees line by line. */
  lines?: string;
  /** Row of `docs/agent_tools.md`. */
  docs?: { arguments: string; about: string };
};

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Every version of a file stays in the history, so nothing is lost. */
const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
/** A tool may fetch, call the application and write to its database. */
export const RUNS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** In the order in which models see them. */
export const KERNEL_TOOLS = {
  list_files: {
    title: 'List files',
    description:
      'List all files under a folder of the workspace, or those that match a glob, as sorted relative paths. To find a tool for a job, call find_tool instead.',
    parameters: params.ListFilesParams,
    hints: READS,
    path: 'dir',
    paging: ['limit', 'after'],
    docs: {
      arguments: 'dir, glob?, …',
      about: 'sorted paths, recursive, never anything of `.git`; `limit` and `after` page',
    },
  },
  read_file: {
    title: 'Read a file',
    description: 'Read the text of one file. A long file comes in pages: the last line then shows how to continue.',
    parameters: params.ReadFileParams,
    hints: READS,
    paging: ['offset', 'limit', 'column'],
    docs: { arguments: 'path, …', about: 'the text; `offset` and `limit` page through a long one' },
  },
  write_file: {
    title: 'Write a file',
    description: 'Create a file or replace all of it, and commit it. Tools go under "tools/" as TypeScript.',
    parameters: params.WriteFileParams,
    hints: { ...WRITES, idempotentHint: true },
    output: written(),
    summary: 'changed',
    creates: true,
    docs: { arguments: 'path, content', about: 'writes atomically and commits `Forge: <path>`' },
  },
  patch_file: {
    title: 'Replace a text in a file',
    description:
      'Replace the first occurrence of a text in a file, literally, and commit it. Nothing is written when the text is not found.',
    parameters: params.PatchFileParams,
    hints: WRITES,
    output: written({ matches: count, advice: text }, ['matches']),
    summary: 'changed',
    docs: {
      arguments: 'path, search, replace',
      about: 'one literal replacement, commits `Refactor: <path>`; writes nothing if the text is not found',
    },
  },
  apply_diff: {
    title: 'Apply a diff to a file',
    description:
      'Make several changes to one file at once, and commit it. Takes SEARCH/REPLACE blocks or a unified diff; line numbers may be off. All changes are made or none; "applied" lists where, and which whitespace was tolerated.',
    parameters: params.ApplyDiffParams,
    hints: WRITES,
    output: written({ applied: list({}) }, ['applied']),
    summary: 'changed',
    lines: 'diff',
    docs: {
      arguments: 'path, diff',
      about: 'SEARCH/REPLACE blocks or a unified diff, all or nothing; tolerates wrong line numbers and reports them',
    },
  },
  delete_file: {
    title: 'Remove a file',
    description:
      'Remove a file, and commit it. A file that others import is not removed; the error names them. Files that contain its path as text are listed ("mentions").',
    parameters: params.DeleteFileParams,
    hints: WRITES,
    output: written(),
    summary: 'changed',
    docs: {
      arguments: 'path',
      about: 'removes a file that no tool imports, commits `Remove: <path>`; uncommitted content is committed first',
    },
  },
  move_file: {
    title: 'Move a file',
    description:
      'Move or rename a file, and commit it. Imports of it and in it are updated ("relinked"); files that contain its path as text are only listed ("mentions").',
    parameters: params.MoveFileParams,
    hints: WRITES,
    output: written({ relinked: list({}), mentions: list({}) }),
    summary: 'changed',
    creates: true,
    docs: {
      arguments: 'from, to',
      about: 'moves a file with all imports of it and in it, commits `Move: <from> -> <to>`',
    },
  },
  revert_file: {
    title: 'Bring back an earlier version of a file',
    description:
      'Restore a file to its state in a commit of file_history, as a new commit. Also restores a removed file.',
    parameters: params.RevertFileParams,
    hints: { ...WRITES, idempotentHint: true },
    output: written(),
    summary: 'changed',
    docs: { arguments: 'path, commit', about: 'restores a file from a commit, as a new commit' },
  },
  search_files: {
    title: 'Search in files',
    description:
      'Search the text of all files with a regular expression. Returns matching lines with path, line and column.',
    parameters: params.SearchFilesParams,
    hints: READS,
    output: object({ matches: list({}), truncated: flag, files: count, notice: text }, ['matches', 'truncated']),
    docs: { arguments: 'pattern, glob?, …', about: 'lines that match a regular expression' },
  },
  find_tool: {
    title: 'Find a tool',
    description:
      'Start here. Find tools that already do a job, best first. Score above 0.85: run that tool with exec_tool. From 0.4 to 0.85: read it with read_file, then use or extend it. Below: write a new one.',
    parameters: params.FindToolParams,
    hints: READS,
    docs: {
      arguments: 'query, limit?',
      about: 'tools that match a task, best first; above a score of 0.85, reuse the tool',
    },
  },
  file_history: {
    title: "Show a file's history",
    description:
      'List the commits that changed a file, newest first, with message, author, date, and why, session and model if recorded. revert_file restores one.',
    parameters: params.FileHistoryParams,
    hints: READS,
    docs: { arguments: 'path, limit?', about: 'the commits that changed a file, newest first' },
  },
  check_tool: {
    title: 'Check a tool',
    description:
      'Check a tool without running it: syntax, the eight standards, types. Returns whether it is valid, and diagnostics with line, column and help with what to write instead. Only errors make it invalid.',
    parameters: params.CheckToolParams,
    hints: READS,
    output: object({ help: text, valid: flag, errors: list({}), diagnostics: list({}) }, ['valid']),
    docs: { arguments: 'path', about: 'violations of standards and types, with position and suggested fix' },
  },
  test_tool: {
    title: 'Test a tool',
    description:
      'Run the tests of a tool: tools/a/b.test.ts beside tools/a/b.ts, written with describe, test and expect of "@tgp/std/test" as in vitest. They have no network, database or application: fake those with mockHost({ fetch, exec_sql, … }). Returns what passed and failed, with line, message and diff.',
    parameters: params.TestToolParams,
    hints: READS,
    output: object({ ok: flag, passed: count, failed: count, cases: list({}), text }, ['ok', 'passed', 'failed']),
    summary: 'tested',
    docs: {
      arguments: 'path?',
      about: 'runs `b.test.ts` next to `b.ts` in the sandbox; line, message and diff of each failure',
    },
  },
  exec_tool: {
    title: 'Run a tool',
    description:
      'Run a tool in the sandbox. Returns { success: true, result, logs, stats }, or { success: false, error, code, logs } with line and column of the failure.',
    parameters: params.ExecToolParams,
    hints: RUNS,
    output: REPORT,
    summary: 'reused',
    docs: {
      arguments: 'path, args',
      about: 'runs the tool; reports `{ success, result, logs, stats }` or `{ success: false, error, code, line, … }`',
    },
  },
  run_code: {
    title: 'Run code once',
    description:
      'Run TypeScript once, without a file: to look at data, try an idea, answer a question that will not come again. Same sandbox, limits, checks and report as exec_tool; imports are those of a file in "tools/", and errors name it tools/.code.ts. Nothing is kept: what will be needed again is a tool, with write_file.',
    parameters: params.RunCodeParams,
    hints: RUNS,
    output: REPORT,
    lines: 'code',
    docs: { arguments: 'code, args', about: 'runs code once, like `exec_tool`; the code is not stored' },
  },
  exec_sql: {
    title: 'Run SQL',
    description:
      'Run one SQL statement against the application database. Returns the rows; a statement without rows returns [{ affected }]. Values go into params: an array for ? or $1, an object for :name.',
    parameters: params.ExecSqlParams,
    hints: { ...RUNS, openWorldHint: false },
    lines: 'sql',
  },
  describe_schema: {
    title: 'Describe the database',
    description:
      'Tables of the application database with columns, types, keys and estimated row counts. Call it before writing SQL.',
    parameters: params.DescribeSchemaParams,
    hints: READS,
  },
} satisfies Record<string, ToolWords>;

export type ToolName = keyof typeof KERNEL_TOOLS;

/** The entry of a kernel tool; none for other names. */
export function toolWords(name: string): ToolWords | undefined {
  return Object.hasOwn(KERNEL_TOOLS, name) ? KERNEL_TOOLS[name as ToolName] : undefined;
}
