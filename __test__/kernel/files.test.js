import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Runs the `git` command line, to verify the repository. */
const git = (root, ...args) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();

describe('write_file and patch_file', () => {
  it('commit exactly the changed files, in a valid repository', async () => {
    const { tools, rootDir } = await createKernel();
    const written = await tools.write_file.execute({ path: 'tools/a/b.ts', content: 'export default () => 1\n' });
    expect(written).toMatchObject({ success: true, path: 'tools/a/b.ts', persisted: true });
    expect(written.commit).toBe(git(rootDir, 'rev-parse', 'HEAD'));
    const patched = await tools.patch_file.execute({ path: 'tools/a/b.ts', search: '1', replace: "'$& $1 $$'" });
    expect(patched.persisted).toBe(true);
    expect(readFileSync(join(rootDir, 'tools/a/b.ts'), 'utf8')).toBe("export default () => '$& $1 $$'\n");
    expect(git(rootDir, 'log', '--format=%s %an').split('\n')).toEqual([
      'Refactor: tools/a/b.ts tgp-bot[bot]',
      'Forge: tools/a/b.ts tgp-bot[bot]',
    ]);
    expect(git(rootDir, 'show', '--name-only', '--format=', 'HEAD')).toBe('meta.json\ntools/a/b.ts');
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
    expect(git(rootDir, 'fsck', '--full', '--strict')).toBe('');
  });

  it('make no commit for an unchanged text', async () => {
    const { tools, rootDir } = await createKernel();
    const file = { path: 'tools/a.ts', content: 'return 1' };
    const first = await tools.write_file.execute(file);
    const second = await tools.write_file.execute(file);
    expect(second).toEqual(first);
    expect(git(rootDir, 'rev-list', '--count', 'HEAD')).toBe('1');
  });

  it('refuse names that are not valid text, and instruction files of other agents', async () => {
    const { tools } = await createKernel();
    for (const path of ['tools/\ud800.ts', 'CLAUDE.md', 'AGENTS.md', 'notes/CLAUDE.md']) {
      await expect(tools.write_file.execute({ path, content: 'x' }), path).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_(VALIDATION|SECURITY_VIOLATION)$/),
      });
    }
    expect(await tools.list_files.execute({ dir: '.' })).toEqual([]);
  });

  it('a diff of a new or a removed file is refused, with the tool to use', async () => {
    const { tools } = await createKernel();
    const path = 'tools/a.ts';
    await tools.write_file.execute({ path, content: 'return 1\n' });
    for (const [diff, use] of [
      ['--- /dev/null\n+++ b/tools/other.ts\n@@ -0,0 +1 @@\n+return 2\n', 'write_file'],
      ['--- a/tools/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-return 1\n', 'delete_file'],
    ]) {
      await expect(tools.apply_diff.execute({ path, diff })).rejects.toMatchObject({
        code: 'ERR_VALIDATION',
        message: expect.stringContaining(use),
      });
    }
    expect(await tools.read_file.execute({ path })).toBe('return 1\n');
  });

  it('a patch that does not apply writes nothing', async () => {
    const { tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    const patch = (search) => tools.patch_file.execute({ path: 'tools/a.ts', search, replace: 'x' });
    await expect(patch('return  1')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    await expect(patch('')).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    await expect(tools.patch_file.execute({ path: 'tools/none.ts', search: 'a', replace: 'b' })).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
    });
    expect(readFileSync(join(rootDir, 'tools/a.ts'), 'utf8')).toBe('return 1');
    expect(git(rootDir, 'rev-list', '--count', 'HEAD')).toBe('1');
  });

  it('concurrent writers lose no file', async () => {
    const { tools, rootDir } = await createKernel();
    const paths = Array.from({ length: 40 }, (_, index) => `tools/many/t${index}.ts`);
    await Promise.all(paths.map((path) => tools.write_file.execute({ path, content: `return '${path}'` })));
    expect(git(rootDir, 'rev-list', '--count', 'HEAD')).toBe('40');
    expect(git(rootDir, 'ls-files').split('\n').sort()).toEqual(['meta.json', ...paths].sort());
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
    expect(await tools.list_files.execute({ dir: 'tools/many' })).toEqual([...paths].sort());
  });
});

