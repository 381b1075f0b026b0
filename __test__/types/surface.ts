/**
 * Compares the code in js/ with the hand-written index.d.ts: a name that only one of them has, or whose types differ, is
 * a compile error here. `tsc` sees index.js only through index.d.ts, so the implementation is imported piece by piece.
 */

import type { z } from 'zod';
import type * as declared from '../../index.js';
import * as replay from '../../js/agent/replay.js';
import * as tools from '../../js/agent_tools/kernel_tools.js';
import * as adapters from '../../js/agent_tools/provider_formats.js';
import * as shellTools from '../../js/agent_tools/shell_tools.js';
import * as sqlTools from '../../js/agent_tools/sql_tools.js';
import * as toolCall from '../../js/agent_tools/tool_call.js';
import * as errors from '../../js/boundary/errors.js';
import * as vfs from '../../js/files/vfs.js';
import * as config from '../../js/kernel/config.js';
import * as schemas from '../../js/kernel/config_schemas.js';
import * as kernelPolicy from '../../js/kernel/kernel_policy.js';
import type * as optionSchemas from '../../js/kernel/option_schemas.js';
import * as requestText from '../../js/kernel/request_text.js';
import * as kernel from '../../js/kernel/tgp.js';
import * as mcpHttp from '../../js/mcp/http.js';
import * as mcpServer from '../../js/mcp/server.js';
import * as betterSqlite3 from '../../js/sql/adapters/better_sqlite3.js';
import * as executor from '../../js/sql/adapters/executor.js';
import * as knex from '../../js/sql/adapters/knex.js';
import * as mysql2 from '../../js/sql/adapters/mysql2.js';
import * as nodeSqlite from '../../js/sql/adapters/node_sqlite.js';
import * as pg from '../../js/sql/adapters/pg.js';
import * as postgresJs from '../../js/sql/adapters/postgres_js.js';
import * as prisma from '../../js/sql/adapters/prisma.js';
import * as sqlite from '../../js/sql/adapters/sqlite.js';
import * as sqlSources from '../../js/sql/sources.js';
import type { KERNEL_TOOLS } from '../../js/tool_shape/kernel_tool_table.js';
import * as toolParameters from '../../js/tool_shape/tool_parameters.js';
import type * as declaredMcp from '../../mcp.js';

type Surface = { [Name in keyof typeof declared]: (typeof declared)[Name] };

/** Every exported schema is declared. */
const parameters: Pick<Surface, keyof typeof toolParameters> = toolParameters;

export const surface: Surface = {
  ...parameters,
  AbortedError: errors.AbortedError,
  CompilationError: errors.CompilationError,
  ConfigError: errors.ConfigError,
  FSConfigSchema: schemas.FSConfigSchema,
  FetchError: errors.FetchError,
  GitConfigSchema: schemas.GitConfigSchema,
  AgentConfigSchema: schemas.AgentConfigSchema,
  NetworkConfigSchema: schemas.NetworkConfigSchema,
  GitConflictError: errors.GitConflictError,
  DuplicateError: errors.DuplicateError,
  GitError: errors.GitError,
  InternalError: errors.InternalError,
  IoError: errors.IoError,
  IsolateCrashedError: errors.IsolateCrashedError,
  IsolateMemoryError: errors.IsolateMemoryError,
  IsolateTimeoutError: errors.IsolateTimeoutError,
  NotFoundError: errors.NotFoundError,
  ApprovalError: errors.ApprovalError,
  StateError: errors.StateError,
  DeniedError: errors.DeniedError,
  LedgerError: errors.LedgerError,
  LimitError: errors.LimitError,
  ResultError: errors.ResultError,
  SandboxConfigSchema: schemas.SandboxConfigSchema,
  SecurityViolation: errors.SecurityViolation,
  ShutdownError: errors.ShutdownError,
  SqlError: errors.SqlError,
  TGP: kernel.TGP,
  replayModel: replay.replayModel,
  TGPConfigSchema: schemas.TGPConfigSchema,
  TGPError: errors.TGPError,
  ToolError: errors.ToolError,
  ValidationError: errors.ValidationError,
  approvalText: requestText.approvalText,
  attenuate: kernelPolicy.attenuate,
  betterSqlite3: betterSqlite3.betterSqlite3,
  createShellTools: shellTools.createShellTools,
  createSqlTools: sqlTools.createSqlTools,
  createMemoryVFS: vfs.createMemoryVFS,
  createNodeVFS: vfs.createNodeVFS,
  defineTGPConfig: config.defineTGPConfig,
  drizzle: sqlSources.drizzle,
  executor: executor.executor,
  formatTools: adapters.formatTools,
  knex: knex.knex,
  handleToolCall: toolCall.handleToolCall,
  loadTGPConfig: config.loadTGPConfig,
  mysql2: mysql2.mysql2,
  nodeSqlite: nodeSqlite.nodeSqlite,
  pg: pg.pg,
  postgresJs: postgresJs.postgresJs,
  prisma: prisma.prisma,
  sqlite: sqlite.sqlite,
  tgpTools: tools.tgpTools,
  toAnthropicTools: adapters.toAnthropicTools,
  toLangChainTools: adapters.toLangChainTools,
  toOpenAIAgentsTools: adapters.toOpenAIAgentsTools,
  toOpenAITools: adapters.toOpenAITools,
};

export const mcpSurface: { [Name in keyof typeof declaredMcp]: (typeof declaredMcp)[Name] } = {
  createMcpServer: mcpServer.createMcpServer,
  serveMcp: mcpHttp.serveMcp,
};

/** The types below are written out for hover; they must stay what the code accepts, optional keys included. */
type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;
type ConfigInput = (typeof optionSchemas.ConfigInputSchema)['_input'];
type ExecOptionKeys = keyof (typeof optionSchemas.ExecOptionsSchema)['_input'];

export const configTypesAgree: Equal<Plain<declared.TGPConfigInput>, Plain<ConfigInput>> = true;
export const filledInputAgrees: Equal<keyof (typeof declared.TGPConfigSchema)['_input'], keyof ConfigInput> = true;
export const execOptionsAgree: Equal<keyof declared.ExecOptions, ExecOptionKeys> = true;
export const errorCodesAgree: Equal<declared.TGPErrorCode, keyof typeof errors.ERROR_CLASSES> = true;

type DeclaredTools = declared.TGPTools & declared.SqlTools;
type DeclaredArgs = { [Name in keyof DeclaredTools]: Parameters<DeclaredTools[Name]['execute']>[0] };

/** Every kernel tool is declared, with the arguments of its schema. */
type TableArgs = { [Name in keyof typeof KERNEL_TOOLS]: z.input<(typeof KERNEL_TOOLS)[Name]['parameters']> };
export const declaredArgs = (args: TableArgs): DeclaredArgs => args;
export const tableArgs = (args: DeclaredArgs): TableArgs => args;
