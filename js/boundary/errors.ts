/**
 * The error classes of the package. Every error that leaves it is one of these, and only `js/` throws them.
 *
 * The package can be loaded twice in one process (by `import` and by `require`). `instanceof` must hold across both
 * copies, so it looks for a registered symbol instead of the prototype chain.
 */

import type { TGPErrorCode, TGPErrorOptions } from '../types/errors.js';

type ErrorClass = abstract new (...args: never) => Error;

/** The symbol of each class. An application's subclass has none and uses the ordinary `instanceof`. */
const brands = new WeakMap<ErrorClass, symbol>();

function brand(errorClass: ErrorClass, name: string) {
  const symbol = Symbol.for(`@tgp/core/error/${name}`);
  brands.set(errorClass, symbol);
  Object.defineProperty(errorClass, 'name', { value: name });
  Object.defineProperty(errorClass.prototype, symbol, { value: true });
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true });
}

/** Base class of all errors of this package. `instanceof` also works between its ESM and its CommonJS copy. */
export class TGPError extends Error {
  /** One of a closed list; each code has its class. */
  declare code: TGPErrorCode;
  /** Machine-readable details. Never a host path or a secret. */
  declare details: Record<string, unknown>;

  constructor(code: TGPErrorCode, message: string, options: TGPErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details ?? {};
  }

  /** Whether a value is an error of this class, of either copy of the package. */
  static override [Symbol.hasInstance](value: unknown) {
    const symbol = brands.get(this);
    if (symbol === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
    try {
      return typeof value === 'object' && value !== null && symbol in value;
    } catch {
      // A proxy that throws is not one of our errors.
      return false;
    }
  }
}
brand(TGPError, 'TGPError');

/** Sets the position and the stack of an error from its details. */
function place(error: CompilationError | ToolError) {
  const { line, column, stack } = error.details;
  error.line = typeof line === 'number' ? line : undefined;
  error.column = typeof column === 'number' ? column : undefined;
  // The mapped stack of the guest is the useful one, and contains no host paths.
  if (typeof stack === 'string') error.stack = stack;
}

/** `ERR_VALIDATION`: an argument is wrong; `details.field` names it. Nothing was done. */
export class ValidationError extends TGPError {
  static {
    brand(this, 'ValidationError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_VALIDATION', message, options);
  }
}

/** `ERR_CONFIG`: the configuration is wrong; `details.issues` names the keys, or `details.key` an invalid one. */
export class ConfigError extends TGPError {
  static {
    brand(this, 'ConfigError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_CONFIG', message, options);
  }
}

/** `ERR_NOT_FOUND`: there is no such file, or no such text in it. */
export class NotFoundError extends TGPError {
  static {
    brand(this, 'NotFoundError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_NOT_FOUND', message, options);
  }
}

/**
 * `ERR_SECURITY_VIOLATION`: a path, package, address or SQL statement that is not allowed was requested.
 * Nothing was changed.
 */
export class SecurityViolation extends TGPError {
  static {
    brand(this, 'SecurityViolation');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_SECURITY_VIOLATION', message, options);
  }
}

/** `ERR_COMPILATION`: the tool's source is not valid TypeScript. */
export class CompilationError extends TGPError {
  /** Counted from 1, in the TypeScript source. */
  declare line: number | undefined;
  /** Counted from 1, in the TypeScript source. */
  declare column: number | undefined;

  static {
    brand(this, 'CompilationError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_COMPILATION', message, options);
    place(this);
  }
}

/** `ERR_ISOLATE_TIMEOUT`: the run reached its CPU or wall clock limit. */
export class IsolateTimeoutError extends TGPError {
  static {
    brand(this, 'IsolateTimeoutError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_ISOLATE_TIMEOUT', message, options);
  }
}

/** `ERR_ISOLATE_MEMORY`: the run reached its memory limit. */
export class IsolateMemoryError extends TGPError {
  static {
    brand(this, 'IsolateMemoryError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_ISOLATE_MEMORY', message, options);
  }
}

/** `ERR_ISOLATE_CRASHED`: the worker of the run died. The next run gets a new one. */
export class IsolateCrashedError extends TGPError {
  static {
    brand(this, 'IsolateCrashedError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_ISOLATE_CRASHED', message, options);
  }
}

/** `ERR_TOOL_THROWN`: the tool threw. `stack` is the tool's own, in its TypeScript source. */
export class ToolError extends TGPError {
  /** Counted from 1, in the TypeScript source. */
  declare line: number | undefined;
  /** Counted from 1, in the TypeScript source. */
  declare column: number | undefined;

