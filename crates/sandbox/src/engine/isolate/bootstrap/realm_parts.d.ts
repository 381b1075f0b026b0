/** What the scripts of `bootstrap/` and `lazy/` add to the realm. */

/** The seeded random source and the fixed clock, if the run has them: all or none of `now` and `start`. */
interface Repeatable extends Internal {
  nextWord: (() => number) | undefined;
  now: number | undefined;
  start: number | undefined;
}

/** How timers keep the context of asynchronous calls. */
interface AsyncContexts extends Internal {
  read: (() => unknown) | undefined;
  run: ((context: unknown, callback: TimerCallback, values: Guest[]) => void) | undefined;
}

type TimerCallback = (...values: Guest[]) => unknown;

interface BootstrapParts {
  // functions.js
  sourceText(fn: Guest): string;
  // lazy.js
  need(key: string): void;
  buildClock(): void;
  /** Of a draft: defines a global of a stage. `finish` is called when a guest first reads it. */
  give(name: string, value: unknown, finish?: () => void): void;
  repeatable: Repeatable;
  contexts: AsyncContexts;
  // host.js
  decodeAnswer(answer: string, fault?: Error): Guest;
  askNow(name: string, values: Guest[]): Guest;
  newFault(): Error;
  ask(name: string, values: Guest[], fault?: Error, finish?: (value: Guest) => unknown): Promise<Guest>;
  // modules.js
  load(path: string): LoadedModule;
  loadPackages(entry: string): void;
  isAsync(kind: number): boolean;
  outcomeOf(loaded: LoadedModule, returned: Guest, path: string, args: Guest): Guest;
  // results.js
  toJson(value: Guest, as: SerialisedAs, refuse: RefuseValue, warn: (message: string) => void): string;
  warn(message: string): void;
  most: { result: number; call: number } & Internal;
  serialise(value: Guest): string;
  // tgp.js
  tgp: object;
  offer(names: string[]): void;
  // inspect.js
  ownValue(object: Guest, name: PropertyKey): Guest;
  textOf(value: Guest, options?: Guest): string;
  formatLine(values: Guest[]): string;
  wrongType(name: string, wanted: string, value: Guest): TypeError;
  // errors.js
  brief(text: string): string;
  readText(value: Guest, key: string): string;
  errorText(error: Guest): string;
  errorTitle(error: Guest): string;
  describeError(error: Guest): string;
  hostError(code: string, message: string, fault?: Guest): Error;
  // plain.js
  unwritable(name: string): string;
  asPlain(item: Guest, type: string, report: PlainReport): Guest;
  // timers.js
  fire(id: number): void;
  startTimer(kind: string, callback: TimerCallback, delay: Guest, values: Guest[]): number;
  // dom_exception.js
  DOMException: new (
    message?: string,
    options?: Guest,
  ) => Error;
  isDOMException(value: object): boolean;
  // pair_iterator.js
  pairsLeft: Table<any>;
  newPairIterators(name: string): (pairAt: PairAt, pick: PickOfPair) => object;
  pairOf: PickOfPair;
  nameOfPair: PickOfPair;
  valueOfPair: PickOfPair;
  eachPair(input: Guest, what: string, add: AddPair): void;
  eachMember(input: Guest, add: AddPair): void;
  sortPairs(pairs: List<Pair>): List<Pair>;
  needArguments(count: number, needed: number, what: string): void;
  // events.js
  Event: new (
    type: Guest,
    init?: Guest,
  ) => object;
  EventTarget: new () => object;
  newTrustedEvent(type: string): object;
  addListener(target: object, type: string, callback: Guest): void;
  removeListener(target: object, type: string, callback: Guest): void;
  dispatch(target: object, event: object): void;
  // abort.js
  onAbort(signal: SignalObject, task: () => void): void;
  followSignal(signal: SignalObject, source: SignalObject): void;
  abortSignal(signal: SignalObject, reason?: Guest): void;
  newSignal(): SignalObject;
  isSignal(value: Guest): boolean;
  isAborted(signal: SignalObject): boolean;
  reasonOf(signal: SignalObject): Guest;
  // encoding.js
  TextDecoder: new (
    label?: string,
    options?: Guest,
  ) => DecoderObject;
  decodeWith(decoder: DecoderObject, bytes: Bytes, stream: boolean): string;
  bytesOf(value: Guest): Bytes | undefined;
  copyBytes(bytes: Bytes, from: number, to: number): Bytes;
  encodeText(text: string): Bytes;
  // url.js, url_search_params.js
  hrefOf(value: Guest): string | undefined;
  URLSearchParams: new (init?: Guest) => ParamsObject;
  attachSearchParams(params: ParamsObject, changed: (text: string) => void): void;
  replaceSearchParams(params: ParamsObject, search: string): void;
  isSearchParams(value: Guest): boolean;
  searchParamsText(params: ParamsObject): string;
  flatParams(params: ParamsObject): List<string>;
  // clone.js, crypto.js
  cloneValue(value: Guest): Guest;
  copyWith(value: Guest, seen: Map<Guest, Guest>): Guest;
  MOVES: object;
  fillRandom(bytes: Bytes, length: number): void;
  // headers.js
  Headers: new (
    init?: Guest,
  ) => HeadersObject;
  isHeaders(value: Guest): boolean;
  flatHeaders(value: Guest): string[];
  shownHeaders(headers: HeadersObject): List<string>;
  headersFrom(flat: string[]): HeadersObject;
  copyHeaders(headers: HeadersObject): HeadersObject;
  headerOf(headers: HeadersObject, name: string): string | undefined;
  setHeader(headers: HeadersObject, name: string, value: string): void;
  fixHeaders(headers: HeadersObject): HeadersObject;
  // clock.js, call_sites.js
  seedChance(seed: number): void;
  readClock(): number;
  startClock(moment: number): void;
  callHook(hook: Guest, error: Guest, sites: CallFrame[]): Guest;
}

