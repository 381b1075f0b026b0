/** The web platform globals of the sandbox: events, bodies and time. See also `tgp.d.ts` and `streams.d.ts`. */

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

interface URLPatternInit {
  protocol?: string;
  username?: string;
  password?: string;
  hostname?: string;
  port?: string;
  pathname?: string;
  search?: string;
  hash?: string;
  baseURL?: string;
}

interface URLPatternComponentResult {
  input: string;
  groups: Record<string, string | undefined>;
}

interface URLPatternResult {
  inputs: [string | URLPatternInit] | [string | URLPatternInit, string];
  protocol: URLPatternComponentResult;
  username: URLPatternComponentResult;
  password: URLPatternComponentResult;
  hostname: URLPatternComponentResult;
  port: URLPatternComponentResult;
  pathname: URLPatternComponentResult;
  search: URLPatternComponentResult;
  hash: URLPatternComponentResult;
}

declare class URLPattern {
  constructor(input: string | URLPatternInit, baseURL: string, options?: { ignoreCase?: boolean });
  constructor(input?: string | URLPatternInit, options?: { ignoreCase?: boolean });
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  readonly hasRegExpGroups: boolean;
  test(input?: string | URL | URLPatternInit, baseURL?: string): boolean;
  exec(input?: string | URL | URLPatternInit, baseURL?: string): URLPatternResult | null;
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

declare var performance: Performance;
