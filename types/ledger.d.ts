import type { LedgerError } from './errors.js';

/**
 * What an event tells. `CALL`: something was asked for; of what changes anything it is on disk before that happens. `RESULT`: how
 * it ended. `COMMIT`: a commit, with `call`, `session` and `actor` of the call that made it. `SESSION`: a process opened or closed the
 * ledger, or an agent was given a task, said something or ended. `APPLICATION`: an event of your own. `RETENTION`: old events were
 * let go, signed. The others belong to rules, approvals, tests and the guardian.
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

/** What a call does: reads or writes files, runs code, asks the database, the network or the application. */
export type LedgerEffect = 'read' | 'write' | 'run' | 'sql' | 'net' | 'app';

/**
 * Who it was. `agent` is `'application'` (your own `kernel.exec`), `'agent'` (`tgpTools`, forged tools), `'mcp'`, `'cli'`, `'tool'`
 * for what a running tool asks for, or `'kernel'` for what nobody in particular asks for; `id` says which one, of a tool its path.
 */
export type LedgerActor = { agent: string; id: string };

/**
 * A value of more than 4 KiB, which does not stand in its event: its hash, its size and its beginning. {@link KernelLedger.blob}
 * gives all of it, as it was (`'text'`) or as canonical JSON, unless it was larger than `ledger.blobBytes` (`kept: false`).
 */
export type LedgerBlob = { $blob: string; bytes: number; form: 'text' | 'json'; preview: string; kept?: false };

/**
 * One thing that happened.
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
  /** When, in universal time with milliseconds. */
  ts: string;
  /** As it was given to `tgpTools(kernel, { session })`, its first 200 characters. */
  session?: string;
  actor: LedgerActor;
  /** The call that it belongs to. */
  call?: string;
  /** The call that caused this one: the run whose tool asked. */
  parent?: string;
  /** The kernel tool, the forged tool's name, or the function that a tool called. */
  tool?: string;
  /** The file that it is about, relative to the root, in its shortest form: `tools/a.ts` for `./tools//a.ts`. */
  path?: string;
  effect?: LedgerEffect;
  /** Of a `CALL` that was only to be seen: nothing was changed by it. */
  dryRun?: true;
  /** What was asked for; secrets are masked, large values are a {@link LedgerBlob}. */
  args?: any;
  /** Of a `RESULT`: whether it succeeded. */
  ok?: boolean;
  /** Of a `RESULT`: how long it took. */
  ms?: number;
  /** Of a `RESULT`: what came of it, masked and bounded as `args` is. */
  result?: any;
  /** Of a `RESULT` that failed: the code of the error. */
  code?: string;
  /** Of a `RESULT` that failed. */
  message?: string;
  /** The `hash` of the event before; 64 zeros for the first one. */
  prev: string;
  /** SHA-256 over `prev`, `seq` and `id`. */
  hash: string;
  /** Whatever else belongs to an event of this type. */
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

/** Which events are wanted: those that fit everything that is given. */
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
   * Begins after this position. Default: after the newest event of now. Whoever is about to do something and wants to see all of it
   * gives the `seq` of the newest event before: `(await kernel.ledger.tail({ limit: 1 })).at(-1)?.seq ?? 0`.
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
  /** Whether it was only to be seen what it would do. */
  dryRun?: true;
  args?: any;
  /**
   * `'unknown'`: its process ended before a result was recorded, so that nobody can say whether it happened. `'running'`: no result
   * yet, and its process lives.
   */
  state: 'ok' | 'failed' | 'running' | 'unknown';
  ms?: number;
  result?: any;
  code?: string;
  message?: string;
  /** What else was recorded of it, such as its `COMMIT`. */
  events: LedgerEvent[];
  /** In the order in which they began. */
  calls: LedgerCall[];
};

/** The first thing that is wrong with a ledger. */
export type LedgerProblem = {
  /**
   * `'changed'`: an event, or a value that is kept beside, is not what was written. `'missing'`: one was taken out. `'order'`: one was
   * put in or moved. `'truncated'`: the end was cut off, or an older copy was put back. `'signature'`: a checkpoint is not signed by
   * this ledger's key.
   */
  kind: 'changed' | 'missing' | 'order' | 'truncated' | 'signature';
  /** The first position that is not as it was written. */
  seq: number;
  message: string;
  /**
   * Why an end is gone (`'truncated'`). `'removed'`: it was on the disk. `'unknown'`: it was not on the disk yet when it was seen, which
   * happens without `ledger.fsync` alone: the power failed, or it was removed, and nothing tells the two apart.
   */
  cause?: 'removed' | 'unknown';
};

/** Which events {@link KernelLedger.prune} lets go. One of `keep` and `before` is needed. */
export type LedgerPruneOptions = {
  /** How many of the newest events stay. */
  keep?: number;
  /**
   * Events from this time on stay: a Date, or a text such as `2026-01-01` or `2026-01-01T10:00:00Z`. A text without a zone is in UTC. A
   * time in the future is refused.
   */
  before?: Date | string;
  /** Whether to only count them. Default: `false`. */
  dryRun?: boolean;
};