/** What the first copy of a transfer records: marks in place of views of transferred buffers, and finished parts. */
interface Moves extends Internal {
  isMark(copy: Guest): boolean;
  viewMark(buffer: object, Type: Guest, offset: number, length: number): object;
  keep(copy: object): void;
}

/** How `asPlain` reports a value that cannot be written, or is too large. */
interface PlainReport extends Internal {
  stop(what: string): never;
  reserve(count: number, what: string): void;
}

/** The outcome of reading a stream; a reader of a guest gets it as an iterator result, with a prototype. */
interface StreamStep extends Internal {
  done: boolean;
  value: Guest;
}
type NewStep = (value: Guest, done: boolean) => StreamStep;

interface Later<T> extends Internal {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Guest): void;
}
interface Queue<T> extends Internal {
  first: number;
  end: number;
  items: Internal & { [place: number]: T };
}
/** A guest's or an internal function that returns an internal promise. */
type AsyncCallback = (value: Guest) => Promise<unknown>;

interface RealmPromises extends Internal {
  later<T>(): Later<T>;
  settled<T>(value: T): Later<T>;
  failed<T>(error: Guest): Later<T>;
  NONE: object;
  wrap(callback: Guest, self: Guest, last?: object): AsyncCallback | undefined;
  invoke(callback: AsyncCallback | undefined, value: Guest): Promise<unknown>;
  valueOf(value: Guest): Promise<unknown>;
  when<T>(promise: Promise<T>, good: (value: T) => void, bad: (error: Guest) => void): Promise<void>;
  quiet(promise: Promise<unknown>): void;
  newQueue<T>(): Queue<T>;
  put<T>(queue: Queue<T>, item: T): void;
  take<T>(queue: Queue<T>): T;
  sizeOf(queue: Queue<unknown>): number;
  peek<T>(queue: Queue<T>): T;
  nothing(): void;
}
