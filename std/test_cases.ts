/**
 * Collects and runs test cases, and reports them to the kernel.
 *
 * A test file must not be able to forge its results by changing globals or prototypes. So this module takes the functions it needs,
 * including the only one that reports results, before any other module of the run is loaded, and uses no mutable prototype. Only the
 * kernel's driver and `./test` can import it.
 */

export type Work = () => unknown;
type Mode = 'run' | 'skip' | 'todo';

/** The outcome of a case or hook. */
interface Ended {
  how: 'open' | 'done' | 'hollow' | 'threw' | 'late';
  error: unknown;
}

interface Listed<T> {
  value: T;
  next: Listed<T> | null;
}

export interface Suite {
  name: string;
  parent: Suite | null;
  mode: Mode;
  only: boolean;
  beforeAll: Listed<Work> | null;
  afterAll: Listed<Work> | null;
  beforeEach: Listed<Work> | null;
  afterEach: Listed<Work> | null;
  begun: boolean;
  failed: Ended | null;
}

export interface Case {
  name: string;
  suite: Suite;
  work: Work;
  mode: Mode;
  only: boolean;
  fails: boolean;
  ms: number;
  next: Case | null;
}

/** Callbacks around a case. */
export interface Around {
  /** Called before the hooks of a case. */
  begun(): void;
  begin(name: string): void;
  /** The number of assertions that held; for a case expected to fail, the number made. */
  end(fails: boolean): number;
  restore(): void;
  diff(error: unknown): string | undefined;
}

type Tell = (what: string, ...values: (string | number)[]) => Promise<unknown>;

const TELL = '#test';
const host = (globalThis as unknown as { tgp: Record<string, Tell | undefined> }).tgp;
const tell = host[TELL];
delete host[TELL];

const { defineProperty } = Object;
const { stringify } = JSON;
const OwnPromise = Promise;
const startTimer = setTimeout;
const stopTimer = clearTimeout;
const asText = String;
const { bind, call } = Function.prototype;
const slice: (text: string, from: number, to: number) => string = bind.call(call, String.prototype.slice) as never;

const DEFAULT_MS = 5000;
const MAX_CASES = 5000;
const MAX_NAME = 300;
const MAX_TEXT = 4000;

let around: Around | null = null;
let first: Case | null = null;
let last: Case | null = null;
let count = 0;
let isFocused = false;
let phase: 'collecting' | 'running' | 'over' = 'collecting';
let caseMs = DEFAULT_MS;
let current: Suite = suiteOf('', null, 'run', false);

function suiteOf(name: string, parent: Suite | null, mode: Mode, only: boolean): Suite {
  return {
    __proto__: null,
    name,
    parent,
    mode,
    only,
    beforeAll: null,
    afterAll: null,
    beforeEach: null,
    afterEach: null,
    begun: false,
    failed: null,
  } as Suite;
}

/** Protects a promise: `await` reads its constructor, which a test file could change on the prototype. */
function own<T>(promise: Promise<T>): Promise<T> {
  return defineProperty(promise, 'constructor', { __proto__: null, value: OwnPromise } as PropertyDescriptor);
}

function cut(text: string, most: number): string {
  return text.length > most ? slice(text, 0, most) : text;
}

function collecting(what: string): void {
  if (tell === undefined) throw new Error(`${what} is for test files: run them with test_tool or kernel.test.`);
  if (phase !== 'collecting')
    throw new Error(`${what} was called in a running test. Tests are declared before they run.`);
}

/** Registers the callbacks around every case. */
export function link(callbacks: Around): void {
  around = callbacks;
}

export function declareSuite(name: unknown, body: () => unknown, mode: Mode, only: boolean): void {
  collecting('describe');
  if (typeof body !== 'function') throw new TypeError('describe needs a name and a function.');
  const outer = current;
  if (only) isFocused = true;
  current = suiteOf(cut(asText(name), MAX_NAME), outer, mode === 'run' ? outer.mode : mode, only || outer.only);
  try {
    const returned = body();
    if (typeof returned === 'object' && returned !== null && 'then' in returned) {
      throw new TypeError('The function of describe must not be async: declare tests in it, and await in the tests.');
    }
  } finally {
    current = outer;
  }
}

