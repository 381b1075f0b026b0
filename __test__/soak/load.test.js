/** `npm run load` in its shortest form, and its detection of lost data. */

import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openLoop } from '../../benches/load/open_loop.mjs';
import { ledgerCalls, missingFiles, missingRows, missingWrites } from '../../benches/load/promises.mjs';
import { loadPage, verdict } from '../../benches/load/report.mjs';
import { SCENARIOS } from '../../benches/load/scenarios.mjs';
import * as api from '../../index.js';
import { howOften } from '../helpers/how_often.js';
import { tempRoot } from '../helpers/temp_root.js';

const LOAD = fileURLToPath(new URL('../../benches/load/load.mjs', import.meta.url));
const MINUTES = howOften({ usual: 0.15, long: 2 });

/** @param {string} folder @param {string[]} args */
async function load(folder, ...args) {
  const [page, json] = [join(folder, 'load.md'), join(folder, 'load.json')];
  const all = [LOAD, '--minutes', String(MINUTES), '--page', page, '--json', json, ...args];
  const { code = 0, stderr } = await promisify(execFile)(process.execPath, all).catch((error) => error);
  const read = (/** @type {string} */ file) => readFileSync(file, 'utf8');
  return { code, stderr, page: () => read(page), run: () => JSON.parse(read(json)) };
}

/** @param {{ name: string, value: number }[]} figures @param {string} name */
const counted = (figures, name) => figures.find((figure) => figure.name === name)?.value ?? Number.NaN;

