import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../../scripts/soak_jobs.mjs';
import { byKind, pictures, verdict } from '../../scripts/soak_verdict.mjs';
import { howOften } from '../helpers/how_often.js';
import { tempRoot } from '../helpers/temp_root.js';

const SECONDS = howOften({ usual: 5, long: 60 });
const SOAK = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url));

/** The record of a soak without violations. */
function kept() {
  const samples = Array.from({ length: 400 }, (_, at) => ({
    at: at / 2,
    hostMb: 100 + (at % 7),
    heapMb: 20,
    totalMb: 200,
    files: 40 + (at % 3),
    processes: 2,
  }));
  const done = Array.from({ length: 50 }, (_, at) => ({ job: 'good', at: at * 1000, ms: 1 + at, outcome: 'ok' }));
  /** @type {import('../../scripts/soak_watch.mjs').Seen} */
  const seen = {
    samples,
    done,
    kills: 3,
    broken: [],
    before: { files: 40, processes: [1] },
    after: { files: 30, processes: [] },
  };
  return seen;
}

/** @type {Record<string, (seen: ReturnType<typeof kept>) => void>} */
const BREAKS = {
  'the host survives': (seen) => {
    seen.died = 'SIGSEGV';
  },
  'every call ends as expected, errors with a matching code': (seen) => {
    seen.done.push({ job: 'good', at: 0, ms: 1, outcome: 'unexpected: no code: boom' });
  },
  'memory of the host is flat in the second half': (seen) => {
    for (const [at, sample] of seen.samples.entries()) sample.hostMb += at / 2;
  },
  'no descriptors leak': (seen) => {
    for (const [at, sample] of seen.samples.entries()) sample.files += at / 10;
  },
  'no process is left behind': (seen) => {
    seen.after = { files: 30, processes: [4711] };
  },
  'acknowledged data exists: the ledger verifies, every push is at the remote': (seen) => {
    seen.broken = ['tools/a.ts is not at the remote'];
  },
};

describe('the verdict of a soak', () => {
  it('holds if no guarantee was broken', () => {
    expect(verdict(kept()).filter((finding) => !finding.kept)).toEqual([]);
    expect(verdict(kept()).map(({ promise }) => promise)).toEqual(Object.keys(BREAKS));
  });

  it.each(Object.entries(BREAKS))('detects a broken guarantee: %s', (promise, broken) => {
    const seen = kept();
    broken(seen);
    const found = verdict(seen).filter((finding) => !finding.kept);
    expect(found.map((finding) => finding.promise)).toContain(promise);
  });

  it('reports the duration of each kind of call, and draws it', () => {
    expect(byKind(kept())).toMatchObject([{ kind: 'good', calls: 50, p50: 26, p99: 50, slowest: 50, ends: 'ok 50' }]);
    for (const svg of Object.values(pictures(kept()))) expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe.runIf(process.platform === 'linux')('a short soak', () => {
  it('keeps every guarantee', { timeout: 300_000 }, async () => {
    const out = await tempRoot();
    const child = spawn(process.execPath, [SOAK, '--seconds', String(SECONDS), '--out', out], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [printed, warned, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect(code, `${printed}\n${warned}`).toBe(0);
    const { findings, calls } = JSON.parse(readFileSync(join(out, 'soak.json'), 'utf8'));
    expect(findings).toHaveLength(Object.keys(BREAKS).length);
    const kinds = calls.map((/** @type {{ kind: string }} */ { kind }) => kind);
    expect(kinds.filter((/** @type {string} */ kind) => !KINDS.includes(kind))).toEqual([]);
    expect(kinds).toEqual(expect.arrayContaining(['bomb', 'good', 'query', 'write', 'denied']));
    expect(readFileSync(join(out, 'soak_memory.svg'), 'utf8')).toContain('<svg');
  });

  it.each([
    [['--seconds', 'long'], '--seconds and --seed must be numbers.'],
    [['--bogus'], "Unknown option '--bogus'"],
    [['word'], "Unexpected argument 'word'"],
    [['--only', 'good,nosuch'], 'There are no jobs of the kind nosuch. Use good, bomb,'],
  ])('refuses %j before it starts anything', async (args, why) => {
    const child = spawn(process.execPath, [SOAK, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [printed, warned, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect([code, printed]).toEqual([2, '']);
    expect(warned).toContain(why);
    expect(warned).toMatch(/\nUsage: npm run soak -- .*\n$/);
  });
});
