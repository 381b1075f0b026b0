/** What was asked for and has no result when a session is resumed: nothing is done twice, and nothing that was not meant. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { agentModel, eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const MODEL = new URL('../helpers/agent_model.js', import.meta.url).href;
const ZOD = new URL('../../node_modules/zod/index.js', import.meta.url).href;
const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';

/**
 * A process that dies within the first of its calls.
 * @param {{ tool: string, input: unknown }[]} calls
 */
async function died(calls) {
  const folder = await tempRoot();
  await diedIn(folder, calls);
  return createKernel({ rootDir: join(folder, '.tgp') });
}

/**
 * @param {string} folder
 * @param {{ tool: string, input: unknown }[]} calls
 */
async function diedIn(folder, calls) {
  writeFileSync(join(folder, 'calls.json'), JSON.stringify(calls));
  const { ended } = startProgram(
    folder,
    `const { agentModel } = await import(${JSON.stringify(MODEL)});
    const { z } = await import(${JSON.stringify(ZOD)});
    const { appendFileSync } = await import('node:fs');
    const die = {
      description: 'Dies.',
      inputSchema: z.object({}),
      execute: () => {
        appendFileSync('effects', 'died\\n');
        process.kill(process.pid, 'SIGKILL');
      },
    };
    const kernel = new TGP({ config: { rootDir: '.tgp' } });
    const { readFileSync } = await import('node:fs');
    const model = agentModel([{ text: 'Now.', calls: JSON.parse(readFileSync('calls.json', 'utf8')) }]);
    await kernel.agent({ model, tools: { die } }).run('go', { session: 's' }).result;`,
  );
  const { signal, stderr } = await ended;
  expect(signal, stderr).toBe('SIGKILL');
}

const die = { description: 'Dies.', inputSchema: z.object({}), execute: async () => 'alive' };
const tools = { die: /** @type {any} */ (die) };
const resumed = { session: 's', resume: true };

test('a call that had begun is unknown, and those behind it are made', async () => {
  const { kernel } = await died([
    { tool: 'die', input: {} },
    { tool: 'write_file', input: { path: 'tools/a.md', content: 'a' } },
    { tool: 'write_file', input: '{"path": "tools/b.md", ' },
    { tool: 'nothing', input: {} },
  ]);
  expect(await kernel.sessions.list()).toMatchObject([{ session: 's', state: 'open', task: 'go' }]);
  /** @type {any[]} */
  let told = [];
  const model = agentModel(({ seen }) => {
    told = seen;
    return { text: 'I see.' };
  });
  const events = await eventsOf(kernel.agent({ model, tools }).run(undefined, resumed));
  expect(events.at(-1)).toMatchObject({ outcome: 'done', summary: { changed: ['tools/a.md'], calls: 4 } });
  const results = events.filter(({ type }) => type === 'tool_result');
  expect(results).toMatchObject([
    { call: 'c1', from: 'unknown', ok: false, code: 'ERR_UNKNOWN' },
    { call: 'c2', from: 'made', ok: true },
    { call: 'c3', ok: false },
    { call: 'c4', ok: false },
  ]);
  expect(told.map(({ tool }) => tool)).toEqual(['die', 'write_file', 'write_file', 'nothing']);
  expect(told[0].output).toMatchObject({ state: 'unknown', error: expect.stringContaining('check before') });
  expect(told[2].output).toContain('not valid JSON');
  expect(await kernel.git.log('tools/a.md')).toHaveLength(1);
  expect(await kernel.ledger.query({ session: 's', type: 'CALL', tool: 'die' })).toHaveLength(1);

  // Once more: all of it is on record now.
  const again = agentModel([]);
  expect(await kernel.agent({ model: again, tools }).run(undefined, resumed).result).toMatchObject({ outcome: 'done' });
  expect(again.doStreamCalls).toEqual([]);
});

