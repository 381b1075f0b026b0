import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/**
 * A kernel whose config file is in a separate folder.
 * @param {import('../../index.js').TGPConfigInput} config
 */
async function configured(config) {
  const folder = await tempRoot();
  const configFile = join(folder, 'tgp.config.json');
  await writeFile(configFile, JSON.stringify(config));
  const kernel = new TGP({ configFile });
  onTestFinished(() => kernel.shutdown());
  const tools = tgpTools(kernel);
  /** @param {string} source @param {unknown} [args] */
  const run = async (source, args) => {
    await tools.write_file.execute({ path: 'tools/t.ts', content: source });
    return (await kernel.exec('tools/t.ts', args)).result;
  };
  return { folder, kernel, tools, run };
}

const CODE_OF = `const codeOf = (job: () => unknown) => { try { job(); return 'done' } catch (error: any) { return error.code } };`;

describe('scratch', () => {
  it('is private to a run and deleted after it', async () => {
    const { folder, run } = await configured({});
    const source = `
      const before = tgp.list_files('/tmp');
      tgp.write_file('/tmp/deep/a.txt', args.text);
      await new Promise((done) => setTimeout(done, 20));
      return [before, tgp.list_files('/tmp'), tgp.read_file('/tmp/deep/a.txt'), await tgp.read_file('/tmp/deep/a.txt')];`;
    await run(source, { text: 'warm' });
    const runs = await Promise.all(['a', 'b', 'c'].map((text) => run(source, { text })));
    expect(runs).toEqual(['a', 'b', 'c'].map((text) => [[], ['/tmp/deep/a.txt'], text, text]));
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['.tgp', 'tgp.config.json']));
    expect((await readdir(folder)).length).toBe(2);
  });

  it('has a quota in bytes and in files', async () => {
    const { forge } = await createKernel({ sandbox: { scratchBytes: 1000, scratchFiles: 3 } });
    const { result } = await forge(`${CODE_OF}
      return [codeOf(() => tgp.write_file('/tmp/a', 'x'.repeat(900))), codeOf(() => tgp.write_file('/tmp/b', 'x'.repeat(200))),
        codeOf(() => tgp.write_file('/tmp/a', '')), codeOf(() => tgp.write_file('/tmp/b', '')), codeOf(() => tgp.write_file('/tmp/c', '')),
        codeOf(() => tgp.write_file('/tmp/d', '')), tgp.list_files('/tmp').length];`);
    expect(result).toEqual(['done', 'ERR_LIMIT', 'done', 'done', 'done', 'ERR_LIMIT', 3]);
    await expect(forge("tgp.write_file('/tmp/a', { a: 1 } as any)")).rejects.toThrow(/JSON\.stringify/);
  });
});

describe('the root and /lib', () => {
  it('can be read by a tool, but not written', async () => {
    const { tools, forge } = await createKernel();
    await tools.write_file.execute({ path: 'data/a.json', content: '{"a":1}' });
    const { result } = await forge(`${CODE_OF}
      return [JSON.parse(tgp.read_file('data/a.json')).a, tgp.list_files('data'), tgp.list_files('/lib'), tgp.read_file('/lib/test/forged.ts').length > 9,
        ...['data/a.json', 'data/new.json', '/lib/x.ts', 'tools/x.ts', 'meta.json', '.git/config', '/lib/../x', '../x', '/etc/passwd', 'x\\0y', '/tmp/../lib/x.ts']
          .map((path) => codeOf(() => tgp.write_file(path, 'x')))];`);
    expect(result.slice(0, 4)).toEqual([1, ['data/a.json'], ['/lib/test/forged.ts'], true]);
    expect(new Set(result.slice(4))).toEqual(new Set(['ERR_SECURITY_VIOLATION']));
    expect((await tools.list_files.execute({ dir: '.' })).sort()).toEqual(
      expect.arrayContaining(['data/a.json', 'tools/test/forged.ts']),
    );
    await expect(forge("tgp.write_file('out.txt', 'x')")).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
      message: expect.stringMatching(/^Security Violation.*\/tmp/),
    });
  });
});

describe('fs.allowedDirs', () => {
  it('are accessed by the configured name, relative to the folder of the configuration', async () => {
    const { folder, run } = await configured({ fs: { allowedDirs: ['./public/exports'] } });
    await mkdir(join(folder, 'public', 'exports-private'), { recursive: true });
    await writeFile(join(folder, 'public', 'exports-private', 'key'), 'secret');
    const result = await run(`${CODE_OF}
      tgp.write_file('public/exports/2024/a.csv', 'a,b');
      return [tgp.read_file('./public/exports/2024/a.csv'), tgp.list_files('public/exports'),
        ...['public/exports-private/key', 'public/key', 'public/exports/../exports-private/key', 'public/exports/.git/config']
          .map((path) => codeOf(() => tgp.write_file(path, 'x')))];`);
    expect(result.slice(0, 2)).toEqual(['a,b', ['public/exports/2024/a.csv']]);
    expect(new Set(result.slice(2))).toEqual(new Set(['ERR_SECURITY_VIOLATION']));
    expect(await readFile(join(folder, 'public/exports/2024/a.csv'), 'utf8')).toBe('a,b');
    expect(await readFile(join(folder, 'public/exports-private/key'), 'utf8')).toBe('secret');
  });

  it('may be absolute, and symlinks in them do not lead outside', async () => {
    // Not below /tmp, which is the guest's scratch folder.
    const outside = await mkdtemp('/var/tmp/tgp-allowed-');
    onTestFinished(() => rm(outside, { recursive: true }));
    const allowed = join(outside, 'in');
    await mkdir(allowed);
    await writeFile(join(outside, 'secret'), 'secret');
    await symlink(join(outside, 'secret'), join(allowed, 'link'));
    await symlink(outside, join(allowed, 'up'));
    const { run } = await configured({ fs: { allowedDirs: [allowed] } });
    const result = await run(
      `${CODE_OF} tgp.write_file(args.dir + '/x', '1');
      return [tgp.read_file(args.dir + '/x'), codeOf(() => tgp.read_file(args.dir + '/link')), codeOf(() => tgp.write_file(args.dir + '/link', 'x')),
        codeOf(() => tgp.write_file(args.dir + '/up/new', 'x'))];`,
      { dir: allowed },
    );
    expect(result).toEqual(['1', ...Array(3).fill('ERR_SECURITY_VIOLATION')]);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('blockUpwardTraversal refuses every ".."; without it, paths that stay inside are allowed', async () => {
    const source = `${CODE_OF} tgp.write_file('out/a', '1'); return [codeOf(() => tgp.read_file('out/b/../a')), codeOf(() => tgp.read_file('out/../../a')), codeOf(() => tgp.read_file('/tmp/../../a'))];`;
    const blocked = await configured({ fs: { allowedDirs: ['out'] } });
    expect(await blocked.run(source)).toEqual(Array(3).fill('ERR_SECURITY_VIOLATION'));
    const open = await configured({ fs: { allowedDirs: ['out'], blockUpwardTraversal: false } });
    expect(await open.run(source)).toEqual(['done', 'ERR_SECURITY_VIOLATION', 'ERR_SECURITY_VIOLATION']);
  });

  it('cannot be the root, a folder inside it, or /lib', async () => {
    for (const dir of ['./.tgp', '.tgp/tools', '/lib', '/lib/x', 'a\\b', ' ']) {
      const { kernel } = await configured({ fs: { allowedDirs: [dir] } });
      await expect(kernel.boot(), dir).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message: expect.stringMatching(/fs\.allowedDirs/),
      });
    }
  });
});
