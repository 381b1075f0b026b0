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
  CheckToolParams,
  ExecToolParams,
  GitConfigSchema,
  ListFilesParams,
  PatchFileParams,
  ReadFileParams,
  SandboxConfigSchema,
  TGPConfigSchema,
  ToolSchema,
  WriteFileParams,
} from './js/schemas.js';
export { tgpTools } from './js/tools.js';