test('arguments that the ledger has masked are not used', async () => {
  const { kernel } = await died([
    { tool: 'die', input: {} },
    { tool: 'write_file', input: { path: 'tools/key.md', content: `key: ${SECRET}` } },
  ]);
  /** @type {any[]} */
  let told = [];
  const model = agentModel(({ seen }) => {
    told = seen;
    return { text: 'I see.' };
  });
  await kernel.agent({ model, tools }).run(undefined, resumed).result;
  expect(told[1].output).toContain('was not made');
  expect(await kernel.vfs.exists('tools/key.md')).toBe(false);
});

test('arguments that are too large to be kept are not guessed', async () => {
  const { kernel } = await died([
    { tool: 'die', input: {} },
    { tool: 'write_file', input: { path: 'tools/large.md', content: 'large '.repeat(60_000) } },
  ]);
  const model = agentModel(({ seen }) => ({ text: `${seen.length}: ${seen[1]?.output}` }));
  const result = await kernel.agent({ model, tools }).run(undefined, resumed).result;
  expect(result).toMatchObject({ outcome: 'done', text: expect.stringMatching(/^2: This call was not made/) });
  expect(await kernel.vfs.exists('tools/large.md')).toBe(false);
});

test('many large calls of one turn are made when the session goes on', async () => {
  const content = (/** @type {number} */ n) => JSON.stringify(String(n).padEnd(200_000, 'x'));
  const writes = Array.from({ length: 12 }, (_, n) => ({
    tool: 'write_file',
    input: { path: `data/${n}.json`, content: content(n) },
  }));
  const { kernel } = await died([{ tool: 'die', input: {} }, ...writes]);
  const events = await eventsOf(kernel.agent({ model: agentModel([]), tools }).run(undefined, resumed));
  const results = events.filter(({ type }) => type === 'tool_result');
  expect(results.map(({ ok }) => ok)).toEqual([false, ...writes.map(() => true)]);
  expect(await kernel.vfs.readFile('data/11.json')).toBe(content(11));
});

test('a session that another process works on is left to it, until that is gone', async () => {
  const folder = await tempRoot();
  const { child, ended } = startProgram(
    folder,
    `const { agentModel } = await import(${JSON.stringify(MODEL)});
    const kernel = new TGP({ config: { rootDir: '.tgp' } });
    const model = agentModel(() => new Promise((resolve) => setTimeout(resolve, 600_000)));
    for await (const event of kernel.agent({ model }).run('go', { session: 's' })) console.log(event.type);`,
  );
  await once(child.stdout, 'data');
  const { kernel } = await createKernel({ rootDir: join(folder, '.tgp') });
  const model = agentModel([{ text: 'Mine.' }]);
  await vi.waitFor(
    async () => expect(await kernel.sessions.list()).toMatchObject([{ session: 's', state: 'running' }]),
    {
      timeout: 20_000,
    },
  );
  const busy = await kernel.agent({ model }).run(undefined, resumed).result;
  const message = expect.stringContaining(`by process ${child.pid}`);
  expect(busy).toMatchObject({ outcome: 'failed', error: { code: 'ERR_VALIDATION', message } });
  child.kill('SIGKILL');
  await ended;
  expect(await kernel.agent({ model }).run(undefined, resumed).result).toMatchObject({
    outcome: 'done',
    text: 'Mine.',
  });
});

test('a kernel that runs for long finds what a process left that was killed a moment ago', async () => {
  const folder = await tempRoot();
  const { kernel } = await createKernel({ rootDir: join(folder, '.tgp') });
  // Its ledger has looked for what others left, and does so again only from time to time.
  await kernel.ledger.append({ what: 'here' });
  const keeping = setInterval(() => kernel.ledger.append({ what: 'still here' }).catch(() => {}), 300);
  onTestFinished(() => clearInterval(keeping));
  await diedIn(folder, [
    { tool: 'write_file', input: { path: 'tools/a.md', content: 'a' } },
    { tool: 'die', input: {} },
  ]);
  const model = agentModel(({ seen }) => ({
    text: seen.map(({ tool, output }) => `${tool} ${output.state ?? output.success}`).join(),
  }));
  await vi.waitFor(async () => expect(await kernel.sessions.list()).toHaveLength(1), { timeout: 20_000 });
  const result = await kernel.agent({ model, tools }).run(undefined, resumed).result;
  expect(result).toMatchObject({ outcome: 'done', text: 'write_file true,die unknown' });
  expect(await kernel.git.log('tools/a.md')).toHaveLength(1);
});

