/** Real providers accept resumed and shortened conversations. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { eventsOf } from '../helpers/agent_model.js';
import { createKernel } from '../helpers/create_kernel.js';
import { CLIENTS } from '../helpers/providers/clients.js';

afterEach(() => vi.unstubAllEnvs());

describe.each(CLIENTS)('$name', ({ serve }) => {
  test('a session continues after an interruption and with another task', async () => {
    const { kernel } = await createKernel();
    const stop = new AbortController();
    const write = { name: 'write_file', input: { path: 'notes/a.md', content: 'once\n' } };
    const list = { name: 'list_files', input: { dir: '' } };
    const { model, server } = await serve(({ number }) => {
      if (number === 0) return { say: 'Two at once.', calls: [write, list, { name: 'read_file', raw: '{"path": ' }] };
      if (number === 1) stop.abort();
      return number < 3 ? { calls: [list] } : { say: 'Done.' };
    });
    const agent = kernel.agent({ model, session: 's' });
    expect(await agent.run('Write once.', { signal: stop.signal }).result).toMatchObject({ outcome: 'interrupted' });
    expect(await agent.run(undefined, { resume: true }).result).toMatchObject({ outcome: 'done', text: 'Done.' });
    expect(await agent.run('And again?').result).toMatchObject({ outcome: 'done' });
    expect(server.problems).toEqual([]);
    const last = server.requests.at(-1);
    expect(last?.said).toEqual(['Write once.', 'And again?']);
    expect(last?.calls.map(({ name }) => name)).toEqual(['write_file', 'list_files', 'read_file', 'list_files']);
    expect(last?.results.map(({ id }) => id)).toEqual(last?.calls.map(({ id }) => id));
    expect(await kernel.git.log('notes/a.md')).toHaveLength(1);
  });

  test('the provider accepts a shortened conversation', async () => {
    const { kernel } = await createKernel();
    const long = {
      description: 'A long page.',
      inputSchema: z.object({ number: z.number() }),
      execute: async (/** @type {{ number: number }} */ { number }) => `page ${number} `.repeat(2_000),
    };
    const { model, server } = await serve(({ number }) =>
      number < 24 ? { say: `Page ${number}.`, calls: [{ name: 'long', input: { number } }] } : { say: 'Done.' },
    );
    const agent = kernel.agent({ model, tools: { long: /** @type {any} */ (long) }, contextTokens: 12_000 });
    const events = await eventsOf(agent.run('Read all pages.'));
    expect(events.at(-1)).toMatchObject({ outcome: 'done', text: 'Done.' });
    expect(server.problems).toEqual([]);
    expect(events.filter(({ type }) => type === 'compacted').at(-1).steps).toBeGreaterThan(0);
    const last = server.requests.at(-1);
    expect(last?.said.join('\n')).toContain('Read all pages.');
    expect(last?.results.map(({ id }) => id)).toEqual(last?.calls.map(({ id }) => id));
    expect(last?.calls.length).toBeLessThan(24);
  });
});
