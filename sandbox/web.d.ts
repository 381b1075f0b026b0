/** The web platform globals of the sandbox: events, bodies and time. See also the files beside it. */

declare class DOMException extends Error {
  constructor(message?: string, name?: string | { name?: string; cause?: unknown });
  readonly code: number;
  static readonly INDEX_SIZE_ERR: 1;
  static readonly DOMSTRING_SIZE_ERR: 2;
  static readonly HIERARCHY_REQUEST_ERR: 3;
  static readonly WRONG_DOCUMENT_ERR: 4;
  static readonly INVALID_CHARACTER_ERR: 5;
  static readonly NO_DATA_ALLOWED_ERR: 6;
  static readonly NO_MODIFICATION_ALLOWED_ERR: 7;
  static readonly NOT_FOUND_ERR: 8;
  static readonly NOT_SUPPORTED_ERR: 9;
  static readonly INUSE_ATTRIBUTE_ERR: 10;
  static readonly INVALID_STATE_ERR: 11;
  static readonly SYNTAX_ERR: 12;
  static readonly INVALID_MODIFICATION_ERR: 13;
  static readonly NAMESPACE_ERR: 14;
  static readonly INVALID_ACCESS_ERR: 15;
  static readonly VALIDATION_ERR: 16;
  static readonly TYPE_MISMATCH_ERR: 17;
  static readonly SECURITY_ERR: 18;
  static readonly NETWORK_ERR: 19;
  static readonly ABORT_ERR: 20;
  static readonly URL_MISMATCH_ERR: 21;
  static readonly QUOTA_EXCEEDED_ERR: 22;
  static readonly TIMEOUT_ERR: 23;
  static readonly INVALID_NODE_TYPE_ERR: 24;
  static readonly DATA_CLONE_ERR: 25;
  readonly INDEX_SIZE_ERR: 1;
  readonly DOMSTRING_SIZE_ERR: 2;
  readonly HIERARCHY_REQUEST_ERR: 3;
  readonly WRONG_DOCUMENT_ERR: 4;
  readonly INVALID_CHARACTER_ERR: 5;
  readonly NO_DATA_ALLOWED_ERR: 6;
  readonly NO_MODIFICATION_ALLOWED_ERR: 7;
  readonly NOT_FOUND_ERR: 8;
  readonly NOT_SUPPORTED_ERR: 9;
  readonly INUSE_ATTRIBUTE_ERR: 10;
  readonly INVALID_STATE_ERR: 11;
  readonly SYNTAX_ERR: 12;
  readonly INVALID_MODIFICATION_ERR: 13;
  readonly NAMESPACE_ERR: 14;
  readonly INVALID_ACCESS_ERR: 15;
  readonly VALIDATION_ERR: 16;
  readonly TYPE_MISMATCH_ERR: 17;
  readonly SECURITY_ERR: 18;
  readonly NETWORK_ERR: 19;
  readonly ABORT_ERR: 20;
  readonly URL_MISMATCH_ERR: 21;
  readonly QUOTA_EXCEEDED_ERR: 22;
  readonly TIMEOUT_ERR: 23;
  readonly INVALID_NODE_TYPE_ERR: 24;
  readonly DATA_CLONE_ERR: 25;
}

interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}

declare class Event {
  constructor(type: string, init?: EventInit);
  static readonly NONE: 0;
  static readonly CAPTURING_PHASE: 1;
  static readonly AT_TARGET: 2;
  static readonly BUBBLING_PHASE: 3;
  readonly NONE: 0;
  readonly CAPTURING_PHASE: 1;
  readonly AT_TARGET: 2;
  readonly BUBBLING_PHASE: 3;
  returnValue: boolean;
  cancelBubble: boolean;
  readonly type: string;
  readonly target: EventTarget | null;
  readonly srcElement: EventTarget | null;
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
  initEvent(type: string, bubbles?: boolean, cancelable?: boolean): void;
}

interface CustomEventInit<Detail = any> extends EventInit {
  detail?: Detail;
}

declare class CustomEvent<Detail = any> extends Event {
  constructor(type: string, init?: CustomEventInit<Detail>);
  readonly detail: Detail;
}