test('a session is worked on once, also where two kernels of a process share a root', async () => {
  const { kernel, rootDir } = await createKernel();
  const { kernel: other } = await createKernel({ rootDir });
  let go = () => {};
  const waiting = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    go = resolve;
  });
  const slow = agentModel(() => waiting.then(() => ({ text: 'ok' })));
  const first = kernel.agent({ model: slow, session: 's' }).run('go');
  await first[Symbol.asyncIterator]().next();
  const second = await other.agent({ model: agentModel([]), session: 's' }).run('go').result;
  expect(second).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('by this process') } });
  go();
  expect(await first.result).toMatchObject({ outcome: 'done' });
});

test('a call that ended while the run was interrupted has its end from the ledger', async () => {
  const { kernel, rootDir } = await createKernel();
  const stop = new AbortController();
  let made = 0;
  const pay = {
    description: 'Pays.',
    inputSchema: z.object({ amount: z.number() }),
    execute: async () => {
      made += 1;
      writeFileSync(join(rootDir, 'paid'), '1');
      stop.abort();
      throw new Error('The connection broke.');
    },
  };
  const own = { pay: /** @type {any} */ (pay) };
  const first = agentModel([{ calls: [{ tool: 'pay', input: { amount: 7 } }] }]);
  const run = kernel.agent({ model: first, tools: own }).run('pay', { session: 's', signal: stop.signal });
  expect(await run.result).toMatchObject({ outcome: 'interrupted' });
  const second = agentModel(({ seen }) => ({ text: JSON.stringify(seen[0]?.output) }));
  const events = await eventsOf(kernel.agent({ model: second, tools: own }).run(undefined, resumed));
  expect(events.find(({ type }) => type === 'tool_result')).toMatchObject({ from: 'ledger', ok: false });
  expect(events.at(-1).text).toContain('The connection broke.');
  expect(made).toBe(1);
});

test.runIf(process.platform === 'linux')(
  'what a killed process left is waited for while another process holds it, and no effect is repeated',
  { timeout: 60_000 },
  async () => {
    const folder = await tempRoot();
    await diedIn(folder, [{ tool: 'die', input: {} }]);
    const spools = join(folder, '.tgp', '.git', 'tgp', 'ledger', 'spool');
    const [left] = readdirSync(spools);
    // As a kernel does that opens the root and adds what the dead process has left.
    const holder = spawn('flock', ['-x', join(spools, String(left)), 'sh', '-c', 'echo held; cat']);
    onTestFinished(() => void holder.kill());
    await once(holder.stdout, 'data');
    const again = {
      ...die,
      execute: async () => {
        appendFileSync(join(folder, 'effects'), 'again\n');
        return 'alive';
      },
    };
    const { kernel } = await createKernel({ rootDir: join(folder, '.tgp') });
    const model = agentModel(({ seen }) =>
      seen.length === 0 ? { calls: [{ tool: 'die', input: {} }] } : { text: String(seen[0]?.output.state) },
    );
    const own = { die: /** @type {any} */ (again) };
    const fresh = kernel.agent({ model: agentModel([{ text: 'new' }]) }).run('go', { session: 'new' });
    expect(await fresh.result, 'a new session waits for nobody').toMatchObject({ outcome: 'done', text: 'new' });
    // Where nothing of the session is seen yet, it is not there yet.
    const log = /** @type {any} */ (kernel.sessions)[Symbol.for('@tgp/core/session_log')];
    const settled = log.settled.bind(log);
    log.settled = () => {
      holder.stdin.end();
      return settled();
    };
    const result = await kernel.agent({ model, tools: own }).run(undefined, resumed).result;
    expect(readFileSync(join(folder, 'effects'), 'utf8')).toBe('died\n');
    expect(result).toMatchObject({ outcome: 'done', text: 'unknown' });
  },
);

