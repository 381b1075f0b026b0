/** The package `@tgp/core`. */

import './agent/agent.js';

export { replayModel } from './agent/replay.js';
export {
  formatTools,
  toAnthropicTools,
  toLangChainTools,
  toOpenAIAgentsTools,
  toOpenAITools,
} from './agent_tools/provider_formats.js';
export { createShellTools } from './agent_tools/shell_tools.js';
export { createSqlTools } from './agent_tools/sql_tools.js';
export { tgpTools } from './agent_tools/tgp_tools.js';
export { handleToolCall } from './agent_tools/tool_call.js';
export { canonicalJSONStringify, sha256 } from './boundary/canonical_json.js';
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
  HaltError,
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
} from './boundary/errors.js';
export { createMemoryVFS, createNodeVFS } from './files/vfs.js';
export { approvalText } from './kernel/approvals/request_text.js';
export { defineTGPConfig, loadTGPConfig } from './kernel/config/config.js';
export {
  AgentConfigSchema,
  FSConfigSchema,
  GitConfigSchema,
  NetworkConfigSchema,
  SandboxConfigSchema,
  TGPConfigSchema,
} from './kernel/config/config_schemas.js';
export { attenuate } from './kernel/policy/kernel_policy.js';
export { TGP } from './kernel/tgp.js';
export { betterSqlite3 } from './sql/adapters/better_sqlite3.js';
export { executor } from './sql/adapters/executor.js';
export { knex } from './sql/adapters/knex.js';
export { mysql2 } from './sql/adapters/mysql2.js';
export { nodeSqlite } from './sql/adapters/node_sqlite.js';
export { pg } from './sql/adapters/pg.js';
export { postgresJs } from './sql/adapters/postgres_js.js';
export { prisma } from './sql/adapters/prisma.js';
export { sqlite } from './sql/adapters/sqlite.js';
export { drizzle } from './sql/sources.js';
export * from './tool_shape/tool_parameters.js';

export type * from './types/adapters.js';
export type * from './types/agent.js';
export type * from './types/chronicle.js';
export type * from './types/config.js';
export type * from './types/confinement.js';
export type * from './types/dry_run.js';
export type * from './types/errors.js';
export type * from './types/files.js';
export type * from './types/functions.js';
export type * from './types/graph.js';
export type * from './types/guardian.js';
export type * from './types/kernel.js';
export type * from './types/ledger.js';
export type * from './types/memory.js';
export type * from './types/network.js';
export type * from './types/policy.js';
export type * from './types/runs.js';
export type * from './types/secrets.js';
export type * from './types/shell.js';
export type * from './types/sql.js';
export type * from './types/telemetry.js';
export type * from './types/tests.js';
export type * from './types/tools.js';
