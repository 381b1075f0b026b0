import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { ERROR_CLASSES } from '../dist/boundary/errors.js';
import { unwrap } from '../dist/boundary/unwrap.js';
import * as tgp from '../index.js';

const NAMES = {
  ERR_VALIDATION: 'ValidationError',
  ERR_CONFIG: 'ConfigError',
  ERR_NOT_FOUND: 'NotFoundError',
  ERR_SECURITY_VIOLATION: 'SecurityViolation',
  ERR_COMPILATION: 'CompilationError',
  ERR_ISOLATE_TIMEOUT: 'IsolateTimeoutError',
  ERR_ISOLATE_MEMORY: 'IsolateMemoryError',
  ERR_ISOLATE_CRASHED: 'IsolateCrashedError',
  ERR_TOOL_THROWN: 'ToolError',
  ERR_RESULT: 'ResultError',
  ERR_LIMIT: 'LimitError',
  ERR_SQL: 'SqlError',
  ERR_FETCH: 'FetchError',
  ERR_GIT: 'GitError',
  ERR_GIT_CONFLICT: 'GitConflictError',
  ERR_DUPLICATE: 'DuplicateError',
  ERR_IO: 'IoError',
  ERR_ABORTED: 'AbortedError',
  ERR_SHUTDOWN: 'ShutdownError',
  ERR_DENIED: 'DeniedError',
  ERR_APPROVAL: 'ApprovalError',
  ERR_STATE: 'StateError',
  ERR_HALT: 'HaltError',
  ERR_LEDGER: 'LedgerError',
  ERR_INTERNAL: 'InternalError',
};

/**
 * @param {string} code
 * @param {object} [details]
 */
function failure(code, details = {}) {
  try {
    unwrap({ error: { code, message: 'It failed.', details: JSON.stringify(details) } });
  } catch (error) {
    return /** @type {any} */ (error);
  }
  throw new Error('nothing was thrown');
}

describe('unwrap', () => {
  test('returns the value', () => {
    expect(unwrap({ value: '{"a":[1]}' })).toEqual({ a: [1] });
    expect(unwrap({ value: 'null' })).toBe(null);
    expect(unwrap({})).toBe(undefined);
  });

  test.each(Object.entries(NAMES))('%s is thrown as %s', (code, name) => {
    const error = failure(code, { fact: 1 });
    expect(error).toBeInstanceOf(/** @type {any} */ (tgp)[name]);
    expect(error).toBeInstanceOf(tgp.TGPError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name, code, message: 'It failed.', details: { fact: 1 } });
    expect(String(error)).toBe(`${name}: It failed.`);
  });

  test('an unknown code is still a TGPError', () => {
    const error = failure('ERR_FROM_THE_FUTURE');
    expect(error).toBeInstanceOf(tgp.TGPError);
    expect(error.code).toBe('ERR_FROM_THE_FUTURE');
    expect(failure('constructor')).toBeInstanceOf(tgp.TGPError);
  });

  test('the position and the mapped stack of guest code become properties', () => {
    const stack = 'TypeError: no\n    at f (tools/a.ts:3:7)';
    expect(failure('ERR_TOOL_THROWN', { line: 3, column: 7, stack })).toMatchObject({ line: 3, column: 7, stack });
    expect(failure('ERR_COMPILATION', { line: 2, column: 1 })).toMatchObject({ line: 2, column: 1 });
    expect(failure('ERR_COMPILATION').line).toBe(undefined);
  });

  test('the cause that the caller passes is kept', () => {
    const reason = new Error('changed my mind');
    const outcome = { error: { code: 'ERR_ABORTED', message: 'Aborted.', details: '{}' } };
    expect(() => unwrap(outcome, { cause: reason })).toThrow(expect.objectContaining({ cause: reason }));
    expect('cause' in failure('ERR_ABORTED')).toBe(false);
  });
});

describe('instanceof', () => {
  test('distinguishes the classes', () => {
    const error = failure('ERR_SQL');
    expect(error instanceof tgp.SqlError).toBe(true);
    expect(error instanceof tgp.FetchError).toBe(false);
    for (const other of [null, undefined, 1, 'ERR_SQL', {}, new Error('x')]) {
      expect(/** @type {any} */ (other) instanceof tgp.TGPError).toBe(false);
    }
  });

  test('holds for errors of another copy of the package', async () => {
    const specifier = '../js/boundary/errors.js?another-copy';
    const copy = await import(specifier);
    expect(copy.ToolError).not.toBe(tgp.ToolError);
    const error = new copy.ToolError('elsewhere');
    expect(error instanceof tgp.ToolError).toBe(true);
    expect(error instanceof tgp.TGPError).toBe(true);
    expect(error instanceof tgp.SqlError).toBe(false);
  });

  test('works for subclasses of an application', () => {
    class Mine extends tgp.ToolError {}
    expect(new tgp.ToolError('not mine') instanceof Mine).toBe(false);
    expect(new Mine('mine') instanceof Mine).toBe(true);
    expect(new Mine('mine') instanceof tgp.ToolError).toBe(true);
  });
});

describe('the list of codes', () => {
  test('has a class for each code', () => {
    expect(Object.keys(ERROR_CLASSES)).toEqual(Object.keys(NAMES));
  });

  test('is the same in Rust', () => {
    const { errorCodes } = createRequire(import.meta.url)('../binding.cjs');
    expect(errorCodes().toSorted()).toEqual(Object.keys(ERROR_CLASSES).toSorted());
  });
});
