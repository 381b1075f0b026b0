/** The TypeScript compiler as a child process. */

import { dirname } from 'node:path';
import type { Stream } from 'node:stream';
import { startBounded } from '../boundary/bounded_program.js';
import { ByteQueue } from '../boundary/bounded_read.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';
import { guarded } from '../boundary/guarded.js';

/** Memory and core limits of the server: types may expand without bound. */
const MAX_MEMORY_MB = 512;
const CORES = 2;
/** Maximum size of a message of the server, and of its header. */
const MAX_MESSAGE_BYTES = 16 << 20;
const MAX_HEADER_BYTES = 1 << 10;
const HEADER_END = '\r\n\r\n';

/** File operations that the server delegates instead of accessing the disk. */
const CALLBACKS = ['readFile', 'fileExists', 'directoryExists', 'getAccessibleEntries', 'realpath'] as const;

/** Must not return `undefined`, or the server accesses the disk. */
type Files = Record<(typeof CALLBACKS)[number], (path: string) => unknown>;

/** A pipe to the process: a socket in most cases, which can be unreferenced. */
type Pipe = Stream & { ref?: () => unknown; unref?: () => unknown };

/** A finding of the compiler. */
export type TypeScriptFinding = {
  pos: number;
  end: number;
  code: number;
  category: number;
  text: string;
  messageChain?: TypeScriptFinding[];
};

/** What the server answers to each request. Not checked, because the server is an installed program. */
type Answers = {
  initialize: unknown;
  updateSnapshot: { snapshot: number; projects: [{ id: unknown }] };
  release: unknown;
  getSyntacticDiagnostics: TypeScriptFinding[] | null;
  getSemanticDiagnostics: TypeScriptFinding[] | null;
};

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
  #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #alive = true;

  /** @param folder its virtual working folder */
  constructor(program: string, folder: string, files: Files) {
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
        (chunk: Buffer) => this.#receive(chunk),
      ),
    );
    this.#hold('unref');
  }

  get alive() {
    return this.#alive;
  }

  /** @returns rejects with TypesServerFailed */
  request<Method extends keyof Answers>(method: Method, params: unknown, deadlineMs: number): Promise<Answers[Method]> {
    if (!this.#alive) return Promise.reject(new TypesServerFailed('the type checker has ended'));
    const id = ++this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      const late = guarded(reject, () => {
        this.#waiting.get(id)?.reject(new TypesServerFailed('the type checker did not answer in time'));
        this.stop();
      });
      const timer = setTimeout(late, deadlineMs);
      const once =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          clearTimeout(timer);
          this.#waiting.delete(id);
          if (this.#waiting.size === 0) this.#hold('unref');
          settle(value);
        };
      this.#waiting.set(id, { resolve: once(resolve), reject: once(reject) });
      this.#hold('ref');
      this.#send({ id, method, params });
    });
    return answer as Promise<Answers[Method]>;
  }

  stop() {
    this.#child.kill('SIGKILL');
    this.#end();
  }

  #end() {
    this.#alive = false;
    for (const { reject } of [...this.#waiting.values()]) reject(new TypesServerFailed('the type checker has ended'));
  }

  #hold(how: 'ref' | 'unref') {
    this.#child[how]();
    const pipes: Pipe[] = [this.#child.stdin, this.#child.stdout];
    for (const pipe of pipes) pipe[how]?.();
  }

  #send(message: object) {
    if (!this.#alive) return;
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#gather();
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}${HEADER_END}${text}`);
  }

  /** Whether the messages of this turn of the event loop are gathered. */
  #isGathering = false;

  /** Sends the messages of this turn of the event loop in one write: each wakes the server. */
  #gather() {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { stdin } = this.#child;
    stdin.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      stdin.uncork();
    });
  }

  /** The length of the incoming message, after its header. */
  #length: number | undefined;

  #receive(chunk: Buffer) {
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

  /** @param message of JSON-RPC */
  #handle(message: unknown) {
    if (!isRecord(message)) throw new TypesServerFailed('the type checker sent an invalid message');
    const { id, method, params, result, error } = message;
    if (method !== undefined) return this.#answer(id, method, params);
    const waiting = this.#waiting.get(Number(id));
    if (error) waiting?.reject(new TypesServerFailed('the type checker refused the request'));
    else waiting?.resolve(result);
  }

  #answer(id: unknown, method: unknown, params: unknown) {
    const question = CALLBACKS.find((name) => name === method);
    const path = Array.isArray(params) ? params[0] : params;
    if (question === undefined || typeof path !== 'string') {
      throw new TypesServerFailed('the type checker sent an unknown request');
    }
    const result = this.#files[question](path);
    this.#send({ id, result: question === 'readFile' ? { content: result } : result });
  }
}

/** The folder of the library declarations, next to the program. */
export function libraryFolder(program: string) {
  return dirname(program).replaceAll('\\', '/');
}
