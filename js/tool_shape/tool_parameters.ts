/** The public zod schemas of tool arguments. Models read the descriptions. All exports are exports of the package. */

import { z } from 'zod';
import { limited } from '../boundary/limit_schema.js';
import { LIMITS } from '../boundary/limits.js';
import { callArguments } from '../boundary/validation.js';

const text = z.string().min(1);
const count = z.int().positive().optional();

/** A tool and its source, as one value. */
export const ToolSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.looseObject({}).describe('JSON Schema of the arguments.'),
  code: z.string().describe('TypeScript source.'),
});

const path = text.describe('Path relative to the root, such as "tools/reports/revenue.ts".');

const why = z.string().optional().describe('Reason for the change, in one short line, for the history of the file.');

/** Checks {@link ListFilesArgs}. */
export const ListFilesParams = z.strictObject({
  dir: z.string().describe('Folder relative to the root, such as "tools"; "" or "." lists everything.'),
  glob: text.optional().describe('Only paths that match, such as "tools/**/*.test.ts" or "*.json".'),
  limit: count.describe('Maximum number of paths to return.'),
  after: text.optional().describe('Continue after this path, the last one of the previous list.'),
});

/** Checks {@link ReadFileArgs}. */
export const ReadFileParams = z.strictObject({
  path,
  offset: count.describe('The first line to return, counted from 1.'),
  limit: count.describe('Maximum number of lines to return.'),
  column: count.describe('The first character of the first line, counted from 1: for lines that are too long.'),
});

/** Checks {@link WriteFileArgs}. */
export const WriteFileParams = z.strictObject({
  path,
  content: z.string().describe('The whole text of the file.'),
  why,
});

/** Checks {@link PatchFileArgs}. */
export const PatchFileParams = z.strictObject({
  path,
  search: z.string().describe('Text to find, exactly as it is in the file now. The first occurrence is replaced.'),
  replace: z.string().describe('Replacement text, taken literally.'),
  why,
});

/** Checks {@link ApplyDiffArgs}. */
export const ApplyDiffParams = z.strictObject({
  path,
  diff: z
    .string()
    .describe(
      'Blocks of "<<<<<<< SEARCH", old lines, "=======", new lines, ">>>>>>> REPLACE"; or a unified diff with "@@" hunks.',
    ),
  start_line: count.describe(
    'First line of the old text of the first block, counted from 1, if it occurs several times.',
  ),
  end_line: count.describe('Last line of the old text of the first block.'),
  why,
});

/** Checks {@link DeleteFileArgs}. */
export const DeleteFileParams = z.strictObject({ path, why });

/** Checks {@link MoveFileArgs}. */
export const MoveFileParams = z.strictObject({
  from: text.describe('Current path of the file.'),
  to: text.describe('New path. No file may exist there.'),
  why,
});

/** Checks {@link RevertFileArgs}. */
export const RevertFileParams = z.strictObject({
  path,
  commit: text.describe('Hash of the commit to restore, as listed by file_history.'),
  why,
});

/** Checks {@link SearchFilesArgs}. */
export const SearchFilesParams = z.strictObject({
  pattern: text.describe('Regular expression in the syntax of ripgrep.'),
  glob: text.optional().describe('Only files that match, such as "tools/**/*.ts" or "*.json".'),
  case: z.enum(['sensitive', 'insensitive']).optional().describe('Whether case matters. Default: sensitive.'),
  limit: limited(LIMITS.search_files.limit),
});

/** Checks {@link FindToolArgs}. */
export const FindToolParams = z.strictObject({
  query: text.describe('What the tool should do, in a few words.'),
  limit: limited(LIMITS.find_tool.limit),
});

/** Checks {@link FileHistoryArgs}. */
export const FileHistoryParams = z.strictObject({
  path,
  limit: limited(LIMITS.file_history.limit),
});

/** Checks {@link CheckToolArgs}. */
export const CheckToolParams = z.strictObject({ path });

/** Checks {@link TestToolArgs}. */
export const TestToolParams = z.strictObject({
  path: text
    .optional()
    .describe('A tool, its test file, or a folder, such as "tools/reports/revenue.ts". Without it, all tests.'),
});

/** Checks {@link ExecToolArgs}. */
export const ExecToolParams = z.strictObject({
  path,
  args: callArguments(z.looseObject({}).optional().describe('Arguments of the tool, all of them in this object.')),
});

/** Checks {@link RunCodeArgs}. */
export const RunCodeParams = z.strictObject({
  code: text.describe(
    'TypeScript, as a tool would be: a default export, or statements whose last expression is the result. "return" is for code without imports.',
  ),
  args: callArguments(z.looseObject({}).optional().describe('Arguments of the code, all of them in this object.')),
});

/** Checks {@link ExecSqlArgs}. */
export const ExecSqlParams = z.strictObject({
  sql: text.describe('One SQL statement. Values go into params, not into the text.'),
  params: z
    .union([z.array(z.any()), z.looseObject({})])
    .optional()
    .describe('Values: an array for ? or $1, or an object for :name.'),
});

/** Checks {@link DescribeSchemaArgs}. */
export const DescribeSchemaParams = z.strictObject({
  table: text.optional().describe('Describe this table only.'),
});
