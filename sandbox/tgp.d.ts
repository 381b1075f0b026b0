/**
 * What a tool finds in the sandbox, beside the ECMAScript library. Everything else that Node or a browser has (process, fs,
 * Buffer, document, WebAssembly …) is not there.
 */

/** The arguments of the run, for a tool that is a script body: `return args.prices.length`. A tool with a default export gets them as its parameter. */
declare const args: any;

/** What a tool may ask of the host. */
declare const tgp: Tgp;

interface Tgp {
  /**
   * The text of a file. `/lib/…` is the folder of the tools, `/tmp/…` the run's own scratch space, a path under a folder of
   * `fs.allowedDirs` is that folder, and any other relative path starts at the root.
   */
  read_file(path: string): string;
  /** The files under a folder, as sorted paths. */
  list_files(dir: string): string[];
  /** Writes a file under `/tmp/…` or under a folder of `fs.allowedDirs`. */
  write_file(path: string, content: string): void;
  /** Runs another tool, in the same transaction, and gives its result. Several at once: `Promise.all`. */
  exec_tool<Result = any>(path: string, args?: object): Promise<Result>;
  /** Runs one SQL statement with parameters. The run is one transaction: it is rolled back when the tool throws. */
  exec_sql<Row = Record<string, any>>(
    sql: string,
    params?: readonly unknown[] | Record<string, unknown>,
  ): Promise<Row[]>;
  /** Asks a server that `allowedFetchUrls` names. */
  fetch(url: string | URL | Request, init?: TgpRequestInit): Promise<TgpResponse>;
  /** Writes a line to the logs of the run. */
  log(...values: unknown[]): void;
}

interface TgpRequestInit {
  method?: string;
  headers?: Record<string, string> | readonly (readonly [string, string])[] | Headers;
  body?: BodyInit | null;
  redirect?: 'follow' | 'error' | 'manual';
  signal?: AbortSignal;
}

