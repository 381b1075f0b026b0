/**
 * Client of the SQLite process for shared files: the addon's SQLite in a separate process, with the interface of the native
 * database. Used for a file that another copy of SQLite has open in this process.
 */

import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { BindingError, BindingOutcome } from '../../../binding.cjs';
import { programPath, startBounded } from '../../boundary/bounded_program.js';
import { guarded, ignored } from '../../boundary/guarded.js';
import type { NativeOutcome } from '../../boundary/typed_native.js';
import { FrameReader, writeFrame } from './frames.js';
import type { CallArguments, Method } from './sqlite_program.js';

/** What keeps this process alive, or does not; pipes are sockets, and have these methods. */
type Handle = { ref?(): unknown; unref?(): unknown };
type Child = ChildProcessByStdio<Writable & Handle, Readable & Handle, null>;
type PendingCall = { id: number | undefined; method: Method; settle: (outcome: BindingOutcome) => void };
/** The header of an answer; `isVoid`: the method returns no value. */
type AnswerHeader = { call: number; error?: BindingError; isVoid: boolean };

/** Enough for the largest answer. */
const MAX_MEMORY_MB = 1_024;
/** How long an idle process without connections is kept. */
const IDLE_MS = 10_000;
/** Interval of heartbeats during a transaction: they show that this process is not blocked. */
const HEARTBEAT_MS = 50;

const ENDED = {
  code: 'ERR_SQL',
  message: 'The database process for tools has ended. Nothing of this run was written. Run it again.',
  details: JSON.stringify({ reason: 'closed' }),
};

/** For a run that was committing. */
const MAYBE_COMMITTED = {
  ...ENDED,
  message:
    'The database process for tools ended during the commit; it is unknown whether this run was written. Check the data before running it again.',
};

export class SqliteProcess {
  #options;
  #onEnd;
  #running: Running | undefined;

  /**
   * @param options of the database, as JSON
   * @param onEnd called when the process and its connections have ended
   */
  constructor(options: string, onEnd: () => void) {
    this.#options = options;
    this.#onEnd = onEnd;
  }

  async connect(): Promise<NativeOutcome<number>> {
    this.#running ??= new Running(this.#options, () => {
      this.#running = undefined;
      this.#onEnd();
    });
    const outcome = await this.#running.call('connect', []);
    if (outcome.value !== undefined) this.#running?.connected(Number(outcome.value));
    return outcome;
  }

  begin(id: number, mode: string, options: string) {
    return this.#call('begin', [id, mode, options]);
  }

  query(id: number, sql: string, params: string, limits: string) {
    return this.#call('query', [id, sql, params, limits]);
  }

  savepoint(id: number, action: string, number: number) {
    return this.#call('savepoint', [id, action, number]);
  }

  commit(id: number) {
    return this.#call('commit', [id]);
  }

  rollback(id: number) {
    return this.#call('rollback', [id]);
  }

  cancel(id: number) {
    this.#call('cancel', [id]).catch(ignored);
  }

  close(id: number) {
    this.#running?.close(id);
  }

  async #call(method: Method, args: CallArguments): Promise<BindingOutcome> {
    return this.#running ? this.#running.call(method, args) : { error: ENDED };
  }
}

/** One child process, from start to end. */
class Running {
  #child: Child;
  #onEnd;
  #calls = 0;
  #pending = new Map<number, PendingCall>();
  #connections = new Set<number>();
  /** Connections with an open transaction. */
  #begun = new Set<number>();
  #beat: NodeJS.Timeout | undefined;
  #leaving: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(options: string, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#child = startBounded(process.execPath, [programPath('sql/sqlite/sqlite_program.js')], {
      memoryMb: MAX_MEMORY_MB,
    });
    const end = () => this.#end();
    const reader = new FrameReader<AnswerHeader>((header, body) => this.#answered(header, body));
    this.#child.on('error', end);
    this.#child.on('exit', end);
    this.#child.stdin.on('error', end);
    this.#child.stdout.on('error', end);
    this.#child.stdout.on(
      'data',
      guarded(end, (chunk: Buffer) => reader.push(chunk)),
    );
    writeFrame(this.#child.stdin, { method: 'open' }, options);
  }

  call(method: Method, args: CallArguments | []): Promise<BindingOutcome> {
    const [id] = args;
    clearTimeout(this.#leaving);
    return new Promise((resolve) => {
      this.#calls += 1;
      this.#pending.set(this.#calls, { id, method, settle: resolve });
      this.#hold();
      if (method === 'begin' && id !== undefined) this.#begun.add(id);
      writeFrame(this.#child.stdin, { call: this.#calls, method }, JSON.stringify(args));
    });
  }

  connected(id: number) {
    this.#connections.add(id);
  }

  /** Closes a connection. If it is busy, the whole process is killed. */
  close(id: number) {
    this.#connections.delete(id);
    this.#begun.delete(id);
    if ([...this.#pending.values()].some((call) => call.id === id && call.method !== 'cancel')) this.#end();
    else this.call('close', [id]).then(() => this.#leaveSoon(), ignored);
  }

  #leaveSoon() {
    if (this.#connections.size > 0 || this.#pending.size > 0) return;
    const leave = guarded(ignored, () => this.#end());
    this.#leaving = setTimeout(leave, IDLE_MS).unref();
  }

  #answered({ call, error, isVoid }: AnswerHeader, body: string) {
    const pending = this.#pending.get(call);
    if (!pending) return;
    this.#pending.delete(call);
    if (pending.id !== undefined && (pending.method === 'commit' || pending.method === 'rollback'))
      this.#begun.delete(pending.id);
    this.#hold();
    pending.settle(error ? { error } : isVoid ? {} : { value: body });
  }

  /** Keeps the application's process alive only while calls are pending. */
  #hold() {
    const hold = this.#pending.size > 0 ? 'ref' : 'unref';
    const handles: Handle[] = [this.#child, this.#child.stdin, this.#child.stdout];
    for (const handle of handles) handle[hold]?.();
    if (this.#begun.size > 0) {
      const beat = guarded(ignored, () => writeFrame(this.#child.stdin, { method: 'still here' }));
      this.#beat ??= setInterval(beat, HEARTBEAT_MS).unref();
    } else {
      clearInterval(this.#beat);
      this.#beat = undefined;
    }
  }

  #end() {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#leaving);
    clearInterval(this.#beat);
    this.#child.kill('SIGKILL');
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    this.#onEnd();
    for (const { method, settle } of waiting) settle({ error: method === 'commit' ? MAYBE_COMMITTED : ENDED });
  }
}