export function declareCase(
  name: unknown,
  work: Work,
  options: { mode: Mode; only: boolean; fails: boolean; ms?: number },
): void {
  collecting('test');
  if (options.mode === 'run' && typeof work !== 'function') throw new TypeError('test needs a name and a function.');
  if (count === MAX_CASES) throw new RangeError(`A test file may have ${MAX_CASES} cases. Split it.`);
  let full = cut(asText(name), MAX_NAME);
  for (let suite: Suite | null = current; suite !== null; suite = suite.parent) {
    if (suite.name !== '') full = `${suite.name} > ${full}`;
  }
  const { only, fails, ms } = options;
  if (only) isFocused = true;
  const mode = options.mode === 'run' ? current.mode : options.mode;
  const declared = {
    __proto__: null,
    name: cut(full, MAX_NAME),
    suite: current,
    work,
    mode,
    only: only || current.only,
    fails,
    ms: ms ?? 0,
    next: null,
  } as Case;
  if (last === null) first = declared;
  else last.next = declared;
  last = declared;
  count += 1;
}

export function declareHook(kind: 'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach', work: Work): void {
  collecting(kind);
  if (typeof work !== 'function') throw new TypeError(`${kind} needs a function.`);
  const added = { __proto__: null, value: work, next: null } as Listed<Work>;
  let end = current[kind];
  if (end === null) {
    current[kind] = added;
    return;
  }
  while (end.next !== null) end = end.next;
  end.next = added;
}

/** Runs work with a timeout and returns its outcome. Work that times out is abandoned. */
async function attempt(work: Work, ms: number): Promise<Ended> {
  const ended = { __proto__: null, how: 'open', error: undefined } as Ended;
  let wake: () => void = () => {};
  const woken = own(
    new OwnPromise<void>((resolve) => {
      wake = resolve;
    }),
  );
  const timer = startTimer(() => {
    if (ended.how === 'open') ended.how = 'late';
    wake();
  }, ms);
  void own(
    (async () => {
      try {
        await work();
        if (ended.how === 'open') ended.how = 'done';
      } catch (error) {
        if (ended.how === 'open') {
          ended.how = 'threw';
          ended.error = error;
        }
      }
      wake();
    })(),
  );
  await woken;
  stopTimer(timer);
  return ended;
}

/** Runs all hooks of a list, until one fails. */
async function attemptAll(list: Listed<Work> | null): Promise<Ended | null> {
  for (let at = list; at !== null; at = at.next) {
    const ended = await own(attempt(at.value, caseMs));
    if (ended.how !== 'done') return ended;
  }
  return null;
}

/** Runs the beforeEach hooks of a suite and its parents, outermost first. */
async function beforeEachOf(suite: Suite): Promise<Ended | null> {
  const outer = suite.parent === null ? null : await own(beforeEachOf(suite.parent));
  return outer ?? (await own(attemptAll(suite.beforeEach)));
}

async function afterEachOf(suite: Suite): Promise<Ended | null> {
  const inner = await own(attemptAll(suite.afterEach));
  const outer = suite.parent === null ? null : await own(afterEachOf(suite.parent));
  return inner ?? outer;
}

async function beforeAllOf(suite: Suite): Promise<Ended | null> {
  const outer = suite.parent === null ? null : await own(beforeAllOf(suite.parent));
  if (outer !== null) return outer;
  if (!suite.begun) {
    suite.begun = true;
    suite.failed = await own(attemptAll(suite.beforeAll));
  }
  return suite.failed;
}

function isIn(suite: Suite, one: Case | null): boolean {
  for (let at = one === null ? null : one.suite; at !== null; at = at.parent) if (at === suite) return true;
  return false;
}

/** Runs the afterAll hooks of the suites that the next case is not in. */
async function afterAllOf(one: Case, next: Case | null): Promise<void> {
  for (let suite: Suite | null = one.suite; suite !== null; suite = suite.parent) {
    if (isIn(suite, next)) return;
    const ended = await own(attemptAll(suite.afterAll));
    if (ended !== null) await say('extra', `${suite.name === '' ? '' : `${suite.name} > `}afterAll`, ended, caseMs);
  }
}

