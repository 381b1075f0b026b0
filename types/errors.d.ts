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
  | 'ERR_LEDGER'
  | 'ERR_INTERNAL';

/** Details and cause of an error. */
export type TGPErrorOptions = { details?: Record<string, unknown>; cause?: unknown };

/** Base class of all errors of this package. `instanceof` also works between its ESM and its CommonJS copy. */
export declare class TGPError extends Error {
  constructor(code: TGPErrorCode, message: string, options?: TGPErrorOptions);
  /** One of a closed list; each code has its class. */
  code: TGPErrorCode;
  /** Machine-readable details. Never a host path or a secret. */
  details: Record<string, unknown>;
}

/** `ERR_VALIDATION`: an argument is wrong; `details.field` names it. Nothing was done. */
export declare class ValidationError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_CONFIG`: the configuration is wrong; `details.issues` names the keys, or `details.key` an invalid one. */
export declare class ConfigError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_NOT_FOUND`: there is no such file, or no such text in it. */
export declare class NotFoundError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/**
 * `ERR_SECURITY_VIOLATION`: a path, package, address or SQL statement that is not allowed was requested.
 * Nothing was changed.
 */
export declare class SecurityViolation extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_COMPILATION`: the tool's source is not valid TypeScript. */
export declare class CompilationError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
  /** Counted from 1, in the TypeScript source. */
  line: number | undefined;
  /** Counted from 1, in the TypeScript source. */
  column: number | undefined;
}
/** `ERR_ISOLATE_TIMEOUT`: the run reached its CPU or wall clock limit. */
export declare class IsolateTimeoutError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_ISOLATE_MEMORY`: the run reached its memory limit. */
export declare class IsolateMemoryError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_ISOLATE_CRASHED`: the worker of the run died. The next run gets a new one. */
export declare class IsolateCrashedError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_TOOL_THROWN`: the tool threw. `stack` is the tool's own, in its TypeScript source. */
export declare class ToolError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
  /** Counted from 1, in the TypeScript source. */
  line: number | undefined;
  /** Counted from 1, in the TypeScript source. */
  column: number | undefined;
}
/** `ERR_RESULT`: the result is too large or is not JSON data. */
export declare class ResultError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_LIMIT`: a limit was exceeded, such as waiting runs, host calls, or size or number of files. The message names the limit. */
export declare class LimitError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_SQL`: a statement failed. One that is refused before the database sees it is a {@link SecurityViolation}. */
export declare class SqlError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_FETCH`: a request failed. One to an address that is not allowed is a {@link SecurityViolation}. */
export declare class FetchError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_GIT`: the repository could not be read or written. */
export declare class GitError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_GIT_CONFLICT`: the same file was changed elsewhere; both versions are kept. */
export declare class GitConflictError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/**
 * `ERR_DUPLICATE`: another tool does the job already, and `reuse` is `'strict'`. `details.existing` is its path, `details.call`
 * how to call it.
 */
export declare class DuplicateError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_IO`: the file system or the platform refused. */
export declare class IoError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_ABORTED`: the caller's signal fired; `cause` is its reason. */
export declare class AbortedError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_SHUTDOWN`: the kernel has been shut down. */
export declare class ShutdownError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_DENIED`: the policy or a token does not allow the call. `details` is the {@link Verdict}. */
export declare class DeniedError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/**
 * `ERR_APPROVAL`: the call needs approval, and there was no approver, no answer, a refusal, or an approval of another call.
 * `details` is the {@link Verdict}.
 */
export declare class ApprovalError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/**
 * `ERR_STATE`: another call must come first, because the test mode requires tests first. `details`: `path`, `test`, `state`, `reason`, and
 * `mustComeFirst`, the required calls, in order.
 */
export declare class StateError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/**
 * `ERR_LEDGER`: a call that changes something could not be recorded, so it was not made; or the ledger is disabled or cannot be
 * read.
 */
export declare class LedgerError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
/** `ERR_INTERNAL`: an internal error of the kernel, caused by a defect. The application can continue. Report it as a bug. */
export declare class InternalError extends TGPError {
  constructor(message: string, options?: TGPErrorOptions);
}
