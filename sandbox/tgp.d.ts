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
  fetch(url: string | URL, init?: TgpRequestInit): Promise<TgpResponse>;
  /** Writes a line to the logs of the run. */
  log(...values: unknown[]): void;
}

interface TgpRequestInit {
  method?: string;
  headers?: Record<string, string> | readonly (readonly [string, string])[];
  body?: string | Uint8Array | ArrayBuffer | URLSearchParams | null;
  redirect?: 'follow' | 'error' | 'manual';
  signal?: AbortSignal;
}

interface TgpHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
  has(name: string): boolean;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  forEach(callback: (value: string, name: string) => void): void;
}

interface TgpResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  /** By `get`, or as a member with the name in lower case: `headers['content-type']`. */
  readonly headers: TgpHeaders & { readonly [name: string]: string | undefined };
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

declare const crypto: {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  getRandomValues<Bytes extends ArrayBufferView>(bytes: Bytes): Bytes;
};

declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array<ArrayBuffer>;
}

declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  decode(bytes?: ArrayBufferView | ArrayBuffer, options?: { stream?: boolean }): string;
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

declare class AbortSignal {
  private constructor();
  static abort(reason?: unknown): AbortSignal;
  static timeout(ms: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
