import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeTools } from '../../tools/retrieval_set.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote } from '../helpers/git_remote.js';

const git = (root, ...args) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
const metaOf = (root) => JSON.parse(readFileSync(join(root, 'meta.json'), 'utf8'));
const write = (tools, path, content) => tools.write_file.execute({ path, content });
const paths = async (kernel) => (await kernel.registry.list()).map(({ path }) => path);

const tool = (description, body = 'return 1;') => `/** ${description} */\nexport default function () { ${body} }\n`;

describe('meta.json', () => {
  it('is committed together with the tool that changed it, and with nothing else', async () => {
    const { tools, rootDir } = await createKernel();
    await write(tools, 'tools/a.ts', tool('First.'));
    expect(git(rootDir, 'show', '--name-only', '--format=%s', 'HEAD').split('\n')).toEqual([
      'Forge: tools/a.ts',
      '',
      'meta.json',
      'tools/a.ts',
    ]);
    await write(tools, 'notes.md', 'no tool');
    expect(git(rootDir, 'show', '--name-only', '--format=', 'HEAD')).toBe('notes.md');
    expect(Object.keys(metaOf(rootDir).tools)).toEqual(['tools/a.ts']);
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
  });

  it('is updated in batches for many tools, at a sync and at shutdown; the registry is always current', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await kernel.boot();
    const many = Array.from({ length: 100 }, (_, index) => ({
      path: `tools/m${index}.ts`,
      source: tool(`Number ${index}.`),
    }));
    placeTools(rootDir, many);
    git(rootDir, 'add', '-A');
    git(rootDir, '-c', 'user.name=h', '-c', 'user.email=h@h', 'commit', '-qm', 'by hand');
    await kernel.registry.hydrate();
    const last = () => git(rootDir, 'show', '--name-only', '--format=%s', 'HEAD').split('\n\n');
    await write(tools, 'tools/a.ts', tool('Adds apples.'));
    expect(last()).toEqual(['Forge: tools/a.ts', 'tools/a.ts']);
    expect((await kernel.find('adds apples'))[0]?.path).toBe('tools/a.ts');
    expect(git(rootDir, 'status', '--porcelain', '-uall')).toBe('');

    await kernel.sync();
    expect(last()).toEqual(['Registry: meta.json', 'meta.json']);
    expect(Object.keys(metaOf(rootDir).tools)).toHaveLength(101);
    await kernel.sync();
    expect(git(rootDir, 'rev-list', '--count', 'HEAD')).toBe('3');

    for (const name of ['b', 'c', 'd', 'e']) await write(tools, `tools/${name}.ts`, tool(`Tool ${name}.`));
    expect(last()).toEqual(['Forge: tools/e.ts', 'meta.json\ntools/e.ts']);
    await write(tools, 'tools/f.ts', tool('Tool f.'));
    await kernel.shutdown();
    expect(last()).toEqual(['Registry: meta.json', 'meta.json']);
    expect(Object.keys(metaOf(rootDir).tools)).toHaveLength(106);
    expect(git(rootDir, 'status', '--porcelain', '-uall')).toBe('');
  });

  it('has the same bytes whatever the order and the history', async () => {
    const files = ['tools/b.ts', 'tools/a/z.ts', 'tools/a.ts', 'tools/ä.ts'];
    const texts = [];
    for (const order of [files, [...files].reverse()]) {
      const { tools, rootDir } = await createKernel();
      for (const path of order) {
        await write(tools, path, tool('Draft.'));
        await write(tools, path, tool(`Does ${path}.`));
      }
      texts.push(readFileSync(join(rootDir, 'meta.json'), 'utf8'));
    }
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]?.split('\n').filter((line) => line.startsWith('"tools/'))).toHaveLength(4);
  });

  it('is rebuilt when it is missing, damaged, foreign or wrong about its tools', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await write(tools, 'tools/a.ts', tool('First.'));
    await write(tools, 'tools/b.ts', tool('Second.'));
    await kernel.shutdown();
    const good = readFileSync(join(rootDir, 'meta.json'), 'utf8');
    const conflict = `<<<<<<< HEAD\n${good}=======\n{}\n>>>>>>> other\n`;
    const stale = good.replace(/"hash":"\w+"/, '"hash":"0"').replace('First.', 'A lie.');
    const ghost = good.replace('"tools/b.ts"', '"tools/ghost.ts"');
    for (const damaged of [undefined, '', good.slice(0, 90), conflict, '{"version":99,"tools":{}}', stale, ghost]) {
      if (damaged === undefined) rmSync(join(rootDir, 'meta.json'));
      else writeFileSync(join(rootDir, 'meta.json'), damaged);
      const again = await createKernel({ rootDir });
      const listed = await again.kernel.registry.list();
      expect(listed.map(({ path, description }) => [path, description])).toEqual([
        ['tools/a.ts', 'First.'],
        ['tools/b.ts', 'Second.'],
      ]);
      const synced = await again.kernel.registry.sync();
      expect(synced).toMatchObject({ path: 'meta.json', persisted: true });
      expect(readFileSync(join(rootDir, 'meta.json'), 'utf8')).toBe(good);
      expect(git(rootDir, 'status', '--porcelain')).toBe('');
      await again.kernel.shutdown();
    }
  });

  it('is not written by a boot or a search', async () => {
    const { kernel, rootDir } = await createKernel();
    placeTools(rootDir, [{ path: 'tools/hand.ts', source: tool('Made by hand.') }]);
    expect(await paths(kernel)).toEqual(['tools/hand.ts']);
    await kernel.find('hand');
    expect(existsSync(join(rootDir, 'meta.json'))).toBe(false);
    expect(git(rootDir, 'status', '--porcelain', '-uall')).toBe('?? tools/hand.ts');
  });
});

