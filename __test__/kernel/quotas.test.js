import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const path = 'tools/data.txt';
const refused = { code: 'ERR_LIMIT' };

describe('the quota of the root', () => {
  it('fileBytes limits a file, for every kind of write', async () => {
    const { tools } = await createKernel({ fs: { fileBytes: 100 } });
    await tools.write_file.execute({ path, content: 'x'.repeat(100) });
    await expect(tools.write_file.execute({ path, content: 'x'.repeat(101) })).rejects.toMatchObject(refused);
    await expect(tools.patch_file.execute({ path, search: 'x', replace: 'xx' })).rejects.toMatchObject(refused);
    const diff = `<<<<<<< SEARCH\n${'x'.repeat(100)}\n=======\n${'y'.repeat(101)}\n>>>>>>> REPLACE`;
    await expect(tools.apply_diff.execute({ path, diff })).rejects.toMatchObject(refused);
    expect(await tools.read_file.execute({ path })).toBe('x'.repeat(100));
  });

  it('fileBytes can exceed the default', async () => {
    const { tools } = await createKernel({ fs: { fileBytes: 3 << 20 }, agent: { resultChars: 10_000_000 } });
    const content = 'x'.repeat(2 << 20);
    await tools.write_file.execute({ path, content });
    expect(await tools.read_file.execute({ path })).toHaveLength(content.length);
  });

  it('rootBytes limits all files together, and smaller files still fit', async () => {
    const { tools } = await createKernel({ fs: { fileBytes: 2000, rootBytes: 2000 } });
    await tools.write_file.execute({ path, content: 'x'.repeat(1500) });
    await expect(tools.write_file.execute({ path: 'b.txt', content: 'x'.repeat(600) })).rejects.toMatchObject(refused);
    await expect(tools.patch_file.execute({ path, search: 'x', replace: 'x'.repeat(600) })).rejects.toMatchObject(
      refused,
    );
    expect(await tools.list_files.execute({ dir: '.' })).toEqual([path]);
    await tools.write_file.execute({ path, content: 'x'.repeat(1000) });
    await tools.write_file.execute({ path: 'b.txt', content: 'x'.repeat(600) });
  });

  it('rootFiles limits their number, and existing files can change', async () => {
    const { tools, rootDir } = await createKernel({ fs: { rootFiles: 3 } });
    mkdirSync(join(rootDir, 'theirs'), { recursive: true });
    writeFileSync(join(rootDir, 'theirs', 'a'), 'x');
    await tools.write_file.execute({ path: 'a.txt', content: 'x' });
    await tools.write_file.execute({ path: 'b.txt', content: 'x' });
    await expect(tools.write_file.execute({ path: 'c.txt', content: 'x' })).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/c\.txt.*at most 3 files.*fs\.rootFiles/),
    });
    await tools.write_file.execute({ path: 'b.txt', content: 'y' });
  });

  it('contradictory limits are refused, and named', async () => {
    const kernel = new TGP({ config: { rootDir: await tempRoot(), fs: { fileBytes: 4096, rootBytes: 2048 } } });
    onTestFinished(() => kernel.shutdown());
    await expect(kernel.boot()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/fs\.fileBytes/),
    });
  });
});

describe('the write quota of a run in allowed folders', () => {
  /** @param {import('../../index.js').TGPConfigInput} config */
  async function writer(config) {
    const folder = await tempRoot();
    const configFile = join(folder, 'tgp.config.json');
    writeFileSync(configFile, JSON.stringify({ fs: { allowedDirs: ['out'], ...config.fs }, sandbox: config.sandbox }));
    const kernel = new TGP({ configFile, logger: { debug() {}, info() {}, warn() {}, error() {} } });
    onTestFinished(() => kernel.shutdown());
    const content =
      '/** Writes. */\nexport default (args: { files: [string, number][] }) => args.files.map(([name, size]) => tgp.write_file("out/" + name, "x".repeat(size)));\n';
    await tgpTools(kernel).write_file.execute({ path: 'tools/w.ts', content });
    await tgpTools(kernel).write_file.execute({
      path: 'tools/twice.ts',
      content:
        '/** Writes twice. */\nexport default async (args: { files: [string, number][] }) => {\n  await tgp.exec_tool("tools/w.ts", args);\n  return tgp.exec_tool("tools/w.ts", args);\n};\n',
    });
    return {
      run: (...files) => kernel.exec('tools/w.ts', { files }),
      twice: (...files) => kernel.exec('tools/twice.ts', { files }),
      names: () => (existsSync(join(folder, 'out')) ? readdirSync(join(folder, 'out')).sort() : []),
    };
  }

  it('writeBytes includes nested runs', async () => {
    const { run, twice, names } = await writer({ sandbox: { writeBytes: 100 } });
    await run(['a', 60]);
    await run(['a', 60]);
    await expect(run(['b', 60], ['c', 60])).rejects.toMatchObject({
      message: expect.stringMatching(/one run may write.*at most 100 bytes/),
    });
    await expect(twice(['d', 60])).rejects.toMatchObject({ message: expect.stringMatching(/at most 100 bytes/) });
    expect(names()).toEqual(['a', 'b', 'd']);
  });

  it('writeFiles limits the number of files', async () => {
    const { run, names } = await writer({ sandbox: { writeFiles: 2 } });
    await run(['a', 1], ['b', 1], ['a', 2]);
    await expect(run(['c', 1], ['d', 1], ['e', 1])).rejects.toMatchObject({
      message: expect.stringMatching(/at most 2 files/),
    });
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('fileBytes limits a file', async () => {
    const { run } = await writer({ fs: { fileBytes: 500 } });
    await run(['a', 500]);
    await expect(run(['a', 501])).rejects.toMatchObject({ message: expect.stringMatching(/limit of 500 bytes/) });
  });
});
