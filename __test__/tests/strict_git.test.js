import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { PLAIN, S, strictAgent, T, TEST, TOOL, testOf } from '../helpers/strict_agent.js';

const WRONG = TOOL.replace('sum + row', 'sum - row');
const P = 'tools/plain.ts';

/** @param {import('../../index.js').TGPConfigInput} [config] */
async function withRemote(config = {}) {
  const { folder, remote } = await bareRemote();
  const agent = await strictAgent({ git: { repo: remote }, ...config });
  return {
    ...agent,
    remote,
    /** The files that the remote has. */
    there: () => git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n'),
    textThere: (/** @type {string} */ path) => `${git(remote, 'show', `main:${path}`)}\n`,
    /** Pushes files from another clone. */
    push: (/** @type {Record<string, string>} */ files) => {
      const path = clone(folder, remote);
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true });
        writeFileSync(join(path, name), text);
      }
      git(path, 'add', '-A');
      git(path, 'commit', '-qm', 'By a person');
      git(path, 'push', '-q', 'origin', 'HEAD:main');
    },
  };
}

describe('a tool that is not green', () => {
  it('is committed locally, and pushed when its test passes', async () => {
    const agent = await withRemote();
    expect(await agent.write(S, TEST)).toMatchObject({ persisted: true });
    await agent.tried(T);
    const held = await agent.write(T, TOOL);
    expect(held).toMatchObject({ persisted: 'local', problem: expect.stringContaining('test_tool') });
    expect(await agent.write('notes/a.md', 'a')).toMatchObject({ persisted: 'local' });
    expect(agent.there()).toEqual([S]);
    expect(git(agent.rootDir, 'log', '--format=%H')).toContain(held.commit);
    expect(git(agent.remote, 'log', '--format=%H', 'main')).not.toContain(held.commit);

    agent.push({ 'other.md': 'o' });
    await agent.kernel.sync();
    expect(agent.there()).toEqual(['other.md', S]);
    expect(await agent.call('read_file', { path: 'other.md' })).toBe('o');
    await agent.kernel.git.hydrate();
    expect(agent.there()).toEqual(['other.md', S]);

    expect(await agent.stateOf()).toMatchObject({ phase: 'green' });
    await vi.waitFor(() => expect(agent.there()).toContain(T), { timeout: 20_000, interval: 100 });
    expect(agent.there()).toContain('notes/a.md');
    expect(await agent.write('notes/b.md', 'b')).toMatchObject({ persisted: true });
  });

  it('is not pushed by a shutdown or by the next kernel', async () => {
    const agent = await withRemote();
    await agent.write(S, TEST);
    await agent.tried(T);
    await agent.write(T, TOOL);
    await agent.kernel.shutdown();
    expect(agent.there()).toEqual([S]);
    const next = await strictAgent({ rootDir: agent.rootDir, git: { repo: agent.remote } });
    await next.kernel.boot();
    await next.kernel.sync();
    expect(agent.there()).toEqual([S]);
    expect(await next.stateOf()).toMatchObject({ phase: 'green' });
    await next.kernel.shutdown();
    expect(agent.there()).toContain(T);
  });

  it.each(/** @type {const} */ (['strict', 'debug']))(
    'is held back in mode %s when a pushed tool or its test changes',
    async (mode) => {
      const agent = await withRemote({ mode });
      await agent.forge();
      await agent.kernel.sync();
      expect(agent.there()).toContain(T);
      expect(await agent.write(T, WRONG)).toMatchObject({ persisted: 'local' });
      await agent.kernel.sync();
      expect(agent.textThere(T)).toBe(TOOL);
      await agent.write(T, TOOL);
      expect(await agent.write(S, TEST.replace('toBe(0)', 'toBeDefined()'))).toMatchObject({ persisted: 'local' });
      await agent.kernel.sync();
      expect(agent.textThere(S)).toBe(TEST);
      expect(await agent.write(S, TEST)).toMatchObject({ persisted: true });
    },
  );

  it('is held back when its test was moved away', async () => {
    const agent = await withRemote();
    await agent.forge();
    await agent.kernel.sync();
    expect(await agent.call('move_file', { from: S, to: 'tools/sum.test.ts' })).toMatchObject({ persisted: 'local' });
    await agent.kernel.sync();
    expect(agent.there()).toContain(S);
    expect(await agent.run()).toMatchObject({ code: 'ERR_STATE' });
  });

  it('is pushed at once if no tests are required', async () => {
    const agent = await withRemote({ mode: 'explore' });
    expect(await agent.write(P, PLAIN)).toMatchObject({ persisted: true });
    expect(agent.there()).toContain(P);
    const exempt = await withRemote({ exempt: ['tools/scratch/**'] });
    expect(await exempt.write('tools/scratch/p.ts', PLAIN)).toMatchObject({ persisted: true });
  });

  it('is held back for a strict agent of a kernel in another mode', async () => {
    const agent = await withRemote({ mode: 'explore' });
    const { tgpTools } = await import('../../index.js');
    const strict = tgpTools(agent.kernel, { mode: 'strict' });
    await expect(strict.write_file.execute({ path: P, content: PLAIN })).rejects.toMatchObject({ code: 'ERR_STATE' });
    await strict.write_file.execute({ path: 'tools/plain.test.ts', content: testOf('plain') });
    await strict.test_tool.execute({ path: P });
    expect(await strict.write_file.execute({ path: P, content: PLAIN })).toMatchObject({ persisted: 'local' });
    await agent.kernel.sync();
    expect(agent.there()).not.toContain(P);
  });
});

describe('a file that others push', () => {
  it('is not run untested', async () => {
    const agent = await withRemote();
    await agent.forge();
    await agent.kernel.sync();
    agent.push({ [P]: PLAIN });
    await agent.kernel.sync();
    await agent.refused(agent.run(P, {}), { path: P, test: testOf('plain') });
  });

  it('changes the state of a green tool', async () => {
    const agent = await withRemote();
    await agent.forge();
    await agent.kernel.sync();
    agent.push({ [T]: WRONG });
    await agent.kernel.sync();
    const { details } = await agent.refused(agent.run(), { path: T });
    expect(details).toMatchObject({ state: 'changed' });
    expect(await agent.run()).toMatchObject({ code: 'ERR_STATE', error: expect.stringContaining('fails') });
    await agent.write(T, TOOL);
    expect(await agent.run()).toMatchObject({ result: 3 });
  });

  it('does not turn a test of the agent into one of a person', async () => {
    const agent = await withRemote();
    await agent.forge();
    await agent.kernel.sync();
    await agent.write(S, TEST.replace('toBe(3)', 'toBeDefined()'));
    agent.push({ 'other.md': 'o' });
    await agent.kernel.sync();
    expect(await agent.stateOf()).toEqual({ phase: 'red', reason: 'unproven' });
    expect(await agent.run()).toMatchObject({ code: 'ERR_STATE' });
    expect(agent.textThere(S)).toBe(TEST);
  });
});
