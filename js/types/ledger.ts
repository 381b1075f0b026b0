/** The ledger: events, queries and verification. */

import type { LedgerError } from '../boundary/errors.js';
import type { CallEffect } from './policy.js';

/**
 * The type of an event. `CALL`: a call was requested; for a change it is written to disk before the change. `RESULT`: the outcome
 * of a call. `COMMIT`: a commit, with `call`, `session` and `actor` of the call that made it. `SESSION`: a process opened or closed
 * the ledger, or an agent got a task, made a turn or ended. `APPLICATION`: an event of the application. `RETENTION`: old events
 * were deleted, signed. The other types belong to rules, approvals, tests and the guardian.
 */
export type LedgerEventType =
  | 'CALL'
  | 'RESULT'
  | 'DENIED'
  | 'APPROVAL'
  | 'POLICY'
  | 'STATE'
  | 'SESSION'
  | 'COMMIT'
  | 'HALT'
  | 'RECONCILIATION'
  | 'VALVE_PERSONA_TRIGGER'
  | 'APPLICATION'
  | 'RETENTION';

/** What a call does: reads or writes files, runs code or a program, uses the database, the network or the application. */
export type LedgerEffect = CallEffect;

/**
 * The caller. `agent` is `'application'` (your own `kernel.exec`), `'agent'` (`tgpTools`, forged tools), `'mcp'`, `'cli'`, `'tool'`
 * for calls of a running tool, or `'kernel'` for internal calls; `id` identifies it, for a tool by its path.
 */
export type LedgerActor = { agent: string; id: string };

/**
 * A value of more than 4 KiB, which is stored outside its event: its hash, size and beginning. {@link KernelLedger.blob}
 * returns all of it, as it was (`'text'`) or as canonical JSON, unless it was larger than `ledger.blobBytes` (`kept: false`).
 */
export type LedgerBlob = { $blob: string; bytes: number; form: 'text' | 'json'; preview: string; kept?: false };

/**
 * An event of the ledger.
 *
 * @example
 * {
 *   seq: 12, type: 'CALL', ts: '2026-11-16T16:24:04.123Z', session: 'order-77', actor: { agent: 'agent', id: 'gpt' },
 *   call: '1a2b3c4d5e6f-17', tool: 'exec_tool', path: 'tools/reports/revenue.ts', effect: 'run', args: { year: 2026 },
 *   id: '9f1c…', prev: '03ab…', hash: '77de…',
 * }
 */
export type LedgerEvent = {
  /** Its position, from 1 on, without gaps. */
  seq: number;
  /** SHA-256 of its content as canonical JSON (RFC 8785): everything but `seq`, `id`, `prev` and `hash`. */
  id: string;
  type: LedgerEventType;
  /** Time in UTC with milliseconds. */
  ts: string;
  /** As it was given to `tgpTools(kernel, { session })`, its first 200 characters. */
  session?: string;
  actor: LedgerActor;
  /** The call of the event. */
  call?: string;
  /** The parent call: the run whose tool made this call. */
  parent?: string;
  /** The kernel tool, the forged tool's name, or the function that a tool called. */
  tool?: string;
  /** The file that it is about, relative to the root, in its shortest form: `tools/a.ts` for `./tools//a.ts`. */
  path?: string;
  effect?: LedgerEffect;
  /** For a `CALL` that is a dry run, which changes nothing. */
  dryRun?: true;
  /** The arguments; secrets are masked, large values are a {@link LedgerBlob}. */
  args?: any;
  /** Of a `RESULT`: whether it succeeded. */
  ok?: boolean;
  /** Of a `RESULT`: how long it took. */
  ms?: number;
  /** For a `RESULT`: the result, masked and bounded like `args`. */
  result?: any;
  /** Of a `RESULT` that failed: the code of the error. */
  code?: string;
  /** Of a `RESULT` that failed. */
  message?: string;
  /** The `hash` of the event before; 64 zeros for the first one. */
  prev: string;
  /** SHA-256 over `prev`, `seq` and `id`. */
  hash: string;
  /** Other members of events of this type. */
  [body: string]: any;
};

