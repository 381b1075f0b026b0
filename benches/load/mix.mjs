/** The mix: small runs, runs with a transaction, results of 200 KB, searches and writes, by a schedule. */

import { join } from 'node:path';
import { watchEventLoop } from './event_loop.mjs';
import { broken, cost, countsOf, fact, latencies } from './figures.mjs';
import { openLoop } from './open_loop.mjs';
import { ledgerCalls, missingRows, missingWrites } from './promises.mjs';
import { createKernel, LARGE, placeTools, rootOf, TOOLS, toolText } from './workspace.mjs';

/** The number of files that are written repeatedly. */
const PATHS = 200;
const KINDS = {
  run: 'small run',
  sql: 'run with SQL',
  large: 'result of 200 KB',
  find: 'search',
  write: 'write',
};

/** @param {import('./workspace.mjs').Job & { rate: number }} job */
export default async function mix({ api, folder, seconds, rate }) {
  const file = join(folder, 'rows.db');
  const { kernel, database, calls } = await open(api, folder, file);
  const watch = watchEventLoop();
  const { answers, unanswered } = await openLoop({ rate, seconds, kinds: calls });
  const loop = watch.stop();
  await kernel.shutdown();
  await database.close?.();

  const acknowledged = answers.filter(({ code }) => code === undefined);
  const refused = answers.flatMap(({ code }) => (code === undefined ? [] : [code]));
  const writes = acknowledged.filter(({ kind }) => kind === 'write').map(({ value }) => value);
  const rows = acknowledged.filter(({ kind }) => kind === 'sql').map(({ id }) => id);
  const reader = createKernel(api, folder);
  const [{ finished, reportedLost }, verdict] = [await ledgerCalls(reader), await reader.ledger.verify()];
  await reader.shutdown();
  const unrecorded = acknowledged.filter(({ id }) => !finished.has(id)).length;
  const times = (/** @type {string} */ kind) => acknowledged.filter((one) => one.kind === kind).map(({ ms }) => ms);
  return [
    ...latencies(
      'all calls',
      acknowledged.map(({ ms }) => ms),
      'long',
    ),
    ...Object.entries(KINDS).flatMap(([kind, title]) => latencies(title, times(kind))),
    cost('event loop delay, p99', loop.p99),
    cost('event loop delay, max', loop.max),
    fact('calls', answers.length + unanswered),
    fact('acknowledged', acknowledged.length),
    fact('refused, by code', refused.length, countsOf(refused)),
    broken('calls without an answer', unanswered),
    broken('wrong results, and errors without a code', refused.filter((code) => !code.startsWith('ERR_')).length),
    broken('acknowledged calls that the ledger lost in silence', Math.max(0, unrecorded - reportedLost)),
    broken('acknowledged calls that the ledger reports as lost', Math.min(unrecorded, reportedLost)),
    broken('ledger that does not verify', verdict.ok ? 0 : 1, verdict.problem?.kind),
    broken(
      'acknowledged writes that are not in Git HEAD',
      missingWrites(
        rootOf(folder),
        'HEAD',
        writes.filter(({ persisted }) => persisted),
      ).length,
    ),
    broken('writes without a commit', writes.filter(({ persisted }) => !persisted).length),
    broken('acknowledged rows that are not in the database', (await missingRows(api, file, rows)).length),
  ];
}

/** @param {import('./workspace.mjs').Api} api @param {string} folder @param {string} file */
async function open(api, folder, file) {
  const database = api.sqlite(file);
  const sql = 'CREATE TABLE rows (id INTEGER PRIMARY KEY, price INTEGER)';
  await api.createSqlTools(database, { ddl: true }).exec_sql.execute({ sql });
  const kernel = createKernel(api, folder, {}, { sql: { source: database } });
  await placeTools(api, kernel, TOOLS);
  const { write_file } = api.tgpTools(kernel);
  // Workers are warm before the first call is due.
  for (const id of [0, -1, -2, -3]) await kernel.exec('tools/add.ts', { id });
  const calls = {
    run: {
      share: 70,
      call: async (/** @type {number} */ id) => {
        const { result } = await kernel.exec('tools/add.ts', { id });
        if (result !== id + 1) throw new Error('A result is wrong.');
      },
    },
    sql: { share: 15, call: async (/** @type {number} */ id) => void (await kernel.exec('tools/row.ts', { id })) },
    large: {
      share: 5,
      call: async (/** @type {number} */ id) => {
        const { result } = await kernel.exec('tools/large.ts', { id, bytes: LARGE });
        if (result.length !== LARGE || !result.startsWith(`${id} `)) throw new Error('A result is wrong.');
      },
    },
    find: { share: 8, call: async (/** @type {number} */ id) => void (await kernel.find(`adds one #${id}`)) },
    write: {
      share: 2,
      call: async (/** @type {number} */ id) => {
        const [path, content] = [`tools/written/t${id % PATHS}.ts`, toolText(id)];
        return { ...(await write_file.execute({ path, content })), path, content };
      },
    },
  };
  return { kernel, database, calls };
}