describe('a load run', () => {
  it('writes its report with every call counted and nothing lost, also if the other build fails', async () => {
    const folder = await tempRoot();
    const other = join(folder, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(other, 'index.js'), "throw new Error('This build cannot be loaded.');");
    const { code, page, run } = await load(folder, '--only', 'mix_200,ledger_overload', '--package', other);
    const [mix, overload] = run().scenarios.map((/** @type {any} */ { outcomes }) => outcomes.now.figures);
    const broken = [...mix, ...overload].filter(({ good, value }) => good === 'zero' && value !== 0);
    expect(broken).toEqual([]);
    expect(code).toBe(0);
    const [calls, acknowledged] = ['calls', 'acknowledged'].map((name) => counted(mix, name));
    expect(acknowledged).toBeGreaterThan(0);
    expect(calls).toBe(Number(acknowledged) + counted(mix, 'refused, by code'));
    expect(counted(overload, 'acknowledged calls')).toBeGreaterThan(0);
    expect(page()).toContain('## 200 calls a second\n');
    expect(page()).toContain('Failed (before): Error: This build cannot be loaded.');
    expect(page()).toMatch(/^\| all calls, p99\.9 +\| +\| less \| [\d.]+ ms +\| – +\|$/m);
  });

  it.each([
    [['--minutes', '0'], '--minutes is not valid: 0.'],
    [['--only', 'everything'], 'There is no scenario everything.'],
    [['--package', '.', '--against', 'HEAD'], 'exclude each other'],
    [['--against', 'no-such-commit'], '"no-such-commit" is not a commit'],
  ])('refuses %j', async (args, why) => {
    const { code, stderr } = await load(await tempRoot(), ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it('has a job for each scenario', () => {
    const files = SCENARIOS.map(({ job }) => fileURLToPath(new URL(`./${job}.mjs`, `file://${LOAD}`)));
    for (const file of files) expect(readFileSync(file, 'utf8')).toContain('export default async function');
  });
});

describe('lost data', () => {
  it('is detected in Git: another text, another commit, a commit of another branch, no file', async () => {
    const folder = await tempRoot();
    const git = (/** @type {string[]} */ ...args) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    const commit = (/** @type {string} */ content) => {
      writeFileSync(join(folder, 'a.ts'), content);
      git('add', '-A');
      git('commit', '-qm', 'a');
      return git('rev-parse', 'HEAD').trim();
    };
    const [first, second] = [commit('one\n'), commit('two\n')];
    git('checkout', '-qb', 'other');
    const elsewhere = commit('three\n');
    const path = 'a.ts';
    const kept = [
      { path, content: 'one\n', commit: first },
      { path, content: 'two\n', commit: second },
    ];
    const lost = [
      { path, content: 'one\n', commit: second },
      { path, content: 'three\n', commit: elsewhere },
      { path: 'b.ts', content: 'one\n', commit: first },
      { path, content: 'one\n' },
    ];
    expect(missingWrites(folder, 'main', [...lost, ...kept])).toEqual(lost);
    expect(missingFiles(folder, 'main', [...kept, ...lost])).toEqual([kept[0], ...lost]);
  });

  it('is detected in the database and in the ledger', async () => {
    const folder = await tempRoot();
    const file = join(folder, 'rows.db');
    const source = api.sqlite(file);
    const { exec_sql } = api.createSqlTools(source, { ddl: true });
    await exec_sql.execute({ sql: 'CREATE TABLE rows (id INTEGER PRIMARY KEY)' });
    await exec_sql.execute({ sql: 'INSERT INTO rows VALUES (1), (3)' });
    await source.close?.();
    expect(await missingRows(api, file, [1, 2, 3, 4])).toEqual([2, 4]);

    const kernel = new api.TGP({ config: { rootDir: join(folder, '.tgp'), memory: 'off' } });
    const tools = api.tgpTools(kernel);
    await tools.write_file.execute({ path: 'tools/a.ts', content: '/** Is #7. */\nexport default () => 1;\n' });
    await kernel.exec('tools/a.ts', { id: 8 });
    await kernel.find('what is #9');
    await kernel.exec('tools/a.ts');
    const { finished, reportedLost } = await ledgerCalls(kernel);
    await kernel.shutdown();
    expect([[...finished], reportedLost]).toEqual([[7, 8, 9], 0]);
  });

  it('includes time: a call that waits for a busy event loop is measured from its scheduled time', async () => {
    let isFirst = true;
    const call = async () => {
      if (!isFirst) return;
      isFirst = false;
      const end = performance.now() + 300;
      while (performance.now() < end);
    };
    const { answers, unanswered } = await openLoop({ rate: 100, seconds: 0.4, kinds: { call: { share: 1, call } } });
    expect(unanswered).toBe(0);
    // The calls that were due while the first one was busy.
    expect(answers.filter(({ ms }) => ms > 100).length).toBeGreaterThan(5);
  });
});

describe('the page', () => {
  const figures = (/** @type {number} */ ms, /** @type {number} */ lost) => [
    { name: 'run, p50', value: ms, unit: 'ms', good: /** @type {const} */ ('less') },
    { name: 'lost', value: lost, unit: '', good: /** @type {const} */ ('zero') },
  ];
  const run = {
    date: '2026-11-18T12:00:00Z',
    minutes: 15,
    builds: { now: 'abc New', before: 'def Old' },
    machine: { cpu: 'A processor', cores: 2, memoryGb: 8, system: 'Linux 6' },
    versions: { node: '20', git: '2' },
    warnings: [],
    scenarios: [
      {
        name: 'mix',
        title: 'The mix',
        about: 'Calls.',
        outcomes: { now: { figures: figures(2, 0), seconds: 1 }, before: { figures: figures(8, 3), seconds: 1 } },
      },
      {
        name: 'disk',
        title: 'A disk',
        about: 'Slow.',
        outcomes: { now: { skipped: 'there is no C compiler (cc)', seconds: 0 }, before: { failure: 'x', seconds: 0 } },
      },
    ],
  };

  it('has the ratio first, both builds, and what was skipped, failed or broken', () => {
    const page = loadPage(run);
    expect(page).toMatch(/^\| run, p50 +\| 0\.25 +\| less \| 2 ms +\| 8 ms +\|$/m);
    expect(page).toMatch(/^\| lost +\| +\| 0 +\| 0 +\| 3 +\|$/m);
    expect(page).toContain('- now: 1 kept, 0 broken.');
    expect(page).toContain('- before: 0 kept, 1 broken. No figures of: A disk.\n  - The mix: lost: 3');
    expect(page).toContain('Skipped (now): there is no C compiler (cc).');
  });

  it('counts a broken guarantee', () => {
    expect(verdict(run, 'now')).toEqual({ kept: 1, violated: [], unknown: [] });
    expect(verdict(run, 'before')).toEqual({ kept: 0, violated: ['The mix: lost: 3'], unknown: ['A disk'] });
  });
});
