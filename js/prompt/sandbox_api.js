/** Made by scripts/sandbox_api.mjs from sandbox/tgp.d.ts. */

export const DOCUMENTED_API = `declare const tgp: {
  read_file(path: string): string; // The text of a file. \`/lib/…\` is the folder of the tools, \`/tmp/…\` the run's own scratch space, a path under a folder of \`fs.allowedDirs\` is that folder, and any other relative path starts at the root.
  list_files(dir: string): string[]; // The files under a folder, as sorted paths.
  write_file(path: string, content: string): void; // Writes a file under \`/tmp/…\` or under a folder of \`fs.allowedDirs\`.
  exec_tool<Result = any>(path: string, args?: object): Promise<Result>; // Runs another tool, in the same transaction, and gives its result. Several at once: \`Promise.all\`.
  exec_sql<Row = Record<string, any>>(sql: string, params?: readonly unknown[] | Record<string, unknown>): Promise<Row[]>; // Runs one SQL statement with parameters. The run is one transaction: it is rolled back when the tool throws.
  fetch(url: string | URL, init?: TgpRequestInit): Promise<TgpResponse>; // Asks a server that \`allowedFetchUrls\` names.
  log(...values: unknown[]): void; // Writes a line to the logs of the run.
};
type TgpRequestInit = { method?: string; headers?: Record<string, string> | readonly (readonly [string, string])[]; body?: string | Uint8Array | ArrayBuffer | URLSearchParams | null; redirect?: 'follow' | 'error' | 'manual'; signal?: AbortSignal };
type TgpHeaders = { get(name: string): string | null; has(name: string): boolean; entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>; forEach(callback: (value: string, name: string) => void): void };
type TgpResponse = { readonly ok: boolean; readonly status: number; readonly statusText: string; readonly headers: TgpHeaders & { readonly [name: string]: string | undefined }; readonly url: string; text(): Promise<string>; json<Value = any>(): Promise<Value>; arrayBuffer(): Promise<ArrayBuffer> };`;

export const PLAIN_API = `declare const tgp: {
  read_file(path: string): string;
  list_files(dir: string): string[];
  write_file(path: string, content: string): void;
  exec_tool<Result = any>(path: string, args?: object): Promise<Result>;
  exec_sql<Row = Record<string, any>>(sql: string, params?: readonly unknown[] | Record<string, unknown>): Promise<Row[]>;
  fetch(url: string | URL, init?: TgpRequestInit): Promise<TgpResponse>;
  log(...values: unknown[]): void;
};
type TgpRequestInit = { method?: string; headers?: Record<string, string> | readonly (readonly [string, string])[]; body?: string | Uint8Array | ArrayBuffer | URLSearchParams | null; redirect?: 'follow' | 'error' | 'manual'; signal?: AbortSignal };
type TgpHeaders = { get(name: string): string | null; has(name: string): boolean; entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>; forEach(callback: (value: string, name: string) => void): void };
type TgpResponse = { readonly ok: boolean; readonly status: number; readonly statusText: string; readonly headers: TgpHeaders & { readonly [name: string]: string | undefined }; readonly url: string; text(): Promise<string>; json<Value = any>(): Promise<Value>; arrayBuffer(): Promise<ArrayBuffer> };`;

export const GLOBALS = `args, tgp, fetch, console, require, module, exports, setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask, structuredClone, btoa, atob, crypto, TextEncoder, TextDecoder, URLSearchParams, URL, AbortSignal, AbortController`;
