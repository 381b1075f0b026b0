/** Made by scripts/sandbox_api.mjs from sandbox/tgp.d.ts. */

/** What is on `tgp`, by name. */
export const FUNCTIONS = {
  read_file: `read_file(path: string): string;`,
  list_files: `list_files(dir: string): string[];`,
  write_file: `write_file(path: string, content: string): void;`,
  exec_tool: `exec_tool<Result = any>(path: string, args?: object): Promise<Result>;`,
  exec_sql: `exec_sql<Row = Record<string, any>>(sql: string, params?: readonly unknown[] | Record<string, unknown>): Promise<Row[]>;`,
  fetch: `fetch(url: string | URL | Request, init?: { method, headers, body, redirect, signal }): Promise<{ ok, status, statusText, headers, url, text(), json(), arrayBuffer() }>;`,
  log: `log(...values: unknown[]): void;`,
};

export const GLOBALS = `args, tgp, require, module, exports, setTimeout, setInterval, clearTimeout, clearInterval, queueMicrotask, structuredClone, btoa, atob, TextEncoder, TextDecoder, URLSearchParams, URL, DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController, URLPattern, Headers, Blob, File, FormData, Request, Response, PerformanceEntry, PerformanceMark, ReadableStreamDefaultReader, ReadableStream, WritableStreamDefaultWriter, WritableStream, TransformStream, CountQueuingStrategy, ByteLengthQueuingStrategy, TextEncoderStream, TextDecoderStream, CompressionStream, DecompressionStream`;
