export {
  formatTools,
  toAnthropicTools,
  toLangChainTools,
  toOpenAIAgentsTools,
  toOpenAITools,
} from './js/adapters.js';
export { defineTGPConfig, loadTGPConfig } from './js/config.js';
export {
  AbortedError,
  CompilationError,
  ConfigError,
  FetchError,
  GitConflictError,
  GitError,
  InternalError,
  IoError,
  IsolateCrashedError,
  IsolateMemoryError,
  IsolateTimeoutError,
  LimitError,
  NotFoundError,
  ResultError,
  SecurityViolation,
  ShutdownError,
  SqlError,
  TGPError,
  ToolError,
  ValidationError,
} from './js/errors.js';
export { TGP } from './js/kernel.js';
export {
  ApplyDiffParams,
  CheckToolParams,
  DescribeSchemaParams,
  ExecSqlParams,
  ExecToolParams,
  FileHistoryParams,
  FindToolParams,
  FSConfigSchema,
  GitConfigSchema,
  ListFilesParams,
  NetworkConfigSchema,
  PatchFileParams,
  ReadFileParams,
  SandboxConfigSchema,
  SearchFilesParams,
  TGPConfigSchema,
  ToolSchema,
  WriteFileParams,
} from './js/schemas.js';
export { betterSqlite3 } from './js/sql/adapters/better_sqlite3.js';
export { executor } from './js/sql/adapters/executor.js';
export { knex } from './js/sql/adapters/knex.js';
export { mysql2 } from './js/sql/adapters/mysql2.js';
export { nodeSqlite } from './js/sql/adapters/node_sqlite.js';
export { pg } from './js/sql/adapters/pg.js';
export { postgresJs } from './js/sql/adapters/postgres_js.js';
export { prisma } from './js/sql/adapters/prisma.js';
export { sqlite } from './js/sql/adapters/sqlite.js';
export { drizzle } from './js/sql/sources.js';
export { createSqlTools } from './js/sql/tools.js';
export { handleToolCall } from './js/tool_call.js';
export { tgpTools } from './js/tools.js';
export { createMemoryVFS, createNodeVFS } from './js/vfs.js';