/** An event of the application's own: any JSON object. The ledger adds position, time and hashes itself. */
export type NewLedgerEvent = {
  /** Default: `'APPLICATION'`. */
  type?: 'APPLICATION';
  session?: string;
  /** Default: the application. */
  actor?: LedgerActor;
  /** The file that it is about: {@link KernelLedger.chronicle} of that file has it. */
  path?: string;
  [body: string]: unknown;
};

/** A filter for events: all members must match. */
export type LedgerFilter = {
  session?: string;
  path?: string;
  tool?: string;
  type?: LedgerEventType;
  /** Events of this call; {@link KernelLedger.show} also has those below it. */
  call?: string;
  /** From this time on: a Date, or a text such as `'2026-11-16T10:00:00Z'`, which is in UTC where it names no zone. */
  since?: Date | string;
  /** Before this time. */
  until?: Date | string;
};

/** Options of {@link KernelLedger.tail}. */
export type LedgerTailOptions = LedgerFilter & {
  /** Most events. Default: 50; from 1 to 10 000. */
  limit?: number;
  signal?: AbortSignal;
};

/** Options of {@link KernelLedger.query}. */
export type LedgerQuery = LedgerFilter & {
  /** Most events. Default: 1000; from 1 to 10 000. */
  limit?: number;
  /** Only events after this position, and of those the first ones instead of the last: to page through them. */
  after?: number;
  signal?: AbortSignal;
};

/** Options of {@link KernelLedger.follow}. */
export type LedgerFollowOptions = LedgerFilter & {
  /**
   * Begins after this position. Default: after the newest event of now. To see all events of an operation, pass the
   * `seq` of the newest event before it: `(await kernel.ledger.tail({ limit: 1 })).at(-1)?.seq ?? 0`.
   */
  after?: number;
  /** Ends it. */
  signal?: AbortSignal;
};

/** A call with its outcome, and the calls that it caused. */
export type LedgerCall = {
  /** Position of its `CALL`. */
  seq: number;
  ts: string;
  session?: string;
  actor: LedgerActor;
  call: string;
  parent?: string;
  tool: string;
  path?: string;
  effect?: LedgerEffect;
  /** For a dry run. */
  dryRun?: true;
  args?: any;
  /**
   * `'unknown'`: its process ended before a result was recorded, so it may or may not have taken effect. `'running'`: no result
   * yet, and its process is alive.
   */
  state: 'ok' | 'failed' | 'running' | 'unknown';
  ms?: number;
  result?: any;
  code?: string;
  message?: string;
  /** Other events of the call, such as its `COMMIT`. */
  events: LedgerEvent[];
  /** In order of their start. */
  calls: LedgerCall[];
};

/** The first problem of a ledger. */
export type LedgerProblem = {
  /**
   * `'changed'`: an event, or a value stored outside it, was changed. `'missing'`: an event was removed. `'order'`: an event was
   * inserted or moved. `'truncated'`: the end was removed, or an older copy was restored. `'signature'`: a checkpoint is not signed
   * by this ledger's key.
   */
  kind: 'changed' | 'missing' | 'order' | 'truncated' | 'signature';
  /** The first position that differs from what was written. */
  seq: number;
  message: string;
  /**
   * Why the end is missing (`'truncated'`). `'removed'`: it was on the disk. `'unknown'`: it was not on the disk yet when it was
   * seen, which can happen only without `ledger.fsync`: the power failed, or it was removed, and the two cannot be distinguished.
   */
  cause?: 'removed' | 'unknown';
};

/** Options of {@link KernelLedger.prune}. `keep` or `before` is required. */
export type LedgerPruneOptions = {
  /** Number of newest events to keep. */
  keep?: number;
  /**
   * Events from this time on are kept: a Date, or a text such as `2026-01-01` or `2026-01-01T10:00:00Z`. A text without a zone is
   * in UTC. A time in the future is refused.
   */
  before?: Date | string;
  /** Whether to count the events only. Default: `false`. */
  dryRun?: boolean;
};