describe('the root jail', () => {
  it('refuses paths outside the root, and changes nothing', async () => {
    const outside = await tempRoot();
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    const { kernel, tools, rootDir } = await createKernel();
    await kernel.boot();
    mkdirSync(join(rootDir, 'tools'), { recursive: true });
    symlinkSync(outside, join(rootDir, 'tools', 'link'));
    symlinkSync(join(outside, 'secret.txt'), join(rootDir, 'tools', 'secret.txt'));
    const paths = [
      '../x.ts',
      'tools/../../x.ts',
      join(outside, 'x.ts'),
      'tools/link/x.ts',
      'tools/secret.txt',
      '.git/config',
      'tools/.git/hooks/post-commit',
      'tools/a\0.ts',
    ];
    for (const path of paths) {
      await expect(tools.write_file.execute({ path, content: 'x' }), path).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
        message: expect.stringMatching(/^Security Violation/),
      });
    }
    await expect(tools.read_file.execute({ path: 'tools/secret.txt' })).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
    });
    await expect(tools.read_file.execute({ path: '.git/HEAD' })).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
    });
    expect(existsSync(join(outside, 'x.ts'))).toBe(false);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect((await tools.list_files.execute({ dir: '.' })).some((path) => path.includes('.git'))).toBe(false);
  });

  it('refuses code outside tools/, meta.json and hidden files', async () => {
    const { tools } = await createKernel();
    for (const path of ['x.ts', 'meta.json', 'bin/tgp', '.gitattributes', 'tools/.env']) {
      await expect(tools.write_file.execute({ path, content: 'x' }), path).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
      });
    }
    expect((await tools.write_file.execute({ path: 'data/plan.json', content: '{}' })).persisted).toBe(true);
  });

  it('no error reveals the path of the root', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    const errors = [];
    for (const path of ['tools/none.ts', '../x', '/etc/passwd', 'tools']) {
      for (const call of [
        () => tools.read_file.execute({ path }),
        () => kernel.exec(path),
        () => kernel.check(path),
        () => tools.write_file.execute({ path, content: 'x' }),
      ]) {
        errors.push(
          await call().catch(
            (error) => `${error.message} ${JSON.stringify(error.details)} ${error.stack.split('\n')[0]}`,
          ),
        );
      }
    }
    for (const text of errors) expect(text).not.toContain(rootDir);
  });
});

describe('boot', () => {
  it('creates a separate repository for .tgp inside the application repository', async () => {
    const app = await tempRoot();
    git(app, 'init', '-q');
    const { tools, rootDir } = await createKernel({ rootDir: join(app, '.tgp') });
    await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    expect(git(rootDir, 'rev-parse', '--show-toplevel')).toBe(rootDir);
    expect(git(rootDir, 'rev-list', '--count', 'HEAD')).toBe('1');
  });

  it('a second kernel on the same root has the files of the first', async () => {
    const first = await createKernel();
    await first.tools.write_file.execute({ path: 'tools/a.ts', content: 'return args.n' });
    await first.kernel.shutdown();
    const second = await createKernel({ rootDir: first.rootDir });
    expect((await second.kernel.exec('tools/a.ts', { n: 3 })).result).toBe(3);
    expect(second.kernel.config).toMatchObject({
      sandbox: { memoryMb: 64, timeoutMs: 50, wallMs: 30_000, isolation: 'process' },
    });
  });

  it('concurrent first calls share one boot', async () => {
    const { kernel, tools } = await createKernel();
    await Promise.all([
      kernel.boot(),
      tools.list_files.execute({ dir: '.' }),
      kernel.boot(),
      tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' }),
    ]);
    expect((await kernel.exec('tools/a.ts')).result).toBe(1);
  });
});

describe('check_tool', () => {
  it('reports findings with positions, and does not throw for invalid code', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/bad.ts', content: 'export default () => {\n  const x = ;\n}' });
    const report = await tools.check_tool.execute({ path: 'tools/bad.ts' });
    expect(report.valid).toBe(false);
    expect(report.errors[0]).toMatch(/^tools\/bad\.ts:2:13: /);
    expect(report.diagnostics[0]).toMatchObject({ rule: 'syntax', severity: 'error', line: 2, column: 13 });
    await tools.write_file.execute({
      path: 'tools/good.ts',
      content: '/** The number. */\nexport default (a: { n: number }) => a.n satisfies number',
    });
    expect(await tools.check_tool.execute({ path: 'tools/good.ts' })).toEqual({
      valid: true,
      errors: [],
      diagnostics: [],
      typesChecked: true,
    });
  });
});

describe('exec_tool', () => {
  it('reports a failed run instead of throwing', async () => {
    const { tools } = await createKernel();
    await tools.write_file.execute({
      path: 'tools/t.ts',
      content:
        "export default (a: { fail: boolean }) => {\n  console.log('hi');\n  if (a.fail) throw new Error('no');\n  return 1;\n}",
    });
    expect(await tools.exec_tool.execute({ path: 'tools/t.ts', args: { fail: false } })).toMatchObject({
      success: true,
      result: 1,
      logs: [{ level: 'log', message: 'hi' }],
    });
    expect(await tools.exec_tool.execute({ path: 'tools/t.ts', args: { fail: true } })).toMatchObject({
      success: false,
      code: 'ERR_TOOL_THROWN',
      error: 'no',
      line: 3,
      logs: [{ level: 'log', message: 'hi' }],
      stack: expect.stringContaining('tools/t.ts:3:'),
    });
    expect(await tools.exec_tool.execute({ path: 'tools/none.ts' })).toMatchObject({
      success: false,
      code: 'ERR_NOT_FOUND',
      logs: [],
    });
  });
});