async function runCase(one: Case): Promise<Ended> {
  const unready = await own(beforeAllOf(one.suite));
  if (unready !== null) return unready;
  let ended = await own(beforeEachOf(one.suite));
  if (ended === null) {
    const begun = around;
    let expected = 0;
    ended = await own(
      attempt(async () => {
        begun?.begin(one.name);
        const { work } = one;
        await work();
        if (begun !== null) expected = begun.end(one.fails);
      }, one.ms || caseMs),
    );
    if (one.fails) {
      if (ended.how === 'threw' && begun !== null) expected = countOf(begun);
      ended = turned(ended);
    }
    if (ended.how === 'done' && expected === 0) ended.how = 'hollow';
  }
  const after = await own(afterEachOf(one.suite));
  return (ended.how === 'done' || ended.how === 'hollow') && after !== null ? after : ended;
}

/** The number of assertions made by a case that threw. */
function countOf(begun: Around): number {
  try {
    return begun.end(true);
  } catch {
    return 0;
  }
}

/** Inverts the outcome of a case that is expected to fail. */
function turned(ended: Ended): Ended {
  if (ended.how === 'late') return ended;
  if (ended.how === 'threw') return { __proto__: null, how: 'done', error: undefined } as Ended;
  const error = new Error('The test was expected to fail, but passed.');
  return { __proto__: null, how: 'threw', error } as Ended;
}

function read(value: unknown, key: string): string {
  try {
    const text = (value as Record<string, unknown>)[key];
    return typeof text === 'string' ? cut(text, MAX_TEXT) : '';
  } catch {
    return '';
  }
}

function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null) {
    const name = read(error, 'name');
    const message = read(error, 'message');
    if (message !== '') return name === '' || name === 'AssertionError' ? message : `${name}: ${message}`;
    if (name !== '') return name;
  }
  try {
    return cut(asText(error), MAX_TEXT);
  } catch {
    return 'Something was thrown that cannot be read.';
  }
}

function diffOf(error: unknown): string {
  try {
    const diff = around?.diff(error);
    return typeof diff === 'string' ? cut(diff, MAX_TEXT) : '';
  } catch {
    return '';
  }
}

/** Reports an outcome to the kernel, with the details of a failure. */
async function say(what: 'end' | 'extra', of: string | number, ended: Ended, ms: number): Promise<void> {
  if (tell === undefined) return;
  const { how, error } = ended;
  if (how === 'done') await own(tell(what, of, 'passed', '', '', ''));
  else if (how === 'hollow') await own(tell(what, of, 'hollow', '', '', ''));
  else if (how === 'threw') await own(tell(what, of, 'failed', messageOf(error), read(error, 'stack'), diffOf(error)));
  else await own(tell(what, of, 'late', `It did not end within ${ms} ms.`, '', ''));
}

async function runAll(): Promise<void> {
  if (tell === undefined || phase !== 'collecting') throw new Error('Tests are run once, by the kernel.');
  phase = 'running';
  let plan = '';
  for (let one = first; one !== null; one = one.next) {
    if (one.mode === 'run' && isFocused && !one.only) one.mode = 'skip';
    plan += `${plan === '' ? '' : ','}[${stringify(one.name)},"${one.mode}"]`;
  }
  const limit = await own(tell('plan', `[${plan}]`));
  if (typeof limit === 'number') caseMs = limit;
  let at = 0;
  for (let one = first; one !== null; at += 1) {
    const running = one;
    one = one.next;
    if (running.mode !== 'run') continue;
    await own(tell('begin', at));
    around?.begun();
    const ended = await own(runCase(running));
    around?.restore();
    await own(say('end', at, ended, running.ms || caseMs));
    let next = one;
    while (next !== null && next.mode !== 'run') next = next.next;
    await own(afterAllOf(running, next));
  }
  phase = 'over';
  await own(tell('done'));
}

/** Entry point of the kernel's driver: runs all cases sequentially. */
export function run(): Promise<void> {
  return own(runAll());
}