describe('another machine that shares the files', () => {
  /**
   * A process that believes itself on another machine, with its clock, and works on the session until it is ended.
   * @param {string} folder
   * @param {{ aheadMs?: number, resume?: boolean }} [how]
   */
  async function elsewhere(folder, { aheadMs = 0, resume = false } = {}) {
    const { child, ended } = startProgram(
      folder,
      `const os = (await import('node:os')).default;
      os.hostname = () => 'elsewhere';
      (await import('node:module')).default.syncBuiltinESMExports();
      const now = Date.now;
      Date.now = () => now() + ${aheadMs};
      const { agentModel } = await import(${JSON.stringify(MODEL)});
      const kernel = new TGP({ config: { rootDir: '.tgp' } });
      const model = agentModel(() => new Promise((resolve) => setTimeout(() => resolve({ text: 'late' }), 60_000)));
      const run = kernel.agent({ model }).run(${resume ? 'undefined' : "'go'"}, { session: 's', resume: ${resume} });
      for await (const event of run) console.log(JSON.stringify({ type: event.type, error: event.error }));`,
    );
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const [line] = await once(child.stdout, 'data');
    return { child, ended, first: JSON.parse(String(line).split('\n')[0] ?? '{}') };
  }

  test('has a session as long as it says so, and no longer', { timeout: 60_000 }, async () => {
    const folder = await tempRoot();
    const { child, ended, first } = await elsewhere(folder);
    expect(first.type).toBe('start');
    const { kernel } = await createKernel({ rootDir: join(folder, '.tgp') });
    // What others record is seen a moment later.
    await vi.waitFor(async () => expect(await kernel.sessions.list()).toHaveLength(1), { timeout: 20_000 });
    expect(await kernel.sessions.list()).toMatchObject([{ session: 's', state: 'running' }]);
    await expect(kernel.sessions.close('s')).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    const mine = () => kernel.agent({ model: agentModel([{ text: 'mine' }]) }).run(undefined, resumed).result;
    expect(await mine()).toMatchObject({
      outcome: 'failed',
      error: { message: expect.stringMatching(/is in use by process \d+ on elsewhere/) },
    });
    child.kill('SIGKILL');
    await ended;
    expect((await mine()).outcome, 'nobody here can know that it is gone').toBe('failed');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await kernel.sessions.list()).toMatchObject([{ session: 's', state: 'open' }]);
    expect(await mine()).toMatchObject({ outcome: 'done', text: 'mine' });
  });

  test('that took a session over has it: who stood still for too long does nothing more', {
    timeout: 60_000,
  }, async () => {
    const folder = await tempRoot();
    const { kernel } = await createKernel({ rootDir: join(folder, '.tgp') });
    let go = () => {};
    const waiting = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
      go = resolve;
    });
    const write = { tool: 'write_file', input: { path: 'tools/a.md', content: 'a' } };
    const model = agentModel(({ turn }) => waiting.then(() => (turn === 0 ? { calls: [write] } : { text: 'done' })));
    const run = kernel.agent({ model }).run('go', { session: 's' });
    await run[Symbol.asyncIterator]().next();
    // Its clock is ahead, as it would be when this process had slept.
    const { first } = await elsewhere(folder, { aheadMs: 120_000, resume: true });
    expect(first.type).toBe('start');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
    onTestFinished(() => void vi.useRealTimers());
    go();
    expect(await run.result).toMatchObject({
      outcome: 'failed',
      error: { message: expect.stringContaining('on elsewhere') },
    });
    expect(await kernel.vfs.exists?.('tools/a.md')).not.toBe(true);
  });
});
