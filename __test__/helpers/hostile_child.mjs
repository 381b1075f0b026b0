/**
 * An application that is attacked through its database: executes each statement and prints its outcome, with the state of the
 * process and of the pool, as one line of JSON. An error that escapes a boundary ends the process.
 *
 * Arguments: one JSON text, see `Order`.
 *
 * @typedef {{ name: string, sql: string, options?: object, route?: 'agent' | 'tool', good?: string }} Attack `good` is
 * the statement that must work afterwards
 * @typedef {{ index: string, source: string, where: import('./hostile_sources.mjs').Where, attacks: Attack[] }} Order
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCES } from './hostile_sources.mjs';

/** @type {Order} */
const { index, source: name, where, attacks } = JSON.parse(process.argv[2] ?? '');
const { createSqlTools, TGP, tgpTools } = await import(index);

/** @param {object} line */
const print = (line) => writeFileSync(1, `${JSON.stringify(line)}\n`);
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => {
    print({ escaped: event, message: String(error?.stack ?? error).slice(0, 600) });
    process.exit(70);
  });
}

/** The peak memory in MB since the last call. */
const peakMb = () => {
  const [, kb] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  writeFileSync('/proc/self/clear_refs', '5');
  return Number(kb) / 1024;
};

const open = SOURCES[name];
if (!open) throw new Error(`There is no source "${name}".`);
const { source, pool, close } = await open(where);
const needsKernel = attacks.some(({ route }) => route === 'tool');
const kernel = new TGP({ config: { rootDir: join(where.folder, `.tgp-${process.pid}`) }, sql: source });
const ask = { path: 'tools/ask.ts', content: 'return (await tgp.exec_sql(args.sql)).length' };
if (needsKernel) await tgpTools(kernel).write_file.execute(ask);

/** @param {Attack} attack */
const execute = ({ sql, options, route }) =>
  route === 'tool'
    ? kernel.exec('tools/ask.ts', { sql }, { timeoutMs: 5_000 })
    : createSqlTools(source, { ddl: true, ...options }).exec_sql.execute({ sql });

await execute({ name: 'warm', sql: 'SELECT 1 AS one' });
if (needsKernel) await execute({ name: 'warm', sql: 'SELECT 1 AS one', route: 'tool' });
peakMb();
const idle = process.memoryUsage.rss() / 2 ** 20;

for (const attack of attacks) {
  // The delay of the event loop delays everything else in the application. Only CPU time of the process counts: on a busy
  // machine a process is late without having done anything.
  let latest = 0;
  let expected = performance.now() + 20;
  let spent = process.cpuUsage();
  const clock = setInterval(() => {
    const { user, system } = process.cpuUsage(spent);
    latest = Math.max(latest, Math.min(performance.now() - expected, (user + system) / 1000));
    spent = process.cpuUsage();
    expected = performance.now() + 20;
  }, 20);
  const started = performance.now();
  const outcome = await execute(attack).then(
    (/** @type {unknown} */ value) => ({ ok: true, size: JSON.stringify(value).length }),
    (/** @type {any} */ error) => ({
      ok: false,
      code: error.code,
      reason: error.details?.reason,
      length: error.message.length,
      message: error.message.slice(0, 160),
    }),
  );
  const ms = Math.round(performance.now() - started);
  const next = await execute({ name: 'good', sql: attack.good ?? "SELECT 'fine' AS word" }).then(
    (/** @type {unknown} */ rows) => JSON.stringify(rows),
    (/** @type {any} */ error) => `${error.code}: ${error.message}`,
  );
  clearInterval(clock);
  const peak = peakMb();
  // Memory of one attack must not count for the next one.
  globalThis.gc?.();
  print({
    attack: attack.name,
    ...outcome,
    ms,
    next,
    peakMb: Math.round(peak - idle),
    lateMs: Math.round(latest),
    pool: pool(),
  });
  peakMb();
}
await kernel.shutdown();
await close();
print({ ended: true });
