/** The public zod schemas of tool arguments. All exports are exports of the package. */

import { z } from 'zod';
import { AGENT_TOOLS } from './agent_tool_table.js';

/** A tool and its source, as one value. */
export const ToolSchema = z.strictObject({
  name: z.string(),
  description: z.string(),
  parameters: z.looseObject({}).describe('JSON Schema of the arguments.'),
  code: z.string().describe('TypeScript source.'),
});

/** Checks {@link ListFilesArgs}. */
export const ListFilesParams = AGENT_TOOLS.list_files.parameters;

/** Checks {@link ReadFileArgs}. */
export const ReadFileParams = AGENT_TOOLS.read_file.parameters;

/** Checks {@link WriteFileArgs}. */
export const WriteFileParams = AGENT_TOOLS.write_file.parameters;

/** Checks {@link PatchFileArgs}. */
export const PatchFileParams = AGENT_TOOLS.patch_file.parameters;

/** Checks {@link ApplyDiffArgs}. */
export const ApplyDiffParams = AGENT_TOOLS.apply_diff.parameters;

/** Checks {@link DeleteFileArgs}. */
export const DeleteFileParams = AGENT_TOOLS.delete_file.parameters;

/** Checks {@link MoveFileArgs}. */
export const MoveFileParams = AGENT_TOOLS.move_file.parameters;

/** Checks {@link RevertFileArgs}. */
export const RevertFileParams = AGENT_TOOLS.revert_file.parameters;

/** Checks {@link SearchFilesArgs}. */
export const SearchFilesParams = AGENT_TOOLS.search_files.parameters;

/** Checks {@link FindToolArgs}. */
export const FindToolParams = AGENT_TOOLS.find_tool.parameters;

/** Checks {@link FileHistoryArgs}. */
export const FileHistoryParams = AGENT_TOOLS.file_history.parameters;

/** Checks {@link QueryGraphArgs}. */
export const QueryGraphParams = AGENT_TOOLS.query_graph.parameters;

/** Checks {@link CheckToolArgs}. */
export const CheckToolParams = AGENT_TOOLS.check_tool.parameters;

/** Checks {@link TestToolArgs}. */
export const TestToolParams = AGENT_TOOLS.test_tool.parameters;

/** Checks {@link ExecToolArgs}. */
export const ExecToolParams = AGENT_TOOLS.exec_tool.parameters;

/** Checks {@link RunCodeArgs}. */
export const RunCodeParams = AGENT_TOOLS.run_code.parameters;

/** Checks {@link ExecSqlArgs}. */
export const ExecSqlParams = AGENT_TOOLS.exec_sql.parameters;

/** Checks {@link DescribeSchemaArgs}. */
export const DescribeSchemaParams = AGENT_TOOLS.describe_schema.parameters;