interface EventListenerObject {
  handleEvent(event: any): void;
}
type EventListener = ((event: any) => void) | EventListenerObject;
type EventListenerOrEventListenerObject = EventListener;

interface EventListenerOptions {
  capture?: boolean;
}

interface AddEventListenerOptions extends EventListenerOptions {
  once?: boolean;
  passive?: boolean;
  signal?: AbortSignal;
}

declare class EventTarget {
  addEventListener(type: string, listener: EventListener | null, options?: boolean | AddEventListenerOptions): void;
  removeEventListener(type: string, listener: EventListener | null, options?: boolean | EventListenerOptions): void;
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

type URLPatternInput = string | URLPatternInit;

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
  static compareComponent(component: keyof URLPatternInit, left: URLPattern, right: URLPattern): number;
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

type HeadersInit = Record<string, string> | Iterable<readonly [string, string]> | Headers;

declare class Headers implements Iterable<[string, string]> {
  constructor(init?: HeadersInit);
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

interface BlobPropertyBag {
  type?: string;
  endings?: 'transparent' | 'native';
}

interface FilePropertyBag extends BlobPropertyBag {
  lastModified?: number;
}

declare class Blob {
  constructor(parts?: Iterable<BlobPart>, options?: BlobPropertyBag);
  readonly size: number;
  readonly type: string;
  slice(start?: number, end?: number, type?: string): Blob;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

declare class File extends Blob {
  constructor(parts: Iterable<BlobPart>, name: string, options?: FilePropertyBag);
  readonly name: string;
  readonly lastModified: number;
  readonly webkitRelativePath: string;
}

type FormDataEntryValue = string | File;

declare class FormData implements Iterable<[string, FormDataEntryValue]> {
  append(name: string, value: string | Blob, fileName?: string): void;
  delete(name: string): void;
  get(name: string): FormDataEntryValue | null;
  getAll(name: string): FormDataEntryValue[];
  has(name: string): boolean;
  set(name: string, value: string | Blob, fileName?: string): void;
  forEach(callback: (value: FormDataEntryValue, name: string, form: FormData) => void): void;
  entries(): IterableIterator<[string, FormDataEntryValue]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<FormDataEntryValue>;
  [Symbol.iterator](): IterableIterator<[string, FormDataEntryValue]>;
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

interface RequestInit extends TgpRequestInit {
  duplex?: 'half';
}
type RequestInfo = string | Request;
type RequestRedirect = 'follow' | 'error' | 'manual';

interface Request extends TgpBody {}
declare class Request {
  constructor(url: string | URL | Request, init?: RequestInit);
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: string;
  readonly signal: AbortSignal;
  readonly cache: string;
  readonly credentials: string;
  readonly destination: string;
  readonly duplex: 'half';
  readonly integrity: string;
  readonly keepalive: boolean;
  readonly mode: string;
  readonly referrer: string;
  readonly referrerPolicy: string;
  clone(): Request;
}

interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersInit;
}

interface Response extends TgpBody {}
declare class Response {
  constructor(body?: BodyInit | null, init?: ResponseInit);
  static error(): Response;
  static json(data: unknown, init?: ResponseInit): Response;
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

interface PerformanceMarkOptions {
  startTime?: number;
  detail?: unknown;
}

interface PerformanceMeasureOptions {
  start?: string | number;
  end?: string | number;
  duration?: number;
  detail?: unknown;
}

declare class PerformanceMark extends PerformanceEntry {
  constructor(name: string, options?: PerformanceMarkOptions);
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
  mark(name: string, options?: PerformanceMarkOptions): PerformanceMark;
  measure(name: string, start?: string | PerformanceMeasureOptions, end?: string): PerformanceMeasure;
  getEntries(): PerformanceEntry[];
  getEntriesByName(name: string, type?: string): PerformanceEntry[];
  getEntriesByType(type: string): PerformanceEntry[];
  clearMarks(name?: string): void;
  clearMeasures(name?: string): void;
  toJSON(): any;
}

declare var performance: Performance;
