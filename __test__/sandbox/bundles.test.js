import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canBundle } from '../../dist/bundle/bundle_package.js';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Longer than a bundle is used without checking its sources. */
const STALE_MS = 2100;

/** An application with packages, whose kernels run one tool. */
async function application() {
  const folder = await tempRoot();
  /** @param {string} place @param {string} code @param {object} [manifest] */
  const install = async (place, code, manifest = {}) => {
    const target = join(folder, place);
    await mkdir(target, { recursive: true });
    await writeFile(
      join(target, 'package.json'),
      JSON.stringify({ name: place.split('/').at(-1), main: 'a.js', ...manifest }),
    );
    await writeFile(join(target, 'a.js'), code);
  };
  const configFile = join(folder, 'tgp.config.json');
  const allowedImports = ['outer', 'outer+sub'];
  await writeFile(configFile, JSON.stringify({ allowedImports, sandbox: { timeoutMs: 2000 } }));
  const start = () => {
    const kernel = new TGP({ configFile });
    onTestFinished(() => kernel.shutdown());
    return kernel;
  };
  const first = start();
  /** @param {string} path @param {string} specifier */
  const importer = (path, specifier) =>
    tgpTools(first).write_file.execute({
      path,
      content: `import value from '${specifier}';\nexport default () => value;\n`,
    });
  await importer('tools/t.ts', 'outer');
  /** The result of the tool in a new kernel. */
  const fresh = async (path = 'tools/t.ts') => {
    const kernel = start();
    const { result } = await kernel.exec(path);
    await kernel.shutdown();
    return result;
  };
  return { folder, install, importer, first, fresh, bundlesDir: join(folder, '.tgp/.git/tgp/bundles') };
}

describe('a bundled package', () => {
  it('is bundled again when its files, its dependencies or its location change', async () => {
    const { folder, install, first, fresh } = await application();
    await install('node_modules/outer', "module.exports = 'one ' + require('inner')");
    await install('node_modules/inner', "module.exports = 'in'");
    const running = async () => (await first.exec('tools/t.ts')).result;
    expect(await running()).toBe('one in');
    await install('node_modules/outer', "module.exports = 'two ' + require('inner')");
    await new Promise((done) => setTimeout(done, STALE_MS));
    expect(await running()).toBe('two in');
    await install('node_modules/inner', "module.exports = 'IN'");
    await new Promise((done) => setTimeout(done, STALE_MS));
    expect(await running()).toBe('two IN');
    await install('node_modules/outer/node_modules/inner', "module.exports = 'nearer'");
    expect(await fresh()).toBe('two nearer');
    await install('node_modules/outer', "module.exports = 'two ' + require('inner')", { main: 'b.js' });
    await writeFile(join(folder, 'node_modules/outer/b.js'), "module.exports = 'by its manifest'");
    expect(await fresh()).toBe('by its manifest');
    await install('store/outer-3', "module.exports = 'linked'");
    await rm(join(folder, 'node_modules/outer'), { recursive: true });
    await symlink(join(folder, 'store/outer-3'), join(folder, 'node_modules/outer'));
    expect(await fresh()).toBe('linked');
    await install('store/outer-4', "module.exports = 'linked elsewhere'");
    await rm(join(folder, 'node_modules/outer'));
    await symlink(join(folder, 'store/outer-4'), join(folder, 'node_modules/outer'));
    expect(await fresh()).toBe('linked elsewhere');
    await rename(join(folder, 'node_modules/outer'), join(folder, 'node_modules/gone'));
    await expect(fresh()).rejects.toMatchObject({
      code: 'ERR_COMPILATION',
      message: expect.stringMatching(/not installed/),
    });
  });

  it('is stored where guests cannot reach it, and reused only for the same content', async () => {
    const { install, first, fresh, bundlesDir } = await application();
    await install('node_modules/outer', "module.exports = 'made once'");
    expect(await fresh()).toBe('made once');
    const [name = ''] = await readdir(bundlesDir);
    const text = await readFile(join(bundlesDir, name), 'utf8');
    expect(text).toContain('made once');
    // The next kernel runs the stored bundle.
    await writeFile(join(bundlesDir, name), text.replaceAll('made once', 'kept here'));
    expect(await fresh()).toBe('kept here');
    const { exec_tool, write_file } = tgpTools(first);
    for (const path of [`.git/tgp/bundles/${name}`, `/lib/../.git/tgp/bundles/${name}`]) {
      const content = `return tgp.read_file(${JSON.stringify(path)})`;
      await write_file.execute({ path: 'tools/spy.ts', content });
      expect(await exec_tool.execute({ path: 'tools/spy.ts' })).toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
      await write_file.execute({
        path: 'tools/spy.ts',
        content: `return tgp.write_file(${JSON.stringify(path)}, 'module.exports = 1')`,
      });
      expect(await exec_tool.execute({ path: 'tools/spy.ts' })).toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    await install('node_modules/outer', "module.exports = 'new text!'");
    expect(await fresh()).toBe('new text!');
    await writeFile(join(bundlesDir, name), '{ torn');
    expect(await fresh()).toBe('new text!');
  });

  it('of an earlier kernel is validated by the content of its files, not by their timestamps', async () => {
    const { folder, install, fresh, bundlesDir } = await application();
    await install('node_modules/outer', "module.exports = 'made once'");
    expect(await fresh()).toBe('made once');
    await install('node_modules/outer', "module.exports = 'new text!'");
    const [name = ''] = await readdir(bundlesDir);
    const bundle = JSON.parse(await readFile(join(bundlesDir, name), 'utf8'));
    const manifest = JSON.parse(bundle.manifest);
    for (const source of manifest.sources) source.changed = (await stat(join(folder, source.path))).ctimeMs;
    await writeFile(join(bundlesDir, name), JSON.stringify({ ...bundle, manifest: JSON.stringify(manifest) }));
    expect(await fresh()).toBe('new text!');
  });

  it('is not confused with another package whose bundle file has the same name', async () => {
    const { folder, install, importer, fresh, bundlesDir } = await application();
    await install('node_modules/outer', "module.exports = 'the package'");
    await writeFile(join(folder, 'node_modules/outer/sub.js'), "module.exports = 'a part of it'");
    await install('node_modules/outer+sub', "module.exports = 'another package'");
    await importer('tools/part.ts', 'outer/sub');
    await importer('tools/other.ts', 'outer+sub');
    expect(await fresh('tools/part.ts')).toBe('a part of it');
    expect(await fresh('tools/other.ts')).toBe('another package');
    expect(await fresh('tools/part.ts')).toBe('a part of it');
    expect(await readdir(bundlesDir)).toHaveLength(1);
  });

  it('needs the Node version of Rolldown, and reports an older one', () => {
    const { engines } = createRequire(import.meta.url)('rolldown/package.json');
    expect(engines.node).toBe('^20.19.0 || >=22.12.0');
    const versions = { '20.18.3': false, '20.19.0': true, '21.7.3': false, '22.11.0': false, '22.12.0': true };
    expect(Object.keys(versions).map(canBundle)).toEqual(Object.values(versions));
    expect(['23.0.0', '24.11.1', '100.0.0'].map(canBundle)).toEqual([true, true, true]);
  });
});
