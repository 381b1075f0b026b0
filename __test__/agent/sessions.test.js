/** Sessions: conversation and calls are recorded in the ledger, readable there, and resumed from it. */

import { describe, expect, test } from 'vitest';
import { agentModel, eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';

const WRITE = { tool: 'write_file', input: { path: 'tools/notes.md', content: 'once' } };

test('sessions are listed, shown and closed', async () => {
  const { kernel } = await createKernel();
  await kernel
    .agent({ model: agentModel([{ text: 'Hm.', calls: [WRITE] }, { text: 'Done.' }]) })
    .run('write', { session: 'one' }).result;
  await kernel.agent({ model: agentModel([{ text: 'Hello.' }]) }).run('greet', { session: 'two' }).result;
  const listed = await kernel.sessions.list();
  expect(listed.map(({ session }) => session)).toEqual(['two', 'one']);
  expect(listed[1]).toMatchObject({ state: 'open', task: 'write', model: 'scripted', outcome: 'done', text: 'Done.' });
  expect(await kernel.sessions.get('one')).toMatchObject({
    summary: { changed: ['tools/notes.md'], calls: 1 },
    steps: [
      { step: 1, text: 'Hm.', calls: [{ call: 'c1', tool: 'write_file', args: WRITE.input, state: 'ok' }] },
      { step: 2, text: 'Done.', calls: [] },
    ],
  });
  await kernel.sessions.close('one');
  await kernel.sessions.close('one');
  expect(await kernel.sessions.list({ state: 'closed' })).toMatchObject([{ session: 'one' }]);
  const late = await kernel.agent({ model: agentModel([]) }).run('more', { session: 'one' }).result;
  expect(late).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('is closed') } });
  await expect(kernel.sessions.get('three')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  await expect(kernel.sessions.close('three')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  expect((await kernel.ledger.verify()).ok).toBe(true);
});

test('another task in a session continues its conversation', async () => {
  const { kernel } = await createKernel();
  const task = `Remember this: ${'long '.repeat(3_000)}`;
  await kernel.agent({ model: agentModel([{ calls: [WRITE] }, { text: 'I will.' }]) }).run(task, { session: 's' })
    .result;
  const model = agentModel([{ text: 'Yes.' }]);
  const result = await kernel.agent({ model, session: 's' }).run('Do you remember?').result;
  expect(result).toMatchObject({ outcome: 'done', text: 'Yes.', summary: { calls: 0, steps: 1 } });
  const [first] = model.doStreamCalls;
  const [, ...messages] = first?.prompt ?? [];
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  expect(messages[0]?.content).toMatchObject([{ type: 'text', text: task }]);
  expect(messages[2]?.content).toMatchObject([
    { type: 'tool-result', output: { type: 'json', value: { success: true } } },
  ]);
  expect(messages[4]?.content).toMatchObject([{ text: 'Do you remember?' }]);
});

test('a session is used by one run at a time', async () => {
  const { kernel } = await createKernel();
  let go = () => {};
  const waiting = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    go = resolve;
  });
  const slow = agentModel(async () => {
    await waiting;
    return { text: 'ok' };
  });
  const first = kernel.agent({ model: slow, session: 's' }).run('go');
  const events = first[Symbol.asyncIterator]();
  await events.next();
  expect(await kernel.sessions.list()).toMatchObject([{ session: 's', state: 'running' }]);
  await expect(kernel.sessions.close('s')).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
  const second = await kernel.agent({ model: agentModel([{ text: 'no' }]), session: 's' }).run('me too').result;
  expect(second).toMatchObject({
    outcome: 'failed',
    error: { message: expect.stringContaining('is in use') },
  });
  go();
  while (!(await events.next()).done);
  expect(await first.result).toMatchObject({ outcome: 'done' });
});

describe('resuming', () => {
  test('a finished session returns its result again, without a request', async () => {
    const { kernel } = await createKernel();
    await kernel.agent({ model: agentModel([{ text: 'Done.' }]) }).run('go', { session: 's' }).result;
    const model = agentModel([]);
    const again = await kernel.agent({ model }).run(undefined, { session: 's', resume: true }).result;
    expect(again).toMatchObject({ outcome: 'done', text: 'Done.' });
    expect(model.doStreamCalls).toEqual([]);
  });

  test('an interrupted session continues where it stopped', async () => {
    const { kernel } = await createKernel();
    const stop = new AbortController();
    const model = agentModel(({ turn }) => {
      if (turn === 1) stop.abort();
      return turn < 2 ? { calls: [WRITE] } : { text: 'Done.' };
    });
    const first = await kernel.agent({ model }).run('go', { session: 's', signal: stop.signal }).result;
    expect(first).toMatchObject({ outcome: 'interrupted' });
    const events = await eventsOf(
      kernel
        .agent({ model: agentModel(({ seen }) => ({ text: `${seen.length}` })) })
        .run(undefined, { session: 's', resume: true }),
    );
    expect(events[0]).toMatchObject({ type: 'start', task: 'go', resumed: true });
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: '1' });
    expect(await kernel.git.log('tools/notes.md')).toHaveLength(1);
  });

  test('a session that does not exist is ERR_NOT_FOUND', async () => {
    const { kernel } = await createKernel();
    const result = await kernel.agent({ model: agentModel([]) }).run(undefined, { session: 'nobody', resume: true })
      .result;
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'ERR_NOT_FOUND' } });
  });
});

test('without a ledger an agent works, but no session can be resumed', async () => {
  const { kernel } = await createKernel({ ledger: false });
  const model = agentModel([{ calls: [WRITE] }, { text: 'Done.' }]);
  expect(await kernel.agent({ model }).run('go', { session: 's' }).result).toMatchObject({
    outcome: 'done',
    summary: { changed: ['tools/notes.md'] },
  });
  await expect(kernel.sessions.list()).rejects.toMatchObject({ code: 'ERR_LEDGER' });
  const late = await kernel.agent({ model }).run(undefined, { session: 's', resume: true }).result;
  expect(late).toMatchObject({ outcome: 'failed', error: { code: 'ERR_LEDGER' } });
});

test('secrets are masked in the record of a session', async () => {
  const { kernel } = await createKernel();
  const secret = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
  const model = agentModel([
    { text: `The key is ${secret}`, calls: [{ tool: 'search_files', input: { pattern: secret } }] },
    { text: 'ok' },
  ]);
  await kernel.agent({ model }).run('go', { session: 's' }).result;
  const lines = [];
  for await (const line of kernel.sessions.recording('s')) lines.push(line);
  expect(lines).toHaveLength(4);
  expect(lines.join('\n')).not.toContain(secret);
  expect(JSON.stringify(await kernel.sessions.get('s'))).not.toContain(secret);
});