/** Result of {@link KernelLedger.prune}. */
export type LedgerPruned = {
  /** Number of deleted events. */
  events: number;
  /** The position of the first event that is kept. */
  first: number;
};

/** Result of {@link KernelLedger.verify}. */
export type LedgerVerification = {
  ok: boolean;
  /** Number of verified events. */
  events: number;
  /** The position of the first event that is kept: 1, unless older ones were deleted (`retainDays`, `retainEvents`). */
  first: number;
  /** The `hash` of the last one. */
  head: string;
  problem?: LedgerProblem;
  /** What could not be verified: commits, if there are too many; the end of an export without a signed end. */
  note?: string;
};

/** A signed statement of how long the ledger is and what its last event is. */
export type LedgerCheckpoint = {
  size: number;
  /** The `hash` of event number `size`. */
  head: string;
  /** The signed note (C2SP), which can be kept elsewhere. */
  note: string;
};

/**
 * An event of one file, in the shape of a chronicle. `eventId` is the SHA-256 of its canonical JSON without `eventId` and
 * `prevEventId`. Sessions and calls are left out.
 */
export type ChronicleEvent = {
  eventId: string;
  type: string;
  timestamp: string;
  actor: LedgerActor;
  filePath: string;
  /** The event of the same file before this one. */
  prevEventId?: string;
  [body: string]: any;
};

/**
 * `kernel.ledger`: the tamper-evident log of calls, decisions and results, in the order of recording. {@link KernelLedger.verify}
 * detects events that were changed, removed or cut off; docs/ledger.md describes the guarantees. With `ledger: false` every
 * method fails with {@link LedgerError}.
 */
export type KernelLedger = {
  /**
   * Records an event of the application's own.
   * @example
   * await kernel.ledger.append({ session: 'order-77', path: 'tools/orders.ts', what: 'order shipped', order: 77 });
   * @throws {ValidationError} when it is not a JSON object, or has members that only the ledger sets
   */
  append(event: NewLedgerEvent): Promise<void>;
  /**
   * The last events, oldest first.
   * @example
   * const failed = (await kernel.ledger.tail({ limit: 100, type: 'RESULT' })).filter(({ ok }) => !ok);
   */
  tail(options?: LedgerTailOptions): Promise<LedgerEvent[]>;
  /**
   * The events that fit, oldest first: the last `limit` of them, or with `after` the first.
   * @example
   * const changes = await kernel.ledger.query({ path: 'tools/orders.ts', since: new Date(Date.now() - 86_400_000) });
   */
  query(options?: LedgerQuery): Promise<LedgerEvent[]>;
  /**
   * Events as they are recorded, by any process, within some 100 ms. It ends when the loop is left, the signal fires or the kernel
   * is shut down.
   * @example
   * for await (const { type, tool, path } of kernel.ledger.follow({ session: 'order-77' })) console.log(type, tool, path);
   */
  follow(options?: LedgerFollowOptions): AsyncIterableIterator<LedgerEvent>;
  /**
   * One call with its outcome and all that it caused, as a tree.
   * @param call the id of a call, or the `seq` of one of its events
   * @throws {NotFoundError} when there is no such call
   */
  show(call: string | number, options?: { signal?: AbortSignal }): Promise<LedgerCall>;
  /**
   * The text of a value that was too large for its event.
   * @param hash `$blob` of a {@link LedgerBlob}
   * @throws {NotFoundError} when it was not kept
   */
  blob(hash: string): Promise<string>;
  /**
   * Reads the whole ledger and finds the first event that differs from what was written, by the hash chain, the signed checkpoints
   * and their file, and the commits of tools, which refer to the ledger.
   * @example
   * const { ok, problem } = await kernel.ledger.verify();
   * if (!ok) throw new Error(`${problem.kind} at ${problem.seq}: ${problem.message}`);
   */
  verify(): Promise<LedgerVerification>;
  /** Signs the current end of the ledger. Also done automatically every `ledger.checkpointEvents` events and at shutdown. */
  checkpoint(): Promise<LedgerCheckpoint>;
  /**
   * Signs the first event that is left as the start of the ledger, once, for a ledger of an older version whose retention did not
   * record deletions: {@link KernelLedger.verify} reports missing events, and retention stops. The owner decides whether retention
   * deleted them.
   * @throws {LedgerError} when no signed checkpoint is where the ledger begins
   */
  signBase(): Promise<void>;
  /**
   * Deletes old events up to a signed checkpoint, as `retainDays` and `retainEvents` do automatically, and shrinks the file. Set
   * `keep` (number of newest events to keep), `before` (keep events from then on), or both: then events that either keeps are kept.
   * Events are deleted in whole ranges between checkpoints, so more may be kept. A `RETENTION` event, signed with the ledger's key,
   * records it.
   * @example
   * const { events } = await kernel.ledger.prune({ before: new Date('2026-01-01'), dryRun: true });
   * @throws {LedgerError} when events to delete differ from what was written
   */
  prune(options: LedgerPruneOptions): Promise<LedgerPruned>;
  /**
   * The whole ledger as NDJSON: one event a line, without the line break, with checkpoints between them and a signed line at the
   * end.
   * `tgp ledger verify --file` checks what was exported, anywhere.
   * @example
   * for await (const line of kernel.ledger.export()) file.write(`${line}\n`);
   */
  export(options?: { signal?: AbortSignal }): AsyncIterableIterator<string>;
  /** The events of one file, oldest first: the same bytes for the same events in every process. */
  chronicle(path: string): Promise<ChronicleEvent[]>;
};