interface TgpResponse extends Response {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  /** By `get`, or as a member with the name in lower case: `headers['content-type']`. */
  readonly headers: Headers & { readonly [name: string]: string | undefined };
  readonly url: string;
  text(): Promise<string>;
  json<Value = any>(): Promise<Value>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The same as `tgp.fetch`. */
declare const fetch: Tgp['fetch'];

/** Its lines come back as `logs` of the run, with their level. */
declare const console: {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  log(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  dir(value: unknown, options?: object): void;
  dirxml(...values: unknown[]): void;
  table(rows: unknown, columns?: readonly string[]): void;
  trace(...values: unknown[]): void;
  assert(condition?: unknown, ...values: unknown[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  group(...values: unknown[]): void;
  groupCollapsed(...values: unknown[]): void;
  groupEnd(): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: unknown[]): void;
  timeEnd(label?: string): void;
  clear(): void;
};

/** Where the file is. `new URL('./rates.json', import.meta.url).pathname` is a path that `tgp.read_file` takes. */
interface ImportMeta {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
}

/** Another tool, a JSON file or an allowed package, by a literal name. `import` gives it its types. */
declare function require(name: string): any;
declare const module: { exports: any };
declare const exports: any;

// As in browsers: what is passed along is the callback's business, so `new Promise((done) => setTimeout(done, ms))` is right.
declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function setInterval(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<Value>(value: Value): Value;
/** Bytes, one per character, as base64. */
declare function btoa(text: string): string;
declare function atob(base64: string): string;

declare class Crypto {
  private constructor();
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  getRandomValues<Bytes extends ArrayBufferView>(bytes: Bytes): Bytes;
  readonly subtle: SubtleCrypto;
}

declare const crypto: Crypto;

type AlgorithmName = string | { name: string; [parameter: string]: unknown };

/** Digests, and signatures with HMAC, ECDSA, Ed25519 and RSA. */
declare class SubtleCrypto {
  private constructor();
  digest(algorithm: AlgorithmName, data: BufferSource): Promise<ArrayBuffer>;
  importKey(
    format: 'raw' | 'jwk' | 'spki' | 'pkcs8',
    data: BufferSource | object,
    algorithm: AlgorithmName,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<CryptoKey>;
  exportKey(format: 'jwk', key: CryptoKey): Promise<Record<string, any>>;
  exportKey(format: 'raw' | 'spki' | 'pkcs8', key: CryptoKey): Promise<ArrayBuffer>;
  generateKey(algorithm: AlgorithmName, extractable: boolean, usages: readonly string[]): Promise<any>;
  sign(algorithm: AlgorithmName, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  verify(algorithm: AlgorithmName, key: CryptoKey, signature: BufferSource, data: BufferSource): Promise<boolean>;
}

declare class CryptoKey {
  private constructor();
  readonly type: 'secret' | 'private' | 'public';
  readonly extractable: boolean;
  readonly algorithm: { name: string; [parameter: string]: any };
  readonly usages: string[];
}

type BufferSource = ArrayBufferView | ArrayBuffer;

declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: BufferSource, options?: { stream?: boolean }): string;
}

declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, string> | Iterable<readonly [string, string]> | URLSearchParams);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  hash: string;
  host: string;
  hostname: string;
  href: string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toString(): string;
  toJSON(): string;
}

declare class DOMException extends Error {
  constructor(message?: string, name?: string | { name?: string; cause?: unknown });
  readonly code: number;
}

interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}

declare class Event {
  constructor(type: string, init?: EventInit);
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly eventPhase: number;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly defaultPrevented: boolean;
  readonly isTrusted: boolean;
  readonly timeStamp: number;
  composedPath(): EventTarget[];
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}

declare class CustomEvent<Detail = any> extends Event {
  constructor(type: string, init?: EventInit & { detail?: Detail });
  readonly detail: Detail;
}

type EventListener = ((event: any) => void) | { handleEvent(event: any): void };

declare class EventTarget {
  addEventListener(
    type: string,
    listener: EventListener | null,
    options?: boolean | { capture?: boolean; once?: boolean; passive?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: string, listener: EventListener | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}

declare class AbortSignal extends EventTarget {
  private constructor();
  static abort(reason?: unknown): AbortSignal;
  static timeout(ms: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: Event) => void) | null;
  throwIfAborted(): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare class Headers implements Iterable<[string, string]> {
  constructor(init?: Record<string, string> | Iterable<readonly [string, string]> | Headers);
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, name: string, headers: Headers) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

type BlobPart = string | BufferSource | Blob;

declare class Blob {
  constructor(parts?: Iterable<BlobPart>, options?: { type?: string; endings?: 'transparent' | 'native' });
  readonly size: number;
  readonly type: string;
  slice(start?: number, end?: number, type?: string): Blob;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

declare class File extends Blob {
  constructor(parts: Iterable<BlobPart>, name: string, options?: { type?: string; lastModified?: number });
  readonly name: string;
  readonly lastModified: number;
}

declare class FormData implements Iterable<[string, string | File]> {
  append(name: string, value: string | Blob, fileName?: string): void;
  delete(name: string): void;
  get(name: string): string | File | null;
  getAll(name: string): (string | File)[];
  has(name: string): boolean;
  set(name: string, value: string | Blob, fileName?: string): void;
  forEach(callback: (value: string | File, name: string, form: FormData) => void): void;
  entries(): IterableIterator<[string, string | File]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string | File>;
  [Symbol.iterator](): IterableIterator<[string, string | File]>;
}

type BodyInit = string | BufferSource | Blob | FormData | URLSearchParams | ReadableStream<Uint8Array>;

interface TgpBody {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly bodyUsed: boolean;
  text(): Promise<string>;
  json<Value = any>(): Promise<Value>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  blob(): Promise<Blob>;
  formData(): Promise<FormData>;
}

interface Request extends TgpBody {}
declare class Request {
  constructor(url: string | URL | Request, init?: TgpRequestInit & { duplex?: 'half' });
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: string;
  readonly signal: AbortSignal;
  clone(): Request;
}

interface Response extends TgpBody {}
declare class Response {
  constructor(
    body?: BodyInit | null,
    init?: { status?: number; statusText?: string; headers?: TgpRequestInit['headers'] },
  );
  static error(): Response;
  static json(
    data: unknown,
    init?: { status?: number; statusText?: string; headers?: TgpRequestInit['headers'] },
  ): Response;
  static redirect(url: string | URL, status?: number): Response;
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
  readonly type: string;
  clone(): Response;
}

interface QueuingStrategy<Chunk = any> {
  highWaterMark?: number;
  size?(chunk: Chunk): number;
}

declare class ReadableStreamDefaultController<Chunk = any> {
  private constructor();
  readonly desiredSize: number | null;
  enqueue(chunk: Chunk): void;
  close(): void;
  error(reason?: unknown): void;
}

declare class ReadableStreamDefaultReader<Chunk = any> {
  constructor(stream: ReadableStream<Chunk>);
  readonly closed: Promise<undefined>;
  read(): Promise<{ done: false; value: Chunk } | { done: true; value?: undefined }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

interface StreamPipeOptions {
  preventAbort?: boolean;
  preventCancel?: boolean;
  preventClose?: boolean;
  signal?: AbortSignal;
}

declare class ReadableStream<Chunk = any> implements AsyncIterable<Chunk> {
  constructor(
    source?: {
      type?: 'bytes';
      start?(controller: ReadableStreamDefaultController<Chunk>): unknown;
      pull?(controller: ReadableStreamDefaultController<Chunk>): unknown;
      cancel?(reason?: any): unknown;
    },
    strategy?: QueuingStrategy<Chunk>,
  );
  static from<Item>(items: AsyncIterable<Item> | Iterable<Item | PromiseLike<Item>>): ReadableStream<Item>;
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>;
  getReader(): ReadableStreamDefaultReader<Chunk>;
  pipeThrough<Out>(
    pair: { readable: ReadableStream<Out>; writable: WritableStream<Chunk> },
    options?: StreamPipeOptions,
  ): ReadableStream<Out>;
  pipeTo(target: WritableStream<Chunk>, options?: StreamPipeOptions): Promise<void>;
  tee(): [ReadableStream<Chunk>, ReadableStream<Chunk>];
  values(options?: { preventCancel?: boolean }): AsyncIterableIterator<Chunk>;
  [Symbol.asyncIterator](options?: { preventCancel?: boolean }): AsyncIterableIterator<Chunk>;
}

declare class WritableStreamDefaultController {
  private constructor();
  readonly signal: AbortSignal;
  error(reason?: unknown): void;
}

declare class WritableStreamDefaultWriter<Chunk = any> {
  constructor(stream: WritableStream<Chunk>);
  readonly closed: Promise<undefined>;
  readonly ready: Promise<undefined>;
  readonly desiredSize: number | null;
  write(chunk: Chunk): Promise<void>;
  close(): Promise<void>;
  abort(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

declare class WritableStream<Chunk = any> {
  constructor(
    sink?: {
      start?(controller: WritableStreamDefaultController): unknown;
      write?(chunk: Chunk, controller: WritableStreamDefaultController): unknown;
      close?(): unknown;
      abort?(reason?: any): unknown;
    },
    strategy?: QueuingStrategy<Chunk>,
  );
  readonly locked: boolean;
  abort(reason?: unknown): Promise<void>;
  close(): Promise<void>;
  getWriter(): WritableStreamDefaultWriter<Chunk>;
}

declare class TransformStreamDefaultController<Out = any> {
  private constructor();
  readonly desiredSize: number | null;
  enqueue(chunk: Out): void;
  error(reason?: unknown): void;
  terminate(): void;
}

declare class TransformStream<In = any, Out = any> {
  constructor(
    transformer?: {
      start?(controller: TransformStreamDefaultController<Out>): unknown;
      transform?(chunk: In, controller: TransformStreamDefaultController<Out>): unknown;
      flush?(controller: TransformStreamDefaultController<Out>): unknown;
      cancel?(reason?: any): unknown;
    },
    writableStrategy?: QueuingStrategy<In>,
    readableStrategy?: QueuingStrategy<Out>,
  );
  readonly readable: ReadableStream<Out>;
  readonly writable: WritableStream<In>;
}

declare class CountQueuingStrategy {
  constructor(init: { highWaterMark: number });
  readonly highWaterMark: number;
  size(): number;
}

declare class ByteLengthQueuingStrategy {
  constructor(init: { highWaterMark: number });
  readonly highWaterMark: number;
  size(chunk: { byteLength: number }): number;
}

declare class TextEncoderStream {
  readonly encoding: string;
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<string>;
}

declare class TextDecoderStream {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<BufferSource>;
}

declare class CompressionStream {
  constructor(format: 'gzip' | 'deflate' | 'deflate-raw');
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<BufferSource>;
}

declare class DecompressionStream {
  constructor(format: 'gzip' | 'deflate' | 'deflate-raw');
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<BufferSource>;
}

declare class PerformanceEntry {
  readonly name: string;
  readonly entryType: string;
  readonly startTime: number;
  readonly duration: number;
  toJSON(): any;
}

declare class PerformanceMark extends PerformanceEntry {
  constructor(name: string, options?: { startTime?: number; detail?: unknown });
  readonly detail: any;
}

declare class PerformanceMeasure extends PerformanceEntry {
  private constructor();
  readonly detail: any;
}

/** Whole milliseconds since the run began. */
declare class Performance extends EventTarget {
  private constructor();
  readonly timeOrigin: number;
  now(): number;
  mark(name: string, options?: { startTime?: number; detail?: unknown }): PerformanceMark;
  measure(
    name: string,
    start?: string | { start?: string | number; end?: string | number; duration?: number; detail?: unknown },
    end?: string,
  ): PerformanceMeasure;
  getEntries(): PerformanceEntry[];
  getEntriesByName(name: string, type?: string): PerformanceEntry[];
  getEntriesByType(type: string): PerformanceEntry[];
  clearMarks(name?: string): void;
  clearMeasures(name?: string): void;
}

declare const performance: Performance;
