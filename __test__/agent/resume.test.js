/** Calls without a result when a session is resumed: no call is made twice, and no arguments are guessed. */

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
 * A session whose process crashes in a call of the tool `die`.
 * @param {{ tool: string, input: unknown }[]} calls
 */
async function crashedSession(calls) {
  const folder = await tempRoot();
  await crashIn(folder, calls);
  return createKernel({ rootDir: join(folder, '.tgp') });
}

/**
 * @param {string} folder
 * @param {{ tool: string, input: unknown }[]} calls
 */
async function crashIn(folder, calls) {
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

test('a call that had started has an unknown outcome, and the calls after it are made', async () => {
  const { kernel } = await crashedSession([
    { tool: 'die', input: {} },
    { tool: 'write_file', input: { path: 'tools/a.md', content: 'a' } },
    { tool: 'write_file', input: '{"path": "tools/b.md", ' },
    { tool: 'nothing', input: {} },
  ]);
  expect(await kernel.sessions.list()).toMatchObject([{ session: 's', state: 'open', task: 'go' }]);
  /** @type {any[]} */
  let shown = [];
  const model = agentModel(({ seen }) => {
    shown = seen;
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
  expect(shown.map(({ tool }) => tool)).toEqual(['die', 'write_file', 'write_file', 'nothing']);
  expect(shown[0].output).toMatchObject({ state: 'unknown', error: expect.stringContaining('check before') });
  expect(shown[2].output).toContain('not valid JSON');
  expect(await kernel.git.log('tools/a.md')).toHaveLength(1);
  expect(await kernel.ledger.query({ session: 's', type: 'CALL', tool: 'die' })).toHaveLength(1);

  // Resumed again: all results are recorded now.
  const again = agentModel([]);
  expect(await kernel.agent({ model: again, tools }).run(undefined, resumed).result).toMatchObject({ outcome: 'done' });
  expect(again.doStreamCalls).toEqual([]);
});

test('arguments that the ledger has masked are not used', async () => {
  const { kernel } = await crashedSession([
    { tool: 'die', input: {} },
    { tool: 'write_file', input: { path: 'tools/key.md', content: `key: ${SECRET}` } },
  ]);
  /** @type {any[]} */
  let shown = [];
  const model = agentModel(({ seen }) => {
    shown = seen;
    return { text: 'I see.' };
  });
  await kernel.agent({ model, tools }).run(undefined, resumed).result;
  expect(shown[1].output).toContain('was not made');
  expect(await kernel.vfs.exists('tools/key.md')).toBe(false);
});

test('arguments that are too large for the ledger are not guessed', async () => {
  const { kernel } = await crashedSession([
    { tool: 'die', input: {} },
    { tool: 'write_file', input: { path: 'tools/large.md', content: 'large '.repeat(60_000) } },
  ]);
  const model = agentModel(({ seen }) => ({ text: `${seen.length}: ${seen[1]?.output}` }));
  const result = await kernel.agent({ model, tools }).run(undefined, resumed).result;
  expect(result).toMatchObject({ outcome: 'done', text: expect.stringMatching(/^2: This call was not made/) });
  expect(await kernel.vfs.exists('tools/large.md')).toBe(false);
});

test('many large calls of one turn are made when the session is resumed', async () => {
  const content = (/** @type {number} */ n) => JSON.stringify(String(n).padEnd(200_000, 'x'));
  const writes = Array.from({ length: 12 }, (_, n) => ({
    tool: 'write_file',
    input: { path: `data/${n}.json`, content: content(n) },
  }));
  const { kernel } = await crashedSession([{ tool: 'die', input: {} }, ...writes]);
  const events = await eventsOf(kernel.agent({ model: agentModel([]), tools }).run(undefined, resumed));
  const results = events.filter(({ type }) => type === 'tool_result');
  expect(results.map(({ ok }) => ok)).toEqual([false, ...writes.map(() => true)]);
  expect(await kernel.vfs.readFile('data/11.json')).toBe(content(11));
});

test('a session that another process uses cannot be resumed until that process has ended', async () => {
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

test('a long-running kernel finds the events of a process that was killed just before', async () => {
  const folder = await tempRoot();
  const { kernel } = await createKernel({ rootDir: join(folder, '.tgp') });
  // Its ledger has already looked for events of other processes, and does so again only periodically.
  await kernel.ledger.append({ what: 'here' });
  const keeping = setInterval(() => kernel.ledger.append({ what: 'still here' }).catch(() => {}), 300);
  onTestFinished(() => clearInterval(keeping));
  await crashIn(folder, [
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

test('two kernels of one process with the same root cannot use the same session', async () => {
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

test('a call that ended while the run was interrupted has its result from the ledger', async () => {
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
  'a resumed run waits for events that another process is importing, and repeats no effect',
  { timeout: 60_000 },
  async () => {
    const folder = await tempRoot();
    await crashIn(folder, [{ tool: 'die', input: {} }]);
    const spools = join(folder, '.tgp', '.git', 'tgp', 'ledger', 'spool');
    const [left] = readdirSync(spools);
    // Like a kernel that opens the root and imports the events of the dead process.
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
    expect(await fresh.result, 'a new session does not wait').toMatchObject({ outcome: 'done', text: 'new' });
    // The events are released only when the run waits for them.
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
   * A process with the host name and the clock of another machine, which uses the session until it is killed.
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

  test('has a session as long as its lease lasts, and no longer', { timeout: 60_000 }, async () => {
    const folder = await tempRoot();
    const { child, ended, first } = await elsewhere(folder);
    expect(first.type).toBe('start');
    const { kernel } = await createKernel({ rootDir: join(folder, '.tgp') });
    // Events of other processes are visible with a delay.
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
    expect((await mine()).outcome, 'this machine cannot know that the process has ended').toBe('failed');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await kernel.sessions.list()).toMatchObject([{ session: 's', state: 'open' }]);
    expect(await mine()).toMatchObject({ outcome: 'done', text: 'mine' });
  });

  test('keeps a session that it took over: a process that was suspended makes no more calls', {
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
    // Its clock is ahead, as if this process had been suspended.
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
