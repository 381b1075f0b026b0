export { formatTools, toAnthropicTools, toOpenAITools } from './js/adapters.js';
export { defineTGPConfig, loadTGPConfig } from './js/config.js';
export {
  AbortedError,
  CompilationError,
  ConfigError,
  FetchError,
  GitConflictError,
  GitError,
  IoError,
  IsolateCrashedError,
  IsolateMemoryError,
  IsolateTimeoutError,
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
  ExecToolParams,
  FindToolParams,
  GitConfigSchema,
  ListFilesParams,
  PatchFileParams,
  ReadFileParams,
  SandboxConfigSchema,
  SearchFilesParams,
  TGPConfigSchema,
  ToolSchema,
  WriteFileParams,
} from './js/schemas.js';
export { tgpTools } from './js/tools.js';
export { createMemoryVFS, createNodeVFS } from './js/vfs.js';
