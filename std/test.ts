/**
 * The vitest-like test API for tools. `tools/a/b.test.ts` tests `tools/a/b.ts`; test_tool, kernel.test and `tgp test` run it in the
 * sandbox, where host functions without a `mockHost` fake are refused.
 */

import { beginCase, diffOf, endCase } from './expect.js';
import { declareCase, declareHook, declareSuite, link, type Work } from './test_cases.js';
import { beginFakes, endFakes } from './test_host.js';

export { clearAllMocks, type Expect, expect, fn, type Mock, resetAllMocks, restoreAllMocks, spyOn } from './expect.js';
export { type Fake, type HostFakes, mockHost, setNow, setSeed } from './test_host.js';

link({
  begin: beginCase,
  end: endCase,
  diff: diffOf,
  begun: beginFakes,
  restore: endFakes,
});

/** A time limit in milliseconds. */
export type Timeout = number | { timeout?: number };

type Body = () => unknown;
type EachBody<Row> = (...row: Row extends readonly unknown[] ? Row : [Row]) => unknown;
type Each<Options extends unknown[]> = <const Row>(
  rows: readonly Row[],
) => (name: string, body: EachBody<Row>, ...options: Options) => void;

interface Declare {
  (name: string, body: Body, timeout?: Timeout): void;
  each: Each<[timeout?: Timeout]>;
}

/** Declares test cases. */
export interface Test extends Declare {
  skip: Declare;
  only: Declare;
  todo: (name: string) => void;
  /** Passes if the body fails. */
  fails: Declare;
  skipIf: (condition: unknown) => Declare;
  runIf: (condition: unknown) => Declare;
}

interface DeclareGroup {
  (name: string, body: () => void): void;
  each: Each<[]>;
}

/** Declares groups of test cases. */
export interface Describe extends DeclareGroup {
  skip: DeclareGroup;
  only: DeclareGroup;
}

interface Kind {
  mode: 'run' | 'skip' | 'todo';
  only: boolean;
  fails: boolean;
}

const RUN: Kind = { mode: 'run', only: false, fails: false };
const SKIP: Kind = { ...RUN, mode: 'skip' };
const ONLY: Kind = { ...RUN, only: true };

const show = (value: unknown): string => {
  if (typeof value === 'string') return value;
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
};

/** The title of one row: `%s` and the like are replaced by its values in order, `$key` by an object's member, `%#` by the index. */
function named(name: string, row: readonly unknown[], index: number): string {
  const rest = [...row];
  const filled = name.replace(/%([sdifjo#%])/g, (_, sign: string) => {
    if (sign === '%') return '%';
    if (sign === '#') return String(index);
    return show(rest.shift());
  });
  const [only] = row;
  if (typeof only !== 'object' || only === null) return filled;
  return filled.replace(/\$([A-Za-z_]\w*)/g, (whole, key: string) =>
    key in only ? show((only as Record<string, unknown>)[key]) : whole,
  );
}

function eachOf<Options extends unknown[]>(
  declare: (name: string, body: Body, ...options: Options) => void,
): Each<Options> {
  return (rows) =>
    (name, body, ...options) => {
      rows.forEach((row, index) => {
        const values: readonly unknown[] = Array.isArray(row) ? row : [row];
        declare(named(name, values, index), () => (body as (...row: unknown[]) => unknown)(...values), ...options);
      });
    };
}

function declaring(kind: Kind): Declare {
  const declare = (name: string, body: Body, timeout?: Timeout): void => {
    const ms = typeof timeout === 'number' ? timeout : timeout?.timeout;
    declareCase(name, body, { ...kind, ...(ms !== undefined && { ms }) });
  };
  return Object.assign(declare, { each: eachOf(declare) });
}

function grouping(kind: Kind): DeclareGroup {
  const declare = (name: string, body: () => unknown): void => declareSuite(name, body, kind.mode, kind.only);
  return Object.assign(declare, { each: eachOf(declare) });
}

/** Declares a case, which passes if its function returns, or its promise resolves. */
export const test: Test = Object.assign(declaring(RUN), {
  skip: declaring(SKIP),
  only: declaring(ONLY),
  fails: declaring({ ...RUN, fails: true }),
  todo: (name: string) => declareCase(name, () => {}, { ...RUN, mode: 'todo' }),
  skipIf: (condition: unknown) => declaring(condition ? SKIP : RUN),
  runIf: (condition: unknown) => declaring(condition ? RUN : SKIP),
});

export const it = test;

/** Declares a group of cases; groups may be nested. */
export const describe: Describe = Object.assign(grouping(RUN), { skip: grouping(SKIP), only: grouping(ONLY) });

/** Runs before the first case of the group. */
export const beforeAll = (work: Work): void => declareHook('beforeAll', work);

/** Runs after the last case of the group. */
export const afterAll = (work: Work): void => declareHook('afterAll', work);

/** Runs before each case of the group. */
export const beforeEach = (work: Work): void => declareHook('beforeEach', work);

/** Runs after each case of the group. */
export const afterEach = (work: Work): void => declareHook('afterEach', work);
