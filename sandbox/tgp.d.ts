/**
 * The globals of the sandbox beside the ECMAScript library. Other globals of Node or browsers (process, fs, Buffer, document,
 * WebAssembly …) do not exist.
 */

/** The arguments of the run, for a tool that is a script body: `return args.prices.length`. A tool with a default export gets them as its parameter. */
declare const args: any;

/** The host functions of a tool. */
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
  /** Runs another tool in the same transaction and returns its result. Use `Promise.all` for concurrent runs. */
  exec_tool<Result = any>(path: string, args?: object): Promise<Result>;
  /** Runs one SQL statement with parameters. The run is one transaction: it is rolled back when the tool throws. */
  exec_sql<Row = Record<string, any>>(
    sql: string,
    params?: readonly unknown[] | Record<string, unknown>,
  ): Promise<Row[]>;
  /** Sends a request to a server in `allowedFetchUrls`. */
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
declare var fetch: Tgp['fetch'];

/** Writes to the `logs` of the run, with a level. */
declare var console: {
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
  timeStamp(label?: string): void;
  profile(label?: string): void;
  profileEnd(label?: string): void;
  clear(): void;
};

/** The location of the file. `new URL('./rates.json', import.meta.url).pathname` is a path for `tgp.read_file`. */
interface ImportMeta {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
}

/** Loads another tool, a JSON file or an allowed package, by a literal name. The result is untyped; `import` has types. */
declare function require(name: string): any;
declare const module: { exports: any };
declare const exports: any;

// As in browsers: arguments of the callback are not checked, so `new Promise((done) => setTimeout(done, ms))` is valid.
declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function setInterval(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function clearTimeout(id: number | undefined): void;
declare function clearInterval(id: number | undefined): void;
declare function queueMicrotask(callback: () => void): void;
type Transferable = ArrayBuffer | ReadableStream | WritableStream | TransformStream;

interface StructuredSerializeOptions {
  transfer?: Iterable<Transferable>;
}

declare function structuredClone<Value>(value: Value, options?: StructuredSerializeOptions): Value;
/** Encodes a binary string (one byte per character) as base64. */
declare function btoa(text: string): string;
declare function atob(base64: string): string;

type BufferSource = ArrayBufferView | ArrayBuffer;

declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}

interface TextDecoderOptions {
  fatal?: boolean;
  ignoreBOM?: boolean;
}

interface TextDecodeOptions {
  stream?: boolean;
}

declare class TextDecoder {
  constructor(label?: string, options?: TextDecoderOptions);
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: BufferSource, options?: TextDecodeOptions): string;
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
