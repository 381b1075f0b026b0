/**
 * `npm run soak`: a soak test. Runs an application with a mixed load for five minutes: valid tools, bombs, writes, pushes, queries,
 * killed workers and policy reloads, and prints a verdict. Exit code 1: a guarantee was broken. 2: wrong usage.
 *
 * --seconds <n>  duration; --seed <n>  order of jobs; --out <folder>  folder for the graphs, default target/soak;
 * --only <kind,kind>  only these kinds of jobs, to find out which of them breaks a guarantee
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { table } from '../tools/markdown_table.mjs';
import { endWithUsage, readOptions } from '../tools/options.mjs';
import { ROOT } from '../tools/process.mjs';
import { KINDS } from './soak_jobs.mjs';
import { byKind, pictures, verdict } from './soak_verdict.mjs';
import { watch } from './soak_watch.mjs';

const USAGE = 'Usage: npm run soak -- [--seconds <n>] [--seed <n>] [--out <folder>] [--only <kind,kind>]';
const options = {
  seconds: { type: /** @type {const} */ ('string'), default: '300' },
  seed: { type: /** @type {const} */ ('string'), default: '1' },
  only: { type: /** @type {const} */ ('string'), default: '' },
  out: { type: /** @type {const} */ ('string'), default: join(ROOT, 'target', 'soak') },
};
const { values } = readOptions({ options }, USAGE);
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (process.platform !== 'linux') endWithUsage(USAGE, 'A soak needs /proc, which exists only on Linux.');
if (!(seconds > 0) || !Number.isInteger(seed)) endWithUsage(USAGE, '--seconds and --seed must be numbers.');
const unknown = values.only.split(',').filter((kind) => kind !== '' && !KINDS.includes(kind));
if (unknown.length > 0)
  endWithUsage(USAGE, `There are no jobs of the kind ${unknown.join(', ')}. Use ${KINDS.join(', ')}.`);

/** @param {number} ms */
const shown = (ms) => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;

const folder = mkdtempSync(join(tmpdir(), 'tgp-soak-'));
const showsProgress = process.stdout.isTTY;
try {
  process.stdout.write(`Soaking for ${seconds} s in ${folder}\n`);
  const record = await watch({
    folder,
    seconds,
    seed,
    only: values.only,
    tick: ({ samples, done, kills }) => {
      const last = samples.at(-1);
      if (showsProgress && last) {
        process.stdout.write(
          `\r${last.at.toFixed(0)} s, ${done.length} calls, ${kills} kills, ${last.hostMb.toFixed(0)} MB, ${last.files} files   `,
        );
      }
    },
  });
  const rows = byKind(record).map(({ kind, calls, p50, p99, slowest, ends }) => [
    kind,
    String(calls),
    shown(p50),
    shown(p99),
    shown(slowest),
    ends,
  ]);
  process.stdout.write(`\n${table(['call', 'calls', 'p50', 'p99', 'slowest', 'how they ended'], rows)}\n\n`);
  const findings = verdict(record);
  for (const { promise, kept, found } of findings) process.stdout.write(`${kept ? '✓' : '✗'} ${promise}: ${found}\n`);
  mkdirSync(values.out, { recursive: true });
  for (const [name, svg] of Object.entries(pictures(record))) writeFileSync(join(values.out, name), svg);
  writeFileSync(
    join(values.out, 'soak.json'),
    `${JSON.stringify({ seconds, seed, findings, samples: record.samples, calls: byKind(record) }, undefined, 1)}\n`,
  );
  const broken = findings.filter(({ kept }) => !kept).length;
  process.stdout.write(`\n${broken === 0 ? 'All guarantees held.' : `${broken} broken.`} Graphs: ${values.out}\n`);
  process.exitCode = broken === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
