/** The object that the scripts of the realm fill, and internal values that they exchange. They have no prototype. */

/** A value of the guest: anything, with any prototype. Reading a member of it, or converting it, may run code of the guest. */
type Guest = any;
/** An object without a prototype, as a table. */
type Table<T> = { [name: string]: T };
/** Internal objects have no prototype, which is written as a member. */
interface Internal {
  __proto__?: null;
}
interface PropertyDescriptor extends Internal {}
/** A list without a prototype. */
interface List<T> extends Internal {
  [index: number]: T;
  length: number;
}

interface Pair<T = string> extends Internal {
  name: string;
  value: T;
}
/** The arguments of functions that read pairs. */
type AddPair = (name: Guest, value: Guest) => void;
type PickOfPair = (pair: Pair<Guest>) => Guest;
type PairAt = (place: number) => Pair<Guest> | undefined;

/** Parts of messages about a value that cannot be serialised. */
interface SerialisedAs extends Internal {
  root: string;
  owner: string;
  advice: string;
  most: number;
  verb: string;
  limit: string;
  less: string;
}
type RefuseValue = (message: string, isTooLong: boolean) => void;

interface LoadedModule extends Internal {
  kind: number;
  module: { exports: Guest };
  empty: object;
  completion: Guest;
}

/** A body of a request or response: text, bytes, or a stream. */
interface Body extends Internal {
  text: string | undefined;
  bytes: Bytes | undefined;
  stream: ReadableStreamObject | undefined;
  type: string | undefined;
  isShared: boolean;
  isUsed: boolean;
}

/** Objects of the realm's classes. Their state is private to the script of the class. */
type SignalObject = Guest;
type HeadersObject = Guest;
type ParamsObject = Guest;
type BlobObject = Guest;
type FormObject = Guest;
type DecoderObject = Guest;
type ReadableStreamObject = Guest;
type WritableStreamObject = Guest;

/** An internal object of texts. */
interface KeyedText extends Internal {
  [name: string]: string | null | undefined;
}
/** Scripts that are built together: `natives` are those of lazy scripts. */
interface LazyStage extends Internal {
  before: LazyStage | undefined;
  file: ((number: number) => RealmScript | undefined) | undefined;
  natives?: LazyNatives;
  globals: Table<any> | undefined;
  finishing: Table<any> | undefined;
}
interface Timer extends Internal {
  readonly callback: TimerCallback;
  readonly values: Guest[];
  readonly wait: number;
  due: number;
  readonly repeat: boolean;
  readonly context: unknown;
}

/** Functions of built-ins as they were before any guest. */
interface Primordials {
  unbind<T extends (...values: any) => any>(fn: T): (self: Guest, a?: Guest, b?: Guest) => ReturnType<T>;
  ReflectApply(fn: Guest, self: Guest, values: ArrayLike<Guest>): Guest;
  ReflectConstruct(Class: Guest, values: ArrayLike<Guest>, target?: Guest): Guest;
  ReflectOwnKeys(object: object): (string | symbol)[];
  JSONParse(text: string): Guest;
  JSONStringify(value: string | KeyedText): string;
  JSONStringify(value: Guest, replace?: (this: Guest, name: string, item: Guest) => unknown): string | undefined;
  create(prototype: Realm): Realm;
  defineProperty<T>(target: T, key: PropertyKey, descriptor: PropertyDescriptor & ThisType<any>): T;
  freeze<T>(object: T): Readonly<T>;
  getOwnPropertyDescriptor(object: Guest, key: PropertyKey): PropertyDescriptor | undefined;
  getPrototypeOf(object: Guest): object | null;
  ObjectPrototype: object;
  ErrorPrototype: object;
  toStringTag: typeof Symbol.toStringTag;
  toPrimitive: typeof Symbol.toPrimitive;
  objectKeys(object: Guest): string[];
  hasOwn(object: Guest, key: PropertyKey): boolean;
  isArray(value: Guest): value is Guest[];
  floor(number: number): number;
  imul(a: number, b: number): number;
  max(a: number, b: number): number;
  min(a: number, b: number): number;
  trunc(number: number): number;
  parseFloat(text: Guest): number;
  parseInt(text: Guest, radix?: number): number;
  iterator: typeof Symbol.iterator;
  IteratorPrototype: object;
  asyncIterator: typeof Symbol.asyncIterator;
  errorHead(this: Error): string;
  Error: ErrorConstructor;
  TypeError: TypeErrorConstructor;
  RangeError: RangeErrorConstructor;
  SyntaxError: SyntaxErrorConstructor;
  EvalError: EvalErrorConstructor;
  ReferenceError: ReferenceErrorConstructor;
  URIError: URIErrorConstructor;
  Promise: PromiseConstructor;
  Map: MapConstructor;
  Set: SetConstructor;
  WeakMap: WeakMapConstructor;
  Date: DateConstructor;
  dateNow(): number;
  RegExp: RegExpConstructor;
  ArrayBuffer: ArrayBufferConstructor;
  Uint8Array: Uint8ArrayConstructor;
  DataView: DataViewConstructor;
  Object: ObjectConstructor;
  bigintToString(value: bigint, radix?: number): string;
  mapForEach(map: Guest, each: (item: Guest, key: Guest) => void): void;
  setForEach(set: Guest, each: (item: Guest) => void): void;
  slice(text: string, from: number, to?: number): string;
  indexOf(text: string, wanted: string, from?: number): number;
  lastIndexOf(text: string, wanted: string): number;
  methods: Table<Guest>;
  views: Table<any>;
  tagged: Table<object>;
  define<T>(target: T, key: PropertyKey, value: unknown): T;
  put<T>(target: T, key: PropertyKey, value: unknown): T;
  own<T>(promise: Promise<T>): Promise<T>;
  list<T>(): List<T>;
  push<T>(list: List<T>, value: T): void;
  toArray<T>(list: List<T>): T[];
  tag(name: string, target: { prototype: object } & Internal): void;
}