/** What {@link KernelLedger.prune} did, or would do. */
export type LedgerPruned = {
  /** How many events went. */
  events: number;
  /** The position of the first event that is kept. */
  first: number;
};

/** What {@link KernelLedger.verify} finds. */
export type LedgerVerification = {
  ok: boolean;
  /** How many events were looked at. */
  events: number;
  /** The position of the first event that is kept: 1, unless older ones were let go (`retainDays`, `retainEvents`). */
  first: number;
  /** The `hash` of the last one. */
  head: string;
  problem?: LedgerProblem;
  /** What could not be looked at: not all commits, where there are too many; the end of an export that shows none. */
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
 * `kernel.ledger`: everything that was asked, decided and done, in the order in which it was recorded. Nothing can be changed, taken
 * out or cut off without {@link KernelLedger.verify} finding it; docs/ledger.md says what that rests on. With `ledger: false` every
 * method fails with {@link LedgerError}.
 */
export type KernelLedger = {
  /**
   * Records an event of the application's own.
   * @example
   * await kernel.ledger.append({ session: 'order-77', path: 'tools/orders.ts', what: 'order shipped', order: 77 });
   * @throws {ValidationError} when it is no JSON object, or names what only the ledger can know
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
   * Events as they are recorded, by any process, within some 100 ms. It ends when the loop is left, the signal fires or the kernel is
   * shut down.
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
   * Reads the whole ledger and looks for the first event that is not as it was written: by the chain of hashes, the signed checkpoints
   * and their file, and what the commits of tools say of it.
   * @example
   * const { ok, problem } = await kernel.ledger.verify();
   * if (!ok) throw new Error(`${problem.kind} at ${problem.seq}: ${problem.message}`);
   */
  verify(): Promise<LedgerVerification>;
  /** Signs how long the ledger is now. It happens by itself every `ledger.checkpointEvents` events and at shutdown. */
  checkpoint(): Promise<LedgerCheckpoint>;
  /**
   * Signs once that the events before the first one may be gone, for a ledger of an older version whose retention did not record that:
   * {@link KernelLedger.verify} misses them, and retention stops. The owner decides whether they went by retention.
   * @throws {LedgerError} when no signed checkpoint is where the ledger begins
   */
  signBase(): Promise<void>;
  /**
   * Lets old events go now, up to a signed checkpoint, as `retainDays` and `retainEvents` do by themselves, and makes the file smaller.
   * Give `keep` (how many of the newest stay), `before` (those from then on stay), or both: then what either keeps stays. Events go in
   * whole stretches between checkpoints, so somewhat more may stay. A `RETENTION` event, signed with the ledger's key, records it.
   * @example
   * const { events } = await kernel.ledger.prune({ before: new Date('2026-01-01'), dryRun: true });
   * @throws {LedgerError} when events that would go are not what was written
   */
  prune(options: LedgerPruneOptions): Promise<LedgerPruned>;
  /**
   * The whole ledger as NDJSON: one event a line, without the line break, with checkpoints between them and a signed line at the end.
   * `tgp ledger verify --file` checks what was exported, anywhere.
   * @example
   * for await (const line of kernel.ledger.export()) file.write(`${line}\n`);
   */
  export(options?: { signal?: AbortSignal }): AsyncIterableIterator<string>;
  /** The events of one file, oldest first: the same bytes for the same events in every process. */
  chronicle(path: string): Promise<ChronicleEvent[]>;
};

/**
 * Takes out of an event what must not be recorded, before it is hashed: it gets the content of the event, and gives what is recorded
 * instead, so keep `actor`, `tool` and the like; `type`, `ts`, `call` and `parent` stay what they were. It is called once for each
 * event, after the kernel has masked the secrets that it knows, while calls go on. When it throws, gives no object or takes longer
 * than five seconds, path and body of the event are hidden; that something happened is recorded in any case. One that took too long
 * is not asked for the next ten seconds.
 * @example
 * new TGP({ redact: ({ args, ...event }) => ({ ...event, args: args && { ...args, email: undefined } }) });
 */
export type RedactEvent = (
  event: Omit<LedgerEvent, 'seq' | 'id' | 'prev' | 'hash'>,
) => Record<string, unknown> | Promise<Record<string, unknown>>;

/** How the ledger is kept. */
export type LedgerConfigInput = {
  /** Whether anything is recorded: `{ on: false }` is `ledger: false`. Default: `true`. */
  on?: boolean;
  /** Events between two signed checkpoints. Default: 1000; from 1 to 1 000 000. */
  checkpointEvents?: number;
  /**
   * How long events are kept, in days; older ones go once a signed checkpoint vouches for them. Default: 0; from 0 to
   * 36 500.
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
  /** Whether the intent of a change is safe from a loss of power before the change happens: each then waits for the disk. Default: `false`. */
  fsync?: boolean;
  /** Address of a PostgreSQL database that holds the ledger of several machines; shown masked. Default: none, a file. */
  postgres?: string;
  /**
   * The key that checkpoints are signed with, for machines that share a database: an Ed25519 key as PKCS#8 in base64, from
   * `openssl genpkey -algorithm ed25519 -outform DER | base64`; shown masked. Default: one that this machine makes on first use.
   */
  key?: string;
};
