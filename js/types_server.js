import { spawn } from 'node:child_process';

/** What the server may know of the host's environment: how to run, and nothing that is secret. */
const ENVIRONMENT = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'];
const HEADER_END = '\r\n\r\n';

/** The server did not answer in time, or ended. */
export class TypesServerFailed extends Error {}

/**
 * TypeScript's language server as a child process. It keeps the host alive only while an answer is awaited, and it ends
 * with the host: its input closes.
 */
export class TypesServer {
  #child;
  #received = Buffer.alloc(0);
  #lastId = 0;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #alive = true;

  /**
   * @param {string} program
   * @param {string} folder
   */
  constructor(program, folder) {
    const env = Object.fromEntries(ENVIRONMENT.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])));
    this.#child = spawn(program, ['--lsp', '--stdio'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.on('error', () => this.#end());
    this.#child.on('exit', () => this.#end());
    this.#child.stdin.on('error', () => this.#end());
    this.#child.stdout.on('data', (chunk) => this.#receive(chunk));
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
      const late = () => {
        this.#waiting.get(id)?.reject(new TypesServerFailed('the type checker did not answer in time'));
        this.stop();
      };
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

  /**
   * @param {string} method
   * @param {unknown} params
   */
  notify(method, params) {
    this.#send({ method, params });
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

  /** @param {Buffer} chunk */
  #receive(chunk) {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const header = this.#received.indexOf(HEADER_END);
      if (header === -1) return;
      const length = Number(/content-length: *(\d+)/i.exec(this.#received.subarray(0, header).toString())?.[1] ?? 0);
      const start = header + HEADER_END.length;
      if (this.#received.length < start + length) return;
      const text = this.#received.subarray(start, start + length).toString();
      this.#received = this.#received.subarray(start + length);
      this.#handle(JSON.parse(text));
    }
  }

  /** @param {any} message */
  #handle({ id, method, params, result, error }) {
    if (id !== undefined && method !== undefined) {
      // It asks for settings and registrations; there are none.
      const answer = method === 'workspace/configuration' ? params.items.map(() => null) : null;
      this.#send({ id, result: answer });
      return;
    }
    const waiting = this.#waiting.get(id);
    if (error) waiting?.reject(new TypesServerFailed(`the type checker refused: ${error.message}`));
    else waiting?.resolve(result);
  }
}
