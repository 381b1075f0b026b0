/**
 * The SQLite process for tools. Two copies of SQLite in one process (the addon's and that of an application's driver) do not see
 * each other's locks and corrupt the file, so this one opens it separately. Started by `sqlite_process.ts`.
 */

import type { BindingOutcome } from '../../../binding.cjs';
import { parseForeignJson } from '../../boundary/foreign_json.js';
import { guarded } from '../../boundary/guarded.js';
import { native } from '../../boundary/native.js';
import type { NativeDatabase } from '../../boundary/typed_native.js';
import { FrameReader, writeFrame } from './frames.js';

/**
 * Missed heartbeats of the application, during an open transaction, before it is rolled back: half a second, longer on a busy
 * machine. A synchronous driver that waits for our lock blocks the application's thread, which then cannot end our transaction.
 */
const MAX_MISSED_BEATS = 10;
const CHECK_MS = 50;

const LOST = {
  code: 'ERR_SQL',
  message:
    'The application was blocked for half a second during this transaction, so the transaction was rolled back. Run it again.',
  details: JSON.stringify({ reason: 'busy' }),
};

/** What the parent process may call. */
export type Method = 'connect' | 'begin' | 'query' | 'savepoint' | 'commit' | 'rollback' | 'cancel' | 'close';

/** The id of a connection and the other arguments of a method; `connect` has none. */
export type CallArguments = [id: number, ...others: (string | number)[]];
/** The header of a message; a call has a number. */
type RequestHeader = { call: number; method: Method } | { call?: undefined; method: 'open' | 'still here' };

let database: NativeDatabase;
/** Connections with a transaction. */
const open = new Set<number>();
/** Connections whose transaction was rolled back here, until the client rolls back too. */
const lost = new Set<number>();
let missedBeats = 0;

async function call(method: Exclude<Method, 'connect'>, [id, ...others]: CallArguments): Promise<BindingOutcome> {
  if (lost.has(id) && method !== 'cancel' && method !== 'close') {
    if (method !== 'rollback') return { error: LOST };
    lost.delete(id);
  }
  if (method === 'begin') open.add(id);
  if (method === 'commit' || method === 'rollback' || method === 'close') open.delete(id);
  if (method === 'close') lost.delete(id);
  const run = database[method] as (...args: unknown[]) => Promise<BindingOutcome> | undefined;
  return (await run.call(database, id, ...others)) ?? {};
}

/** Rolls back open transactions when the application seems to be blocked. */
function checkHeartbeat() {
  missedBeats += 1;
  if (missedBeats < MAX_MISSED_BEATS) return;
  for (const id of open) {
    open.delete(id);
    lost.add(id);
    database.cancel(id);
    database.rollback(id).catch(() => process.exit(1));
  }
}

const leave = () => process.exit(1);
const reader = new FrameReader<RequestHeader>(
  guarded(leave, async ({ call: number, method }, body) => {
    missedBeats = 0;
    if (method === 'still here') return;
    if (method === 'open') {
      database = new (native().BindingDatabase)(body);
      return;
    }
    const { value, error } =
      method === 'connect' ? await database.connect() : await call(method, parseForeignJson(body) as CallArguments);
    writeFrame(process.stdout, { call: number, error, isVoid: value === undefined }, value);
  }),
);

process.stdin.on(
  'data',
  guarded(leave, (chunk) => reader.push(chunk)),
);
// The application has ended; an open transaction is rolled back.
process.stdin.on('end', () => process.exit());
process.stdin.on('error', leave);
process.stdout.on('error', leave);
setInterval(guarded(leave, checkHeartbeat), CHECK_MS);
