import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DEFAULT_ROOT } from '../../dist/cli/workspace/config_lookup.js';
import { TGP } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { find, problems } from '../helpers/doctor_report.js';
import { git } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('tgp doctor', () => {
  test('finds no problem in an initialised folder', async () => {
    const folder = await tempRoot();
    await runCli(folder, ['init']);
    await mkdir(join(folder, 'node_modules/@tgp'), { recursive: true });
    await symlink(ROOT, join(folder, 'node_modules/@tgp/core'));
    await symlink(join(ROOT, 'node_modules/ai'), join(folder, 'node_modules/ai'));
    const { code, ...printed } = await runCli(folder, ['doctor', '--json'], { env: { AI_GATEWAY_API_KEY: 'x' } });
    const report = printed.json();
    expect(code).toBe(0);
    expect(report.healthy).toBe(true);
    expect(report.checks.map(({ name }) => name)).toEqual([
      'Platform',
      'Node',
      'Worker',
      'V8',
      'Confinement',
      'Config',
      'Workspace',
      'Remote',
      'Database',
      'Agent',
    ]);
    // The available confinement depends on the system.
    expect(report.checks.every(({ name, status }) => status === 'ok' || name === 'Confinement')).toBe(true);
    expect(find(report, 'Confinement').detail).toContain('seccomp');
    expect(find(report, 'Worker').detail).toContain('ran a tool');
    const built = process.platform === 'linux' && process.arch === 'x64' ? 'with' : 'without';
    expect(find(report, 'V8').detail).toMatch(
      new RegExp(`^15\\.2\\.\\S+ in the sandbox \\(${built} pointer compression, ${built} V8's own sandbox\\)`),
    );
  });

  test('changes nothing, and leaves no files', async () => {
    const folder = await tempRoot();
    const temporary = await tempRoot();
    const { code, stdout } = await runCli(folder, ['doctor'], { env: { TMPDIR: temporary } });
    expect(code).toBe(0);
    expect(stdout).toContain('./.tgp does not exist yet');
    expect(stdout).toContain('tgp init');
    expect(await readdir(folder)).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
  });

  test('checks the remote without the secrets of tools', async () => {
    const folder = await tempRoot();
    const secrets = { TOKEN: { env: 'TGP_TEST_DOCTOR', hosts: ['api.example.org'] } };
    await writeFile(join(folder, 'tgp.config.json'), JSON.stringify({ secrets }));
    const { code, ...printed } = await runCli(folder, ['doctor', '--json'], { env: { TGP_TEST_DOCTOR: 'x' } });
    expect(find(printed.json(), 'Remote')).toMatchObject({ status: 'ok' });
    expect(code).toBe(0);
  });

  test('names an unknown key of the config', async () => {
    const folder = await tempRoot();
    await writeFile(join(folder, 'tgp.config.json'), '{"sandbox":{"memoryMB":64}}');
    const { code, ...printed } = await runCli(folder, ['doctor', '--json']);
    expect(code).toBe(1);
    expect(find(printed.json(), 'Config')).toMatchObject({
      status: 'problem',
      remedy: expect.stringContaining('"sandbox.memoryMB" is not known, did you mean "sandbox.memoryMb"?'),
    });
  });

  /** @type {[string, string, string, string[]][]} */
  const faults = [
    ['a key of another type', 'tgp.config.json', '{"git":{"repo":7}}', ['git.repo']],
    ['a file that is not JSON', 'tgp.config.json', '{', ['tgp.config.json']],
    ['a package that is not installed', 'tgp.config.mjs', "import 'nowhere'; export default {};", ['nowhere']],
    ['keys that contradict', 'tgp.config.json', '{"git":{"provider":"github"}}', ['git.repo is missing']],
    [
      'a secret that is not set',
      'tgp.config.json',
      '{"secrets":{"A":{"env":"TGP_NONE"}}}',
      ['TGP_NONE, which is not set'],
    ],
    [
      'a function of a name that tools cannot call',
      'tgp.config.mjs',
      'export default { sandboxAPI: { then: () => 1 } };',
      ['is treated as a promise'],
    ],
    [
      'rules that a database cannot keep',
      'tgp.config.mjs',
      'export default { sql: { source: async () => [], readOnly: true } };',
      ['readOnly requires a transaction'],
    ],
    [
      'two problems at once',
      'tgp.config.json',
      '{"secrets":{"A":{"env":"TGP_NONE"}},"network":{"proxy":"x"}}',
      ['TGP_NONE, which is not set', 'network.proxy is not a URL'],
    ],
  ];
  test.each(faults)('reports %s once, under Config', async (_, file, text, words) => {
    const folder = await tempRoot();
    await writeFile(join(folder, file), text);
    const { code, stdout, ...printed } = await runCli(folder, ['doctor', '--json']);
    expect(code).toBe(1);
    const report = printed.json();
    expect(problems(report)).toEqual(['Config']);
    for (const word of words) {
      expect(find(report, 'Config').remedy).toContain(word);
      expect(stdout.split(word)).toHaveLength(2);
    }
  });

  test('names uncommitted files without changing them', async () => {
    const folder = await tempRoot();
    await runCli(folder, ['init']);
    await rm(join(folder, 'agent.mjs'));
    const root = join(folder, '.tgp');
    await writeFile(join(root, 'tools/mine.ts'), '/** One. */\nexport default (): number => 1;\n');
    for (const from of [folder, join(root, 'tools')]) {
      const { code, ...printed } = await runCli(from, ['doctor', '--json']);
      expect(code).toBe(0);
      expect(find(printed.json(), 'Workspace')).toMatchObject({
        status: 'warning',
        detail: expect.stringContaining('1 file is not committed: tools/mine.ts'),
        remedy: expect.stringContaining('tgp commit'),
      });
    }
    expect(git(root, 'status', '--porcelain')).toBe('?? tools/mine.ts');
    expect(await runCli(folder, ['commit', '--yes'])).toMatchObject({ code: 0 });
    expect(find((await runCli(folder, ['doctor', '--json'])).json(), 'Workspace').status).toBe('ok');
  });

  test.skipIf(process.platform === 'win32')('names unsupported files in the root', async () => {
    const folder = await tempRoot();
    await runCli(folder, ['init']);
    const root = join(folder, '.tgp');
    const odd = [
      ['tools/nul.ts', /'tools\/nul\.ts' \(has a name that Windows reserves for a device\)/],
      ['a:b.ts', /'a:b\.ts' \(a name that is not the same file on every system\)/],
      ['tools/a\nb\u001b[31m.ts', /'tools\/a\\u\{a\}b\\u\{1b\}\[31m\.ts' \(contains a control character/],
      [Buffer.from([...Buffer.from(`${root}/tools/`), 0xff, 0x2e, 0x74, 0x73]), /\(its name is not UTF-8\)/],
    ];
    const workspaceOf = async () => find((await runCli(folder, ['doctor', '--json'])).json(), 'Workspace');
    for (const [path, expected] of odd) {
      const place = typeof path === 'string' ? join(root, path) : path;
      await writeFile(place, 'export default () => 1;\n');
      const found = await workspaceOf();
      expect(found).toMatchObject({ status: 'warning', remedy: expect.stringContaining('Rename the files') });
      expect(found.detail).toMatch(/1 file is not listed, run or committed/);
      expect(found.detail).toMatch(expected);
      await rm(place);
    }
    await symlink(join(root, 'meta.json'), join(root, 'tools/link.ts'));
    for (let index = 0; index < 6; index += 1) await writeFile(join(root, `tools/q${index}?.ts`), '');
    const { detail } = await workspaceOf();
    expect(detail).toContain('7 files are not listed, run or committed');
    expect(detail).toMatch(/ and 2 more$/);
    for (let index = 0; index < 6; index += 1) await rm(join(root, `tools/q${index}?.ts`));
    expect((await workspaceOf()).detail).toContain("'tools/link.ts' (a link)");
  });

  test('reports a root that the surrounding repository does not ignore, and a detached HEAD', async () => {
    const folder = await tempRoot();
    await runCli(folder, ['init']);
    execFileSync('git', ['init', '-q', folder]);
    expect(find((await runCli(folder, ['doctor', '--json'])).json(), 'Workspace').status).toBe('ok');
    await rm(join(folder, '.gitignore'));
    const open = find((await runCli(folder, ['doctor', '--json'])).json(), 'Workspace');
    expect(open).toMatchObject({ status: 'warning', remedy: expect.stringContaining('/.tgp/') });
    execFileSync('git', ['-C', join(folder, '.tgp'), 'checkout', '-q', '--detach']);
    const detached = find((await runCli(folder, ['doctor', '--json'])).json(), 'Workspace');
    expect(detached).toMatchObject({ status: 'problem', detail: expect.stringContaining('has no current branch') });
  });
});

test('the default root of the command line is that of the kernel', async () => {
  const folder = await tempRoot();
  const here = process.cwd();
  process.chdir(folder);
  const kernel = new TGP();
  try {
    await kernel.boot();
    expect(kernel.config.rootDir).toBe(DEFAULT_ROOT);
  } finally {
    process.chdir(here);
    await kernel.shutdown();
  }
});