/**
 * Redacts an event before it is hashed: it gets the content of the event and returns the content to record, so keep `actor`,
 * `tool` and the like; `type`, `ts`, `call` and `parent` stay what they were. It is called once for each
 * event, after the kernel has masked the secrets that it knows, while calls continue. When it throws, returns no object or takes
 * longer than five seconds, path and body of the event are hidden; that something happened is recorded in any case. After a timeout
 * it is not called for ten seconds.
 * @example
 * new TGP({ redact: ({ args, ...event }) => ({ ...event, args: args && { ...args, email: undefined } }) });
 */
export type RedactEvent = (
  event: Omit<LedgerEvent, 'seq' | 'id' | 'prev' | 'hash'>,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** Settings of the ledger. */
export type LedgerConfigInput = {
  /** Whether anything is recorded: `{ on: false }` is `ledger: false`. Default: `true`. */
  on?: boolean;
  /** Events between two signed checkpoints. Default: 1000; from 1 to 1 000 000. */
  checkpointEvents?: number;
  /**
   * How long events are kept, in days; older ones are deleted once a signed checkpoint covers them. Default: 0; from 0
   * to 36 500.
   */
  retainDays?: number;
  /**
   * How many events are kept, from a checkpoint on; 0 for all. Default: 2 000 000, all in PostgreSQL, with
   * `retainDays`, and in files of older versions; from 0 to 1 000 000 000.
   */
  retainEvents?: number;
  /**
   * Largest argument or result that is kept whole, in bytes; of a larger one its hash is. Default: 256 KiB; from 0 to
   * 64 MiB.
   */
  blobBytes?: number;
  /**
   * What may wait on disk while events cannot be stored, in bytes; then calls that change something are refused with
   * {@link LedgerError}. Default: 64 MiB; from 64 KiB to 2 GiB.
   */
  spoolBytes?: number;
  /**
   * Whether the intent of a change is safe from a loss of power before the change happens: each then waits for the disk. Default:
   * `false`.
   */
  fsync?: boolean;
  /** Address of a PostgreSQL database that holds the ledger of several machines; shown masked. Default: none, a file. */
  postgres?: string;
  /**
   * The key that checkpoints are signed with, for machines that share a database: an Ed25519 key as PKCS#8 in base64, from
   * `openssl genpkey -algorithm ed25519 -outform DER | base64`; shown masked. Default: one that this machine makes on first use.
   */
  key?: string;
};
