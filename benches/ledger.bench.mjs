/**
 * The cost of the ledger: a warm run with it and without, in alternation; and the time to boot, verify, tail and query it, with
 * 1 000 to 1 000 000 events (`EVENTS=1000,100000`). Events are those of runs, as in an application.
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TGP, tgpTools } from '../index.js';
import { inTurns, percentile } from './measure.mjs';
import { record } from './record.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 2_000);
const SIZES = (process.env.EVENTS ?? '1000,100000,1000000').split(',').map(Number);
const READS = 50;
const BATCH = 500;
const TOOL = 'export default (args: { n: number }) => args.n * 2\n';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** @param {string} text */
const print = (text) => process.stdout.write(`${text}\n`);
/** @param {number} ms */
const shown = (ms) => `${ms.toFixed(ms < 10 ? 3 : 1)} ms`.padStart(12);

/** @param {boolean} ledger */
async function kernelWith(ledger) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp'), ledger }, logger: silent });
  await tgpTools(kernel).write_file.execute({ path: 'tools/twice.ts', content: TOOL });
  return {
    run: () => kernel.exec('tools/twice.ts', { n: 21 }),
    close: async () => {
      await kernel.shutdown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function measureRuns() {
  const off = await kernelWith(false);
  const on = await kernelWith(true);
  const times = await inTurns({ off: off.run, on: on.run }, { rounds: ROUNDS, warmup: 200 });
  print(`\nWarm run of a small tool, ${ROUNDS} in turns`);
  const base = percentile(times.off ?? [], 0.5);
  for (const [name, values] of Object.entries(times)) {
    record(`ledger ${name}`, values, { group: 'warm run' });
    const p50 = percentile(values, 0.5);
    const change = `${(100 * (p50 / base - 1)).toFixed(1)} %`.padStart(8);
    print(`  ledger ${name.padEnd(4)} p50 ${shown(p50)}  p95 ${shown(percentile(values, 0.95))}  ${change}`);
  }
  await off.close();
  await on.close();
}

/**
 * Times some calls.
 * @param {() => Promise<unknown>} work
 * @param {number} [times]
 */
async function median(work, times = READS) {
  const { work: values = [] } = await inTurns({ work }, { rounds: times, warmup: Math.min(3, times - 1) });
  return { median: percentile(values, 0.5), values };
}

/** @param {string} folder */
function bytesOf(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** @param {number} size */
async function measureReads(size) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-bench-'));
  const config = { rootDir: join(folder, '.tgp'), sandbox: { warm: 0 }, ledger: { spoolBytes: 2 ** 31 } };
  const filling = new TGP({ config, logger: silent });
  const started = performance.now();
  for (let n = 0; n < size; n += BATCH) {
    await Promise.all(
      Array.from({ length: Math.min(BATCH, size - n) }, (_, index) => filling.ledger.append(sample(n + index))),
    );
  }
  await filling.shutdown();
  const filledMs = performance.now() - started;

  const kernel = new TGP({ config, logger: silent });
  const boot = await median(async () => {
    const once = new TGP({ config, logger: silent });
    await once.boot();
    await once.shutdown();
  }, 5);
  const off = await median(async () => {
    const once = new TGP({ config: { ...config, ledger: false }, logger: silent });
    await once.boot();
    await once.shutdown();
  }, 5);
  await kernel.boot();
  const { ledger } = kernel;
  const figures = {
    'boot + shutdown': boot,
    'the same without a ledger': off,
    'tail of 50': await median(() => ledger.tail()),
    'query by session': await median(() => ledger.query({ session: 'session-7', limit: 50 })),
    'query by path': await median(() => ledger.query({ path: 'tools/t7.ts', limit: 50 })),
    'query by time': await median(() => ledger.query({ since: new Date(Date.now() - 3_600_000), limit: 50 })),
    verify: await median(() => ledger.verify(), 3),
  };
  const verdict = await ledger.verify();
  await kernel.shutdown();
  const bytes = bytesOf(join(folder, '.tgp', '.git', 'tgp', 'ledger')) / verdict.events;
  print(`\n${verdict.events} events, ${verdict.ok ? 'whole' : 'NOT WHOLE'}, ${bytes.toFixed(0)} bytes each on disk`);
  print(`  ${'append, each'.padEnd(28)} ${shown(filledMs / size)}`);
  for (const [name, { median: ms, values }] of Object.entries(figures)) {
    record(name, values, { group: 'reading', at: size });
    print(`  ${name.padEnd(28)} ${shown(ms)}`);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** @param {number} n */
function sample(n) {
  return {
    session: `session-${n % 1000}`,
    path: `tools/t${n % 500}.ts`,
    effect: 'run',
    args: { n, customer: `customer-${n % 97}`, year: 2026 },
  };
}

await measureRuns();
for (const size of SIZES) await measureReads(size);
