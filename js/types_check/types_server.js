/** The TypeScript compiler as a child process. */

import { dirname } from 'node:path';
import { startBounded } from '../boundary/bounded_program.js';
import { ByteQueue } from '../boundary/bounded_read.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { guarded } from '../boundary/guarded.js';

/** Memory and core limits of the server: types may expand without bound. */
const MAX_MEMORY_MB = 512;
const CORES = 2;
/** Maximum size of a message of the server, and of its header. */
const MAX_MESSAGE_BYTES = 16 << 20;
const MAX_HEADER_BYTES = 1 << 10;
const HEADER_END = '\r\n\r\n';

/** File operations that the server delegates instead of accessing the disk. */
const CALLBACKS = /** @type {const} */ ([
  'readFile',
  'fileExists',
  'directoryExists',
  'getAccessibleEntries',
  'realpath',
]);

/**
 * @typedef {Record<typeof CALLBACKS[number], (path: string) => unknown>} Files must not return `undefined`, or the server
 * accesses the disk
 */

/** The server did not answer in time, or ended. */
export class TypesServerFailed extends Error {}

/**
 * A client of the TypeScript compiler in a child process without disk access. The process keeps the host alive only while an answer
 * is pending, and it ends with the host, when its input closes.
 */
export class TypesServer {
  #child;
  #files;
  #received = new ByteQueue(MAX_MESSAGE_BYTES + MAX_HEADER_BYTES);
  #lastId = 0;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #alive = true;

  /**
   * @param {string} program
   * @param {string} folder its virtual working folder
   * @param {Files} files
   */
  constructor(program, folder, files) {
    this.#files = files;
    const args = ['--api', '--async', '--cwd', folder, `--callbacks=${CALLBACKS.join(',')}`];
    const env = { GOMEMLIMIT: `${MAX_MEMORY_MB - 128}MiB`, GOMAXPROCS: `${CORES}` };
    this.#child = startBounded(program, args, { memoryMb: MAX_MEMORY_MB, env });
    const end = guarded(
      () => {},
      () => this.#end(),
    );
    this.#child.on('error', end);
    this.#child.on('exit', end);
    this.#child.stdin.on('error', end);
    this.#child.stdout.on('error', end);
    this.#child.stdout.on(
      'data',
      guarded(
        () => this.stop(),
        (/** @type {Buffer} */ chunk) => this.#receive(chunk),
      ),
    );
    this.#hold('unref');
  }

  get alive() {
    return this.#alive;
  }

  /**
   * @param {string} method
   * @param {unknown} params
   * @param {number} deadlineMs
   * @returns {Promise<any>} rejects with TypesServerFailed
   */
  request(method, params, deadlineMs) {
    if (!this.#alive) return Promise.reject(new TypesServerFailed('the type checker has ended'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const late = guarded(reject, () => {
        this.#waiting.get(id)?.reject(new TypesServerFailed('the type checker did not answer in time'));
        this.stop();
      });
      const timer = setTimeout(late, deadlineMs);
      /** @template T @param {(value: T) => void} settle */
      const once = (settle) => (/** @type {T} */ value) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) this.#hold('unref');
        settle(value);
      };
      this.#waiting.set(id, { resolve: once(resolve), reject: once(reject) });
      this.#hold('ref');
      this.#send({ id, method, params });
    });
  }

  stop() {
    this.#child.kill('SIGKILL');
    this.#end();
  }

  #end() {
    this.#alive = false;
    for (const { reject } of [...this.#waiting.values()]) reject(new TypesServerFailed('the type checker has ended'));
  }

  /** @param {'ref' | 'unref'} how */
  #hold(how) {
    this.#child[how]();
    for (const pipe of [this.#child.stdin, this.#child.stdout]) /** @type {any} */ (pipe)[how]?.();
  }

  /** @param {object} message */
  #send(message) {
    if (!this.#alive) return;
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}${HEADER_END}${text}`);
  }

  /** The length of the incoming message, after its header. @type {number | undefined} */
  #length;

  /** @param {Buffer} chunk */
  #receive(chunk) {
    this.#received.push(chunk);
    for (;;) {
      if (this.#length === undefined) {
        const header = this.#received.takeUntil(HEADER_END, MAX_HEADER_BYTES);
        if (header === undefined) return;
        this.#length = Number(/content-length: *(\d+)/i.exec(header.toString('latin1'))?.[1] ?? Number.NaN);
        if (Number.isNaN(this.#length)) throw new TypesServerFailed('the type checker sent an invalid message');
      }
      const body = this.#received.take(this.#length);
      if (body === undefined) return;
      this.#length = undefined;
      this.#handle(parseForeignJson(body.toString('utf8')));
    }
  }

  /** @param {any} message */
  #handle({ id, method, params, result, error }) {
    if (method !== undefined) return this.#answer(id, method, params);
    const waiting = this.#waiting.get(id);
    if (error) waiting?.reject(new TypesServerFailed('the type checker refused the request'));
    else waiting?.resolve(result);
  }

  /**
   * @param {unknown} id
   * @param {unknown} method
   * @param {unknown} params
   */
  #answer(id, method, params) {
    const question = CALLBACKS.find((name) => name === method);
    const path = Array.isArray(params) ? params[0] : params;
    if (question === undefined || typeof path !== 'string') {
      throw new TypesServerFailed('the type checker sent an unknown request');
    }
    const result = this.#files[question](path);
    this.#send({ id, result: question === 'readFile' ? { content: result } : result });
  }
}

/**
 * The folder of the library declarations, next to the program.
 * @param {string} program
 */
export function libraryFolder(program) {
  return dirname(program).replaceAll('\\', '/');
}
