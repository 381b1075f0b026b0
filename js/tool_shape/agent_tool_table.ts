/**
 * The table of kernel tools for agents: everything about a tool except what policy rules see, which is in
 * `src/kernel/door/kernel_tools.rs`, and its implementation.
 */

import { z } from 'zod';
import { limited } from '../boundary/limit_schema.js';
import { LIMITS } from '../boundary/limits.js';
import { callArguments } from '../boundary/unknown_keys.js';
import type { CheckResult, FoundTool } from '../types/kernel.js';
import type {
  ApplyDiffResult,
  DeleteFileResult,
  ExecToolResult,
  FileHistoryEntry,
  MoveFileResult,
  PatchFileResult,
  QueryGraphResult,
  SearchFilesResult,
  TestToolResult,
  WriteFileResult,
} from '../types/tools.js';
import { type AgentToolRow, path, positive, READS, RUNS, resultType, someText, WRITES, why } from './agent_tool_row.js';
import { count, flag, list, object, REPORT, text, written } from './output_schemas.js';

/** A diff that names no line, so that an agent's line numbers are added. */
const DIFF = '<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n';

/** In the order in which models see them. */
export const AGENT_TOOLS = {
  list_files: {
    title: 'List files',
    description:
      'List all files under a folder of the workspace, or those that match a glob, as sorted relative paths. To learn whether a file exists, give its path as glob. To find a tool for a job, call find_tool instead.',
    parameters: z.strictObject({
      dir: z.string().describe('Folder relative to the root, such as "tools"; "" or "." lists everything.'),
      glob: someText.optional().describe('Only paths that match, such as "tools/**/*.test.ts" or "*.json".'),
      limit: positive.describe('Maximum number of paths to return.'),
      after: someText.optional().describe('Continue after this path, the last one of the previous list.'),
    }),
    result: resultType<string[]>(),
    example: { dir: 'tools', glob: '**/*.ts' },
    hints: READS,
    paging: ['limit', 'after'],
    docs: {
      arguments: 'dir, glob?, …',
      about: 'sorted paths, recursive, never anything of `.git`; `limit` and `after` page',
    },
  },
  read_file: {
    title: 'Read a file',
    description: 'Read the text of one file. A long file comes in pages: the last line then shows how to continue.',
    parameters: z.strictObject({
      path,
      offset: positive.describe('The first line to return, counted from 1.'),
      limit: positive.describe('Maximum number of lines to return.'),
      column: positive.describe('The first character of the first line, counted from 1: for lines that are too long.'),
    }),
    result: resultType<string>(),
    example: { path: 'tools/math/twice.ts' },
    hints: READS,
    paging: ['offset', 'limit', 'column'],
    docs: { arguments: 'path, …', about: 'the text; `offset` and `limit` page through a long one' },
  },
  write_file: {
    title: 'Write a file',
    description: 'Create a file or replace all of it, and commit it. Tools go under "tools/" as TypeScript.',
    parameters: z.strictObject({
      path,
      content: z.string().describe('The whole text of the file.'),
      why,
    }),
    result: resultType<WriteFileResult>(),
    example: { path: 'tools/math/twice.ts', content: '/** Doubles. */\n', why: 'asked for' },
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
    parameters: z.strictObject({
      path,
      search: z.string().describe('Text to find, exactly as it is in the file now. The first occurrence is replaced.'),
      replace: z.string().describe('Replacement text, taken literally.'),
      why,
    }),
    result: resultType<PatchFileResult>(),
    example: { path: 'tools/math/twice.ts', search: 'Doubles', replace: 'Makes double', why: 'asked for' },
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
    parameters: z.strictObject({
      path,
      diff: z
        .string()
        .describe(
          'Blocks of "<<<<<<< SEARCH", old lines, "=======", new lines, ">>>>>>> REPLACE"; or a unified diff with "@@" hunks.',
        ),
      start_line: positive.describe(
        'First line of the old text of the first block, counted from 1, if it occurs several times.',
      ),
      end_line: positive.describe('Last line of the old text of the first block.'),
      why,
    }),
    result: resultType<ApplyDiffResult>(),
    example: { path: 'tools/math/twice.ts', diff: DIFF, start_line: 1, end_line: 1, why: 'asked for' },
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
    parameters: z.strictObject({ path, why }),
    result: resultType<DeleteFileResult>(),
    example: { path: 'tools/math/twice.ts', why: 'asked for' },
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
    parameters: z.strictObject({
      from: someText.describe('Current path of the file.'),
      to: someText.describe('New path. No file may exist there.'),
      why,
    }),
    result: resultType<MoveFileResult>(),
    example: { from: 'tools/math/twice.ts', to: 'tools/math/double.ts', why: 'asked for' },
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
    parameters: z.strictObject({
      path,
      commit: someText.describe('Hash of the commit to restore, as listed by file_history.'),
      why,
    }),
    result: resultType<WriteFileResult>(),
    example: { path: 'tools/math/twice.ts', commit: 'HEAD~1', why: 'asked for' },
    hints: { ...WRITES, idempotentHint: true },
    output: written(),
    summary: 'changed',
    docs: { arguments: 'path, commit', about: 'restores a file from a commit, as a new commit' },
  },
  search_files: {
    title: 'Search in files',
    description:
      'Search the text of all files with a regular expression. Returns matching lines with path, line and column.',
    parameters: z.strictObject({
      pattern: someText.describe('Regular expression in the syntax of ripgrep.'),
      glob: someText.optional().describe('Only files that match, such as "tools/**/*.ts" or "*.json".'),
      case: z.enum(['sensitive', 'insensitive']).optional().describe('Whether case matters. Default: sensitive.'),
      limit: limited(LIMITS.search_files.limit),
    }),
    result: resultType<SearchFilesResult>(),
    example: { pattern: 'doubles', glob: '**/*.ts', case: 'sensitive', limit: 5 },
    hints: READS,
    output: object({ matches: list({}), truncated: flag, files: count, notice: text }, ['matches', 'truncated']),
    docs: { arguments: 'pattern, glob?, …', about: 'lines that match a regular expression' },
  },
  find_tool: {
    title: 'Find a tool',
    description:
      'Start here. Find tools that already do a job, best first. Score above 0.85: run that tool with exec_tool. From 0.4 to 0.85: read it with read_file, then use or extend it. Below: write a new one.',
    parameters: z.strictObject({
      query: someText.describe('What the tool should do, in a few words.'),
      limit: limited(LIMITS.find_tool.limit),
    }),
    result: resultType<FoundTool[]>(),
    example: { query: 'double a number', limit: 3 },
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
    parameters: z.strictObject({
      path,
      limit: limited(LIMITS.file_history.limit),
    }),
    result: resultType<FileHistoryEntry[]>(),
    example: { path: 'tools/math/twice.ts', limit: 2 },
    hints: READS,
    docs: { arguments: 'path, limit?', about: 'the commits that changed a file, newest first' },
  },
  query_graph: {
    title: 'Ask the graph',
    description:
      'Ask how tools, files, commits, sessions and runs are related, as of any commit. What breaks if I delete or change tools/x.ts: ask "impact" with path: who imports and calls it, its tests, recent runs. How did it become what it is, also before it was renamed: ask "history" with path. Anything else: query, read-only Cypher. Nodes: File {path, name, root, first_seen, last_seen, exists}, Tool (a File with description), Commit {hash, short, author, time, subject}, Session {id, agent, first, last}, Run {id, path, ok, code, ms, time}. Relationships: (File)-[:IMPORTS]->(File), (File)-[:CALLS]->(Tool), (Run)-[:CALLS]->(Tool or Run), (Session)-[:CALLS]->(Run), (Commit or Session)-[:CHANGED {status}]->(File), (Tool)-[:TESTED_BY]->(File), (Tool)-[:FORGED_BY]->(Commit or Session), (File)-[:WAS_RENAMED_FROM {similarity, commit}]->(File). Example: MATCH (f:File)-[:IMPORTS|CALLS*1..4]->(t:Tool {path: $path}) RETURN DISTINCT f.path.',
    parameters: z.strictObject({
      query: someText.optional().describe('Cypher that only reads, instead of ask.'),
      params: callArguments(z.looseObject({}).optional().describe('Values of the parameters of the query, by name.')),
      ask: z
        .enum(['impact', 'history'])
        .optional()
        .describe('"impact": what depends on the file at path. "history": its commits, newest first, through renames.'),
      path: someText.optional().describe('The file that ask is about, relative to the root.'),
      commit: someText.optional().describe('Answer as of this commit, a full or short hash. Default: the current one.'),
      root: someText.optional().describe('Another repository that the application has added. Default: the workspace.'),
    }),
    result: resultType<QueryGraphResult>(),
    example: {
      query: 'MATCH (t:Tool {path: $path}) RETURN t',
      params: { path: 'tools/math/twice.ts' },
      ask: 'impact',
      path: 'tools/math/twice.ts',
      commit: '1a2b3c4',
      root: '.',
    },
    hints: READS,
    docs: {
      arguments: 'query, params?, … or ask, path',
      about: 'what depends on a file, its history through renames, or a read-only Cypher query; [graph](graph.md)',
    },
  },
  check_tool: {
    title: 'Check a tool',
    description:
      'Check a tool without running it: syntax, the eight standards, types. Returns whether it is valid, and diagnostics with line, column and help with what to write instead. Only errors make it invalid.',
    parameters: z.strictObject({ path }),
    result: resultType<CheckResult>(),
    example: { path: 'tools/math/twice.ts' },
    hints: READS,
    output: object({ help: text, valid: flag, errors: list({}), diagnostics: list({}) }, ['valid']),
    docs: { arguments: 'path', about: 'violations of standards and types, with position and suggested fix' },
  },
  test_tool: {
    title: 'Test a tool',
    description:
      'Run the tests of a tool: tools/a/b.test.ts beside tools/a/b.ts, written with describe, test and expect of "@tgp/std/test" as in vitest. They have no network, database or application: fake those with mockHost({ fetch, exec_sql, … }). Returns what passed and failed, with line, message and diff.',
    parameters: z.strictObject({
      path: someText
        .optional()
        .describe('A tool, its test file, or a folder, such as "tools/reports/revenue.ts". Without it, all tests.'),
    }),
    result: resultType<TestToolResult>(),
    example: { path: 'tools/math/twice.test.ts' },
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
    parameters: z.strictObject({
      path,
      args: callArguments(z.looseObject({}).optional().describe('Arguments of the tool, all of them in this object.')),
    }),
    result: resultType<ExecToolResult>(),
    example: { path: 'tools/math/twice.ts', args: { n: 21 } },
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
    parameters: z.strictObject({
      code: someText.describe(
        'TypeScript, as a tool would be: a default export, or statements whose last expression is the result. "return" is for code without imports.',
      ),
      args: callArguments(z.looseObject({}).optional().describe('Arguments of the code, all of them in this object.')),
    }),
    result: resultType<ExecToolResult>(),
    example: { code: 'return args.n', args: { n: 1 } },
    hints: RUNS,
    output: REPORT,
    lines: 'code',
    docs: { arguments: 'code, args', about: 'runs code once, like `exec_tool`; the code is not stored' },
  },
  exec_sql: {
    title: 'Run SQL',
    description:
      'Run one SQL statement against the application database. Returns the rows; a statement without rows returns [{ affected }]. Values go into params: an array for ? or $1, an object for :name.',
    parameters: z.strictObject({
      sql: someText.describe('One SQL statement. Values go into params, not into the text.'),
      params: z
        .union([z.array(z.any()), z.looseObject({})])
        .optional()
        .describe('Values: an array for ? or $1, or an object for :name.'),
    }),
    database: true,
    example: { sql: 'SELECT :n AS n', params: { n: 1 } },
    hints: { ...RUNS, openWorldHint: false },
    lines: 'sql',
  },
  describe_schema: {
    title: 'Describe the database',
    description:
      'Tables of the application database with columns, types, keys and estimated row counts. Call it before writing SQL.',
    parameters: z.strictObject({
      table: someText.optional().describe('Describe this table only.'),
    }),
    database: true,
    example: { table: 't' },
    hints: READS,
  },
} satisfies Record<string, AgentToolRow>;

/** The name of a kernel tool. */
export type ToolName = keyof typeof AGENT_TOOLS;

/** The row of a kernel tool; none for other names. */
export function agentToolRow(name: string): AgentToolRow | undefined {
  return Object.hasOwn(AGENT_TOOLS, name) ? AGENT_TOOLS[name as ToolName] : undefined;
}
