/** The web platform globals of the sandbox: events, bodies, streams and time. See also `tgp.d.ts`. */

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
