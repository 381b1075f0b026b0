/**
 * The error classes of the package. Every error that leaves it is one of these, and only `js/` throws them.
 *
 * The package can be loaded twice in one process (by `import` and by `require`). `instanceof` must hold across both
 * copies, so it looks for a registered symbol instead of the prototype chain.
 */

/** @typedef {import('../../index.js').TGPErrorCode} TGPErrorCode */
/** @typedef {import('../../index.js').TGPErrorOptions} TGPErrorOptions */

/** The symbol of each class. An application's subclass has none and uses the ordinary `instanceof`. */
const brands = new WeakMap();

/**
 * @param {Function} errorClass
 * @param {string} name
 */
function brand(errorClass, name) {
  const symbol = Symbol.for(`@tgp/core/error/${name}`);
  brands.set(errorClass, symbol);
  Object.defineProperty(errorClass, 'name', { value: name });
  Object.defineProperty(errorClass.prototype, symbol, { value: true });
  Object.defineProperty(errorClass.prototype, 'name', { value: name, configurable: true, writable: true });
}

export class TGPError extends Error {
  /**
   * @param {TGPErrorCode} code
   * @param {string} message
   * @param {TGPErrorOptions} [options]
   */
  constructor(code, message, options = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details ?? {};
  }

  /**
   * @override
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
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

/**
 * @template {TGPErrorCode} Code
 * @param {string} name
 * @param {Code} code
 */
function define(name, code) {
  class Defined extends TGPError {
    /**
     * @param {string} message
     * @param {TGPErrorOptions} [options]
     */
    constructor(message, options) {
      super(code, message, options);
    }
  }
  brand(Defined, name);
  return Defined;
}

/**
 * Defines an error class with a position in the TypeScript source.
 * @template {TGPErrorCode} Code
 * @param {string} name
 * @param {Code} code
 */
function definePlaced(name, code) {
  class Placed extends TGPError {
    /**
     * @param {string} message
     * @param {TGPErrorOptions} [options]
     */
    constructor(message, options) {
      super(code, message, options);
      const { line, column, stack } = this.details;
      this.line = typeof line === 'number' ? line : undefined;
      this.column = typeof column === 'number' ? column : undefined;
      // The mapped stack of the guest is the useful one, and contains no host paths.
      if (typeof stack === 'string') this.stack = stack;
    }
  }
  brand(Placed, name);
  return Placed;
}

export const ValidationError = define('ValidationError', 'ERR_VALIDATION');
export const ConfigError = define('ConfigError', 'ERR_CONFIG');
export const NotFoundError = define('NotFoundError', 'ERR_NOT_FOUND');
export const SecurityViolation = define('SecurityViolation', 'ERR_SECURITY_VIOLATION');
export const CompilationError = definePlaced('CompilationError', 'ERR_COMPILATION');
export const IsolateTimeoutError = define('IsolateTimeoutError', 'ERR_ISOLATE_TIMEOUT');
export const IsolateMemoryError = define('IsolateMemoryError', 'ERR_ISOLATE_MEMORY');
export const IsolateCrashedError = define('IsolateCrashedError', 'ERR_ISOLATE_CRASHED');
export const ToolError = definePlaced('ToolError', 'ERR_TOOL_THROWN');
export const ResultError = define('ResultError', 'ERR_RESULT');
export const LimitError = define('LimitError', 'ERR_LIMIT');
export const SqlError = define('SqlError', 'ERR_SQL');
export const FetchError = define('FetchError', 'ERR_FETCH');
export const GitError = define('GitError', 'ERR_GIT');
export const GitConflictError = define('GitConflictError', 'ERR_GIT_CONFLICT');
export const DuplicateError = define('DuplicateError', 'ERR_DUPLICATE');
export const IoError = define('IoError', 'ERR_IO');
export const AbortedError = define('AbortedError', 'ERR_ABORTED');
export const ShutdownError = define('ShutdownError', 'ERR_SHUTDOWN');
export const DeniedError = define('DeniedError', 'ERR_DENIED');
export const ApprovalError = define('ApprovalError', 'ERR_APPROVAL');
export const StateError = define('StateError', 'ERR_STATE');
export const LedgerError = define('LedgerError', 'ERR_LEDGER');
export const InternalError = define('InternalError', 'ERR_INTERNAL');

/** The class of each code. `crates/base/src/error.rs` holds the same list; a test compares the two. */
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
  ERR_LEDGER: LedgerError,
  ERR_INTERNAL: InternalError,
});

/**
 * The value of a binding's outcome. Throws its error as the class of its code.
 * @template Value
 * @param {import('./typed_native.js').Outcome<Value>} outcome
 * @param {{ cause?: unknown }} [context] error options unknown to the binding, such as an abort's reason
 * @returns {Value}
 */
export function unwrap({ error, value }, context = {}) {
  if (!error) return value === undefined ? /** @type {any} */ (value) : JSON.parse(value);
  const code = /** @type {TGPErrorCode} */ (error.code);
  const options = { ...context, details: JSON.parse(error.details) };
  const ErrorClass = Object.hasOwn(ERROR_CLASSES, code) ? ERROR_CLASSES[code] : undefined;
  throw ErrorClass ? new ErrorClass(error.message, options) : new TGPError(code, error.message, options);
}
