/** Types of `expect.js`: vitest's `expect` and mock functions for tests of tools. */

export interface Matchers<Result> {
  toBe(expected: unknown): Result;
  toEqual(expected: unknown): Result;
  toStrictEqual(expected: unknown): Result;
  toMatchObject(expected: object): Result;
  toContain(item: unknown): Result;
  toContainEqual(item: unknown): Result;
  toHaveLength(length: number): Result;
  toHaveProperty(path: string | (string | number)[], value?: unknown): Result;
  toMatch(expected: string | RegExp): Result;
  toThrow(expected?: string | RegExp | Error | (new (...args: never[]) => unknown) | object): Result;
  toThrowError(expected?: string | RegExp | Error | (new (...args: never[]) => unknown) | object): Result;
  toBeCloseTo(expected: number, digits?: number): Result;
  toBeGreaterThan(expected: number | bigint): Result;
  toBeGreaterThanOrEqual(expected: number | bigint): Result;
  toBeLessThan(expected: number | bigint): Result;
  toBeLessThanOrEqual(expected: number | bigint): Result;
  toBeTruthy(): Result;
  toBeFalsy(): Result;
  toBeNull(): Result;
  toBeUndefined(): Result;
  toBeDefined(): Result;
  toBeNullable(): Result;
  toBeNaN(): Result;
  toBeTypeOf(
    expected: 'bigint' | 'boolean' | 'function' | 'number' | 'object' | 'string' | 'symbol' | 'undefined',
  ): Result;
  toBeInstanceOf(expected: abstract new (...args: never[]) => unknown): Result;
  toBeOneOf(expected: readonly unknown[] | ReadonlySet<unknown>): Result;
  toSatisfy(predicate: (value: never) => boolean, message?: string): Result;
  toHaveBeenCalled(): Result;
  toHaveBeenCalledOnce(): Result;
  toHaveBeenCalledTimes(times: number): Result;
  toHaveBeenCalledWith(...args: unknown[]): Result;
  toHaveBeenCalledExactlyOnceWith(...args: unknown[]): Result;
  toHaveBeenLastCalledWith(...args: unknown[]): Result;
  toHaveBeenNthCalledWith(call: number, ...args: unknown[]): Result;
  toHaveReturned(): Result;
  toHaveReturnedTimes(times: number): Result;
  toHaveReturnedWith(value: unknown): Result;
  toHaveLastReturnedWith(value: unknown): Result;
  toHaveNthReturnedWith(call: number, value: unknown): Result;
  toHaveResolvedWith(value: unknown): Result;
}

export interface Assertion<Result = void> extends Matchers<Result> {
  not: Matchers<Result>;
}

/** Matchers that replace a value inside an expected value. */
export interface AsymmetricMatchers {
  any(type: unknown): any;
  anything(): any;
  arrayContaining(items: readonly unknown[]): any;
  objectContaining(part: object): any;
  stringContaining(part: string): any;
  stringMatching(pattern: string | RegExp): any;
  closeTo(value: number, digits?: number): any;
}

export interface Expect extends AsymmetricMatchers {
  (
    value: unknown,
    message?: string,
  ): Assertion & {
    resolves: Assertion<Promise<void>>;
    rejects: Assertion<Promise<void>>;
  };
  not: Omit<AsymmetricMatchers, 'any' | 'anything'>;
  /** Requires this number of assertions in the test. */
  assertions(count: number): void;
  /** Requires at least one assertion in the test. */
  hasAssertions(): void;
  unreachable(message?: string): never;
  extend(matchers: Record<string, (received: never, ...expected: never[]) => unknown>): void;
}

export const expect: Expect;

/** A mock function that records its calls. */
export interface Mock<Args extends unknown[] = unknown[], Result = unknown> {
  (...args: Args): Result;
  mock: {
    calls: Args[];
    results: { type: 'return' | 'throw' | 'incomplete'; value: unknown }[];
    lastCall: Args | undefined;
  };
  mockImplementation(work: (...args: Args) => Result): this;
  mockImplementationOnce(work: (...args: Args) => Result): this;
  mockReturnValue(value: Result): this;
  mockReturnValueOnce(value: Result): this;
  mockResolvedValue(value: Awaited<Result>): this;
  mockResolvedValueOnce(value: Awaited<Result>): this;
  mockRejectedValue(error: unknown): this;
  mockRejectedValueOnce(error: unknown): this;
  mockClear(): this;
  mockReset(): this;
  mockRestore(): void;
}

export function fn<Args extends unknown[] = unknown[], Result = unknown>(
  work?: (...args: Args) => Result,
): Mock<Args, Result>;
export function spyOn<Holder extends object>(holder: Holder, name: keyof Holder & string): Mock;
export function clearAllMocks(): void;
export function resetAllMocks(): void;
export function restoreAllMocks(): void;

/** Resets the assertion counts for a new case. */
export function beginCase(name: string): void;
/** Fails if a case made another number of assertions than required. Returns how many held or, for a case expected to fail, were made. */
export function endCase(fails: boolean): number;
/** The diff of expected and actual values of an error, if it has both. */
export function diffOf(error: unknown): string | undefined;