  static {
    brand(this, 'ToolError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_TOOL_THROWN', message, options);
    place(this);
  }
}

/** `ERR_RESULT`: the result is too large or is not JSON data. */
export class ResultError extends TGPError {
  static {
    brand(this, 'ResultError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_RESULT', message, options);
  }
}

/** `ERR_LIMIT`: a limit was exceeded, such as waiting runs, host calls, or size or number of files. The message names the limit. */
export class LimitError extends TGPError {
  static {
    brand(this, 'LimitError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_LIMIT', message, options);
  }
}

/** `ERR_SQL`: a statement failed. One that is refused before the database sees it is a {@link SecurityViolation}. */
export class SqlError extends TGPError {
  static {
    brand(this, 'SqlError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_SQL', message, options);
  }
}

/** `ERR_FETCH`: a request failed. One to an address that is not allowed is a {@link SecurityViolation}. */
export class FetchError extends TGPError {
  static {
    brand(this, 'FetchError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_FETCH', message, options);
  }
}

/** `ERR_GIT`: the repository could not be read or written. */
export class GitError extends TGPError {
  static {
    brand(this, 'GitError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_GIT', message, options);
  }
}

/** `ERR_GIT_CONFLICT`: the same file was changed elsewhere; both versions are kept. */
export class GitConflictError extends TGPError {
  static {
    brand(this, 'GitConflictError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_GIT_CONFLICT', message, options);
  }
}

/**
 * `ERR_DUPLICATE`: another tool does the job already, and `reuse` is `'strict'`. `details.existing` is its path, `details.call`
 * how to call it.
 */
export class DuplicateError extends TGPError {
  static {
    brand(this, 'DuplicateError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_DUPLICATE', message, options);
  }
}

/** `ERR_IO`: the file system or the platform refused. */
export class IoError extends TGPError {
  static {
    brand(this, 'IoError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_IO', message, options);
  }
}

/** `ERR_ABORTED`: the caller's signal fired; `cause` is its reason. */
export class AbortedError extends TGPError {
  static {
    brand(this, 'AbortedError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_ABORTED', message, options);
  }
}

/** `ERR_SHUTDOWN`: the kernel has been shut down. */
export class ShutdownError extends TGPError {
  static {
    brand(this, 'ShutdownError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_SHUTDOWN', message, options);
  }
}

/** `ERR_DENIED`: the policy or a token does not allow the call. `details` is the {@link Verdict}. */
export class DeniedError extends TGPError {
  static {
    brand(this, 'DeniedError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_DENIED', message, options);
  }
}

/**
 * `ERR_APPROVAL`: the call needs approval, and there was no approver, no answer, a refusal, or an approval of another call.
 * `details` is the {@link Verdict}.
 */
export class ApprovalError extends TGPError {
  static {
    brand(this, 'ApprovalError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_APPROVAL', message, options);
  }
}

/**
 * `ERR_STATE`: another call must come first, because the test mode requires tests first. `details`: `path`, `test`, `state`,
 * `reason`, and
 * `mustComeFirst`, the required calls, in order.
 */
export class StateError extends TGPError {
  static {
    brand(this, 'StateError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_STATE', message, options);
  }
}

/**
 * `ERR_HALT`: the records of the workspace contradict each other, or an invariant does not hold, so only reading is allowed.
 * `details.code` is `EHALT`; `details.subject` is the file or the invariant. An assertion that does not hold has `invariant`,
 * `expected` and `actual` in `details`.
 */
export class HaltError extends TGPError {
  static {
    brand(this, 'HaltError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_HALT', message, options);
  }
}

/**
 * `ERR_LEDGER`: a call that changes something could not be recorded, so it was not made; or the ledger is disabled or cannot be
 * read.
 */
export class LedgerError extends TGPError {
  static {
    brand(this, 'LedgerError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_LEDGER', message, options);
  }
}

/** `ERR_INTERNAL`: an internal error of the kernel, caused by a defect. The application can continue. Report it as a bug. */
export class InternalError extends TGPError {
  static {
    brand(this, 'InternalError');
  }

  constructor(message: string, options?: TGPErrorOptions) {
    super('ERR_INTERNAL', message, options);
  }
}

/** The class of each code. `crates/base/src/error.rs` holds the same list; a test compares the two. @internal */
export const ERROR_CLASSES = Object.freeze({
  ERR_VALIDATION: ValidationError,
  ERR_CONFIG: ConfigError,
  ERR_NOT_FOUND: NotFoundError,
  ERR_SECURITY_VIOLATION: SecurityViolation,
  ERR_COMPILATION: CompilationError,
  ERR_ISOLATE_TIMEOUT: IsolateTimeoutError,
  ERR_ISOLATE_MEMORY: IsolateMemoryError,
  ERR_ISOLATE_CRASHED: IsolateCrashedError,
  ERR_TOOL_THROWN: ToolError,
  ERR_RESULT: ResultError,
  ERR_LIMIT: LimitError,
  ERR_SQL: SqlError,
  ERR_FETCH: FetchError,
  ERR_GIT: GitError,
  ERR_GIT_CONFLICT: GitConflictError,
  ERR_DUPLICATE: DuplicateError,
  ERR_IO: IoError,
  ERR_ABORTED: AbortedError,
  ERR_SHUTDOWN: ShutdownError,
  ERR_DENIED: DeniedError,
  ERR_APPROVAL: ApprovalError,
  ERR_STATE: StateError,
  ERR_HALT: HaltError,
  ERR_LEDGER: LedgerError,
  ERR_INTERNAL: InternalError,
});
