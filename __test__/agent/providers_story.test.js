/** From a task to a tested tool, and its reuse, with the real client packages of both providers. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { forgeTestFirst, reuse, TEST_PATH, TOOL_PATH } from '../../tools/model_scripts.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { CLIENTS, KEY } from '../helpers/providers/clients.js';

afterEach(() => vi.unstubAllEnvs());

/** @param {any} run */
async function collect(run) {
  /** @type {any[]} */
  const events = [];
  for await (const event of run) events.push(event);
  return {
    events,
    result: await run.result,
    of: (/** @type {string} */ type) => events.filter((e) => e.type === type),
  };
}

describe.each(CLIENTS)('$name', ({ serve }) => {
  test('a tool is forged test-first, run, committed, and reused in a second task', async () => {
    const { kernel } = await createKernel();
    let story = forgeTestFirst;
    const { model, server } = await serve((seen) => story(seen));
    const first = await collect(kernel.agent({ model }).run('What does a box of 40 x 40 x 50 weigh, divisor 139?'));
    expect(server.problems).toEqual([]);
    expect(first.result).toMatchObject({ outcome: 'done', text: 'It weighs 576 pounds.' });
    expect(first.of('tool_result').map(({ ok, tool }) => `${ok ? 'green' : 'red'} ${tool}`)).toMatchObject([
      'green find_tool',
      'green write_file',
      expect.stringMatching(/^red /),
      'green write_file',
      expect.stringMatching(/^green /),
      'green exec_tool',
    ]);
    expect(first.result.summary.forged).toContain(TOOL_PATH);
    expect(first.result.summary.calls).toBe(6);
    const { commit, session, message } = (await kernel.git.log(TOOL_PATH))[0] ?? {};
    expect({ message, session }).toEqual({ message: `Forge: ${TOOL_PATH}`, session: first.result.session });
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(await kernel.git.log(TEST_PATH)).toHaveLength(1);

    story = reuse;
    const second = await collect(kernel.agent({ model }).run('And one of 10 x 20 x 30, divisor 166?'));
    expect(second.result).toMatchObject({ outcome: 'done', text: 'It weighs 37 pounds.' });
    expect(second.result.summary).toMatchObject({ forged: [], changed: [], reused: [TOOL_PATH] });
    expect(second.result.session).not.toBe(first.result.session);
    expect(server.problems).toEqual([]);
  });

  test('malformed arguments are not executed, and usage is added up', async () => {
    const { kernel } = await createKernel();
    const { model, server } = await serve([
      {
        calls: [{ name: 'write_file', raw: '{"path": "notes/a.md", "content": "half' }],
        usage: { input: 1000, output: 20 },
      },
      { calls: [{ name: 'list_files', input: { dir: '.' } }], usage: { input: 1100, output: 30 } },
      { say: 'Nothing.', usage: { input: 1200, output: 40 } },
    ]);
    const { result, of } = await collect(kernel.agent({ model }).run('Go.'));
    expect(server.problems).toEqual([]);
    expect(result.outcome).toBe('done');
    expect(result.summary.tokens).toEqual({ input: 3300, output: 90, total: 3390 });
    expect(of('tool_result').map(({ ok }) => ok)).toEqual([false, true]);
    expect(server.requests[1]?.results[0]?.output).toMatch(/JSON|not valid|invalid/i);
    const written = await kernel.ledger.tail({ type: 'CALL', tool: 'write_file', limit: 10 });
    expect(written).toEqual([]);
  });

  test('rate limits and broken connections are retried, and no effect is repeated', async () => {
    const { kernel } = await createKernel();
    const write = { name: 'write_file', input: { path: 'notes/a.md', content: 'once\n' } };
    const turns = [
      { status: 429, headers: { 'retry-after': '0' }, message: 'Slow down.' },
      { calls: [write] },
      { say: 'Let me see whether it', cutAfter: 5 },
      { status: 503, headers: { 'retry-after': '0' } },
      { say: 'Done.' },
    ];
    const { model, server } = await serve(turns);
    const { result, of } = await collect(kernel.agent({ model }).run('Write once.'));
    expect(result).toMatchObject({ outcome: 'done', text: 'Done.' });
    expect(server.requests).toHaveLength(5);
    expect(server.problems).toEqual([]);
    expect(of('retry').length).toBe(3);
    expect(await kernel.git.log('notes/a.md')).toHaveLength(1);
    expect(await kernel.ledger.tail({ type: 'CALL', tool: 'write_file', limit: 10 })).toHaveLength(1);
  });

  test('no event, session or ledger contains the key, even if the provider repeats it', async () => {
    const { kernel } = await createKernel();
    const { model } = await serve([{ status: 400, message: `Bad key ${KEY}.` }]);
    vi.stubEnv('OPENAI_API_KEY', KEY);
    const { result, events } = await collect(kernel.agent({ model }).run('Go.'));
    expect(result).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining('Bad key') } });
    expect(JSON.stringify(events)).not.toContain(KEY);
    expect(JSON.stringify(await kernel.ledger.tail({ limit: 100 }))).not.toContain(KEY);
    expect(JSON.stringify(await kernel.sessions.list())).not.toContain(KEY);
  });
});

test.each(CLIENTS.filter(({ name }) => name !== 'OpenAI compatible'))(
  '$name: a refusal ends the run as refused',
  async ({ serve }) => {
    const { kernel } = await createKernel();
    const { model } = await serve([{ refuse: 'I cannot help with that.' }]);
    const { result } = await collect(kernel.agent({ model }).run('Do harm.'));
    expect(result).toMatchObject({ outcome: 'refused', text: 'I cannot help with that.' });
  },
);
