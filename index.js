import './js/agent/agent.js';

export { replayModel } from './js/agent/replay.js';
export { tgpTools } from './js/agent_tools/kernel_tools.js';
export {
  formatTools,
  toAnthropicTools,
  toLangChainTools,
  toOpenAIAgentsTools,
  toOpenAITools,
} from './js/agent_tools/provider_formats.js';
export { createShellTools } from './js/agent_tools/shell_tools.js';
export { createSqlTools } from './js/agent_tools/sql_tools.js';
export { handleToolCall } from './js/agent_tools/tool_call.js';
export {
  AbortedError,
  ApprovalError,
  CompilationError,
  ConfigError,
  DeniedError,
  DuplicateError,
  FetchError,
  GitConflictError,
  GitError,
  InternalError,
  IoError,
  IsolateCrashedError,
  IsolateMemoryError,
  IsolateTimeoutError,
  LedgerError,
  LimitError,
  NotFoundError,
  ResultError,
  SecurityViolation,
  ShutdownError,
  SqlError,
  StateError,
  TGPError,
  ToolError,
  ValidationError,
} from './js/boundary/errors.js';
export { createMemoryVFS, createNodeVFS } from './js/files/vfs.js';
export { defineTGPConfig, loadTGPConfig } from './js/kernel/config.js';
export {
  AgentConfigSchema,
  FSConfigSchema,
  GitConfigSchema,
  NetworkConfigSchema,
  SandboxConfigSchema,
  TGPConfigSchema,
} from './js/kernel/config_schemas.js';
export { attenuate } from './js/kernel/kernel_policy.js';
export { approvalText } from './js/kernel/request_text.js';
export { TGP } from './js/kernel/tgp.js';
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
export * from './js/tool_shape/tool_parameters.js';
