/**
 * Has one SQLite file open for tools, in a process of its own. Two copies of SQLite in one process do not see each other's
 * locks and destroy the file; a driver of the application is such a copy. Started by `sqlite_process.js`.
 */

import { parseForeignJson } from '../boundary/foreign_json.js';
import { guarded } from '../boundary/guarded.js';
import { native } from '../boundary/native.js';
import { FrameReader, writeFrame } from './frames.js';

/**
 * How often in a row nothing was heard of the application while a transaction is open here: half a second, and longer on a
 * machine that is too busy to look in time. A synchronous driver that waits for our lock keeps the application's thread, so
 * that nobody there could end our transaction.
 */
const MAX_SILENT_LOOKS = 10;
const LOOK_MS = 50;

const LOST = {
  code: 'ERR_SQL',
  message:
    'The application was held up for half a second while this run had the database open, so the run was undone to let it go on. Run it again.',
  details: JSON.stringify({ reason: 'busy' }),
};

/** @typedef {'connect' | 'begin' | 'query' | 'savepoint' | 'commit' | 'rollback' | 'cancel' | 'close'} Method */

/** @type {any} */
let database;
/** Connections with a transaction. @type {Set<number>} */
const open = new Set();
/** Those of them that were undone from here, until they are told to roll back. @type {Set<number>} */
const lost = new Set();
let silentLooks = 0;

/**
 * @param {Method} method
 * @param {any[]} args
 */
async function call(method, args) {
  const [id] = args;
  if (lost.has(id) && method !== 'cancel' && method !== 'close') {
    if (method !== 'rollback') return { error: LOST };
    lost.delete(id);
  }
  if (method === 'begin') open.add(id);
  if (method === 'commit' || method === 'rollback' || method === 'close') open.delete(id);
  if (method === 'close') lost.delete(id);
  return (await database[method](...args)) ?? {};
}

/** Lets go of the file when the application seems to wait for it. */
function look() {
  silentLooks += 1;
  if (silentLooks < MAX_SILENT_LOOKS) return;
  for (const id of open) {
    open.delete(id);
    lost.add(id);
    database.cancel(id);
    database.rollback(id).catch(() => process.exit(1));
  }
}

const leave = () => process.exit(1);
const reader = new FrameReader(
  guarded(leave, async ({ call: number, method }, body) => {
    silentLooks = 0;
    if (method === 'still here') return;
    if (method === 'open') {
      database = new (native().BindingDatabase)(body);
      return;
    }
    const { value, error } = await call(method, parseForeignJson(body));
    writeFrame(process.stdout, { call: number, error, isVoid: value === undefined }, value);
  }),
);

process.stdin.on(
  'data',
  guarded(leave, (chunk) => reader.push(chunk)),
);
// Whoever has asked is gone, in the middle of a transaction perhaps, which is not finished for it.
process.stdin.on('end', () => process.exit());
process.stdin.on('error', leave);
process.stdout.on('error', leave);
setInterval(guarded(leave, look), LOOK_MS);
