/** A ledger with many events: write rate, disk use, and verification time. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { watchEventLoop } from './event_loop.mjs';
import { broken, cost, countsOf, fact, gain } from './figures.mjs';
import { createKernel, ledgerOf, pause, timed } from './workspace.mjs';

const EVENTS = 1_000_000;
/** Appended at one time. */
const BATCH = 500;
const RETRY_MS = 100;
const MAX_TIMES = 8;

/** @param {import('./workspace.mjs').Job} job */
export default async function manyEvents({ api, folder, seconds, scale }) {
  const events = Math.max(BATCH, Math.round((EVENTS * scale) / BATCH) * BATCH);
  const config = { sandbox: { warm: 0 } };
  const kernel = createKernel(api, folder, config);
  await kernel.boot();
  const watch = watchEventLoop();
  const started = performance.now();
  /** @type {string[]} */
  const refused = [];
  let acknowledged = 0;
  // A slower build gets fewer events.
  const end = started + MAX_TIMES * 1000 * seconds;
  while (acknowledged < events && performance.now() < end) {
    const from = acknowledged;
    const batch = Array.from({ length: BATCH }, (_, at) => timed(() => kernel.ledger.append(eventOf(from + at))));
    const codes = (await Promise.all(batch)).flatMap(({ code }) => code ?? []);
    acknowledged += BATCH - codes.length;
    refused.push(...codes);
    // A refused event is retried later.
    if (codes.length > 0) await pause(RETRY_MS);
  }
  const appendedMs = performance.now() - started;
  const loop = watch.stop();
  await kernel.shutdown();
  const storedMs = performance.now() - started;
  const bytes = bytesOf(ledgerOf(folder));

  const reader = createKernel(api, folder, config);
  const boot = await timed(() => reader.boot());
  const { ms, value: verdict } = await timed(() => reader.ledger.verify());
  const tail = await timed(() => reader.ledger.tail({ limit: 50 }));
  const [others, reportedLost] = await otherEvents(reader);
  await reader.shutdown();
  const stored = (verdict?.first ?? 1) - 1 + (verdict?.events ?? 0);
  return [
    fact('events', acknowledged),
    fact('refused and tried again, by code', refused.length, countsOf(refused)),
    gain('appended', acknowledged / (appendedMs / 1000), '/s'),
    gain('stored, with the shutdown', acknowledged / (storedMs / 1000), '/s'),
    cost('event loop delay, p99', loop.p99),
    cost('on disk, for each event', bytes / stored, 'B'),
    cost('boot', boot.ms),
    cost('verify', ms),
    cost('tail of 50', tail.ms),
    broken('ledger that does not verify', verdict?.ok ? 0 : 1, verdict?.problem?.kind),
    broken(
      'acknowledged events that are not there and not reported as lost',
      Math.max(0, acknowledged - (stored - others) - reportedLost),
    ),
    broken('events that the ledger reports as lost', reportedLost),
  ];
}

/**
 * How many events are not the application's, and how many are reported as lost. @param
 * {InstanceType<import('./workspace.mjs').Api['TGP']>} kernel
 */
async function otherEvents(kernel) {
  let [others, lost] = [0, 0];
  for (const type of /** @type {const} */ (['SESSION', 'POLICY', 'RETENTION', 'COMMIT', 'CALL', 'RESULT'])) {
    const found = await kernel.ledger.query({ type, limit: 10_000 });
    others += found.length;
    for (const { state, events } of found) if (state === 'lost') lost += Number(events);
  }
  return /** @type {const} */ ([others, lost]);
}

/** @param {number} n */
const eventOf = (n) => ({
  session: `session-${n % 1000}`,
  path: `tools/t${n % 500}.ts`,
  args: { n, customer: `customer-${n % 97}`, year: 2026 },
});

/** @param {string} folder */
const bytesOf = (folder) => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
