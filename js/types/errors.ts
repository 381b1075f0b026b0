/** All error codes. */
export type TGPErrorCode =
  | 'ERR_VALIDATION'
  | 'ERR_CONFIG'
  | 'ERR_NOT_FOUND'
  | 'ERR_SECURITY_VIOLATION'
  | 'ERR_COMPILATION'
  | 'ERR_ISOLATE_TIMEOUT'
  | 'ERR_ISOLATE_MEMORY'
  | 'ERR_ISOLATE_CRASHED'
  | 'ERR_TOOL_THROWN'
  | 'ERR_RESULT'
  | 'ERR_LIMIT'
  | 'ERR_SQL'
  | 'ERR_FETCH'
  | 'ERR_GIT'
  | 'ERR_GIT_CONFLICT'
  | 'ERR_DUPLICATE'
  | 'ERR_IO'
  | 'ERR_ABORTED'
  | 'ERR_SHUTDOWN'
  | 'ERR_DENIED'
  | 'ERR_APPROVAL'
  | 'ERR_STATE'
  | 'ERR_HALT'
  | 'ERR_LEDGER'
  | 'ERR_INTERNAL';

/** Details and cause of an error. */
export type TGPErrorOptions = { details?: Record<string, unknown>; cause?: unknown };