/** Methods and getters of built-ins, as functions: `methods.js`. */
interface UnboundMethods {
  sort<T>(items: T[], compare: (a: T, b: T) => number): T[];
  errorToString(error: Guest): string;
  dateToISOString(date: Guest): string;
  dateGetTime(date: Guest): number;
  symbolToString(symbol: symbol): string;
  symbolFor(self: undefined, name: string): symbol;
  symbolValue(boxed: Guest): symbol;
  functionText(fn: Guest): string;
  mapGet<K, V>(map: Map<K, V>, key: K): V | undefined;
  mapSet<K, V>(map: Map<K, V>, key: K, value: V): void;
  mapSize(map: Guest): number;
  setSize(set: Guest): number;
  setAdd<V>(set: Set<V>, value: V): void;
  weakMapGet<K extends WeakKey, V>(map: WeakMap<K, V>, key: K): V | undefined;
  weakMapSet<K extends WeakKey, V>(map: WeakMap<K, V>, key: K, value: V): void;
  charCodeAt(text: string, at: number): number;
  toLowerCase(text: string): string;
  toUpperCase(text: string): string;
  toWellFormed(text: string): string;
  typedArraySet(target: Bytes, source: Bytes, at: number): void;
  typedArrayName(value: Guest): string | undefined;
  typedArrayBuffer(array: Guest): ArrayBuffer;
  typedArrayOffset(array: Guest): number;
  typedArrayBytes(array: Guest): number;
  typedArrayLength(array: Guest): number;
  bufferBytes(buffer: Guest): number;
  bufferDetached(buffer: Guest): boolean;
  bufferTransfer(buffer: Guest): ArrayBuffer;
  viewBuffer(view: Guest): ArrayBuffer;
  viewOffset(view: Guest): number;
  viewBytes(view: Guest): number;
  regexpExec(pattern: RegExp, text: string): string[] | null;
  regexpSource(pattern: Guest): string;
  regexpFlags(pattern: Guest): string;
  numberValue(boxed: Guest): number;
  stringValue(boxed: Guest): string;
  booleanValue(boxed: Guest): boolean;
  bigintValue(boxed: Guest): bigint;
}

/** The functions that the engine calls. */
interface EntryPoints {
  start(
    entry: string,
    argsJson: string,
    api: string[],
    seed: number | undefined,
    now: number | undefined,
    resultBytes: number,
    callBytes: number,
  ): Promise<string>;
  describe(error: Guest): string;
  fireTimer(id: number): void;
  provide(name: string): Guest;
  prepareStack(hook: Guest, error: Guest, sites: CallFrame[]): Guest;
  addStage(key: string, file: (number: number) => RealmScript | undefined): void;
  rehearse(): void;
}

/** V8's call site, and text, line and column in the source, if they are known. */
/** The facts of a call site, by the names of its methods. */
interface CallFacts extends Internal {
  [name: string]: Guest;
  toString: Guest;
}
type CallFrame = [
  site: Table<() => Guest>,
  text: string | undefined,
  line: number | undefined,
  column: number | undefined,
];

interface Realm extends Primordials, UnboundMethods, EntryPoints, BootstrapParts, LazyParts {}
