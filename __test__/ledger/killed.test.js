/** Processes that are killed at any moment: the ledger stays valid and has every effect and every reported call. */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test, vi } from 'vitest';
import { TGP } from '../../index.js';
import { howOften } from '../helpers/how_often.js';
import { callsOf } from '../helpers/ledger.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const PROCESSES = 4;
const MANY = 10_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Writes and runs tools without end, and prints each completed call. */
const WORKER = `
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const kernel = new TGP({ config: { rootDir: '.tgp', sandbox: { warm: 0, timeoutMs: 5_000 } }, logger: quiet,
  sandboxAPI: { effect: async (name) => { const { writeFileSync } = await import('node:fs'); writeFileSync('effects/' + name, ''); return 1; } } });
const tools = tgpTools(kernel, { session: process.argv[1] });
for (let n = 0; ; n++) {
  const name = process.argv[1] + '-' + n;
  const path = 'tools/' + process.argv[1] + '/t' + (n % 5) + '.ts';
  await tools.write_file.execute({ path, content: 'export default async (args: { name: string }) => tgp.effect(args.name); // ' + n });
  console.log(JSON.stringify({ written: n, path }));
  await kernel.exec(path, { name });
  console.log(JSON.stringify({ ran: name, path }));
}
`;

test('SIGKILL of four processes under load loses no event', { timeout: 900_000 }, async () => {
  const folder = await tempRoot();
  const { mkdirSync } = await import('node:fs');
  mkdirSync(join(folder, 'effects'));
  /** @type {string[]} */
  const reported = [];
  let started = 0;
  const start = () => {
    started += 1;
    const name = `p${started}`;
    const { child, ended } = startProgram(folder, WORKER.replaceAll('process.argv[1]', JSON.stringify(name)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { ran } = JSON.parse(line);
      if (ran !== undefined) reported.push(ran);
    });
    return { child, ended };
  };
  const running = Array.from({ length: PROCESSES }, start);
  onTestFinished(() => {
    for (const { child } of running) child.kill('SIGKILL');
  });
  for (let kills = howOften({ usual: 8, long: 200 }); kills > 0; kills--) {
    // Wait for a completed call since the last kill, also on a busy machine.
    const done = reported.length;
    await vi.waitFor(() => expect(reported.length).toBeGreaterThan(done), { timeout: 60_000, interval: 20 });
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 500));
    const victim = Math.floor(Math.random() * PROCESSES);
    const { child, ended } = /** @type {ReturnType<typeof start>} */ (running[victim]);
    expect(child.exitCode, (await Promise.race([ended, { stderr: '' }])).stderr).toBe(null);
    child.kill('SIGKILL');
    await ended;
    running[victim] = start();
  }
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }

  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp'), sandbox: { warm: 0 } }, logger: silent });
  onTestFinished(() => kernel.shutdown());
  const { ok, problem, events } = await kernel.ledger.verify();
  expect(problem).toBeUndefined();
  expect(ok).toBe(true);

  const all = [];
  for (let page, after = 0; page?.length !== 0; after = all.at(-1)?.seq ?? 0) {
    page = await kernel.ledger.query({ after, limit: MANY });
    all.push(...page);
  }
  expect(all.length).toBeGreaterThanOrEqual(events);
  const calls = callsOf(all);
  // No call is recorded twice, and none has two results.
  expect(new Set(calls.map(({ call }) => call)).size).toBe(calls.length);
  expect(calls.filter(({ results }) => results.length > 1)).toEqual([]);

  const effects = await readdir(join(folder, 'effects'));
  const intended = new Set(
    calls.filter(({ tool }) => tool === 'effect').map(({ args }) => String(Array.isArray(args) ? args[0] : args.name)),
  );
  expect(effects.filter((name) => !intended.has(name))).toEqual([]);
  const ended = new Set(
    calls.filter(({ effect, results }) => effect === 'run' && results.length === 1).map(({ args }) => args.name),
  );
  expect(reported.filter((name) => !ended.has(name))).toEqual([]);
  expect(reported.length).toBeGreaterThan(0);
  const written = new Set(calls.filter(({ tool }) => tool === 'write_file').map(({ path }) => path));
  const commits = await kernel.git.log(undefined, { limit: 100 });
  for (const { message } of commits) {
    const path = /^Forge: (.+)$/.exec(message)?.[1];
    if (path !== undefined && existsSync(join(folder, '.tgp', path))) expect(written).toContain(path);
  }

  // The outcome of a call without a result is unknown.
  const open = calls.filter(({ results }) => results.length === 0);
  for (const { call } of open.slice(0, 20)) {
    expect(await kernel.ledger.show(String(call))).toMatchObject({ state: 'unknown' });
  }
});