describe('external changes', () => {
  it('additions, edits, deletions and commits are detected', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await write(tools, 'tools/a.ts', tool('First.'));
    await write(tools, 'tools/b.ts', tool('Second.'));
    await expect.poll(() => paths(kernel), { timeout: 5000 }).toEqual(['tools/a.ts', 'tools/b.ts']);
    rmSync(join(rootDir, 'tools/b.ts'));
    placeTools(rootDir, [{ path: 'tools/c/c.ts', source: tool('Third.') }]);
    writeFileSync(join(rootDir, 'tools/a.ts'), tool('First, but different.'));
    git(rootDir, 'add', '-A');
    git(rootDir, '-c', 'user.name=h', '-c', 'user.email=h@h', 'commit', '-qm', 'by hand');
    await expect.poll(() => paths(kernel), { timeout: 5000 }).toEqual(['tools/a.ts', 'tools/c/c.ts']);
    expect((await kernel.find('different first'))[0]?.path).toBe('tools/a.ts');
    await write(tools, 'tools/d.ts', tool('Fourth.'));
    expect(Object.keys(metaOf(rootDir).tools)).toEqual(['tools/a.ts', 'tools/c/c.ts', 'tools/d.ts']);
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
  });

  it('hydrate detects an edit with the same size and time', async () => {
    const { kernel, rootDir } = await createKernel();
    const at = new Date(Date.now() - 60_000);
    const place = (word) => {
      mkdirSync(join(rootDir, 'tools'), { recursive: true });
      writeFileSync(join(rootDir, 'tools/a.ts'), tool(word));
      utimesSync(join(rootDir, 'tools/a.ts'), at, at);
    };
    await kernel.boot();
    place('apples');
    await kernel.registry.hydrate();
    place('grapes');
    await kernel.registry.hydrate();
    expect((await kernel.registry.list())[0]?.description).toBe('grapes');
  });

  it('register adds one tool at once', async () => {
    const { kernel, rootDir } = await createKernel();
    await kernel.registry.list();
    placeTools(rootDir, [{ path: 'tools/now.ts', source: tool('Just now.') }]);
    expect(await kernel.registry.register('tools/now.ts')).toMatchObject({ name: 'now', description: 'Just now.' });
    await expect(kernel.registry.register('tools/never.ts')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    await expect(kernel.registry.register('../x.ts')).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });

  it('a registered tool is committed by the next sync', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await write(tools, 'tools/a.ts', tool('First.'));
    placeTools(rootDir, [{ path: 'tools/now.ts', source: tool('Just now.') }]);
    await kernel.registry.register('tools/now.ts');
    await kernel.sync();
    const committed = JSON.parse(git(rootDir, 'show', 'HEAD:meta.json'));
    expect(Object.keys(committed.tools)).toEqual(['tools/a.ts', 'tools/now.ts']);
    expect(git(rootDir, 'status', '--porcelain', 'meta.json')).toBe('');
  });

  it('meta.json has the tools of two agents that write at the same time', async () => {
    const { remote } = await bareRemote();
    const agents = [await createKernel({ git: { repo: remote } }), await createKernel({ git: { repo: remote } })];
    await Promise.all(agents.map(({ kernel }) => kernel.boot()));
    const both = ['tools/w0.ts', 'tools/w1.ts'];
    const named = () => Object.keys(JSON.parse(git(remote, 'show', 'main:meta.json')).tools);
    await Promise.all(agents.map(({ tools }, index) => write(tools, `tools/w${index}.ts`, tool(`Tool ${index}.`))));
    for (const { kernel } of agents) await kernel.sync();
    expect(named()).toEqual(both);

    await Promise.all(agents.map(({ tools }, index) => write(tools, `tools/x${index}.ts`, tool(`Next ${index}.`))));
    for (const { kernel } of agents) await kernel.shutdown();
    expect(named()).toEqual([...both, 'tools/x0.ts', 'tools/x1.ts']);
  });

  it('two kernels on one root agree, and git status stays clean', async () => {
    const one = await createKernel();
    const two = await createKernel({ rootDir: one.rootDir });
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        write((index % 2 ? one : two).tools, `tools/t${index}.ts`, tool(`Tool number ${index}.`)),
      ),
    );
    expect(Object.keys(metaOf(one.rootDir).tools)).toHaveLength(12);
    expect(git(one.rootDir, 'status', '--porcelain')).toBe('');
    expect(git(one.rootDir, 'rev-list', '--count', 'HEAD')).toBe('12');
  });
});

describe('use counts', () => {
  it('count successful runs, persist and stay out of Git', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await write(
      tools,
      'tools/a.ts',
      tool('Fails on demand.', 'if ((args as any).fail) throw new Error("no"); return 1;').replace(
        'function ()',
        'function (args: { fail?: boolean })',
      ),
    );
    await kernel.exec('tools/a.ts');
    await kernel.exec('./tools/a.ts');
    await kernel.exec('tools/a.ts', { fail: true }).catch(() => {});
    expect((await kernel.registry.list())[0]?.uses).toBe(2);
    await kernel.shutdown();
    const again = await createKernel({ rootDir });
    expect((await again.kernel.registry.list())[0]?.uses).toBe(2);
    expect(readFileSync(join(rootDir, 'meta.json'), 'utf8')).not.toContain('uses');
    expect(git(rootDir, 'status', '--porcelain', '-uall')).toBe('');
  });
});
