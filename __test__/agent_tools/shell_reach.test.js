/** Files of a project that programs can neither read nor change. */

import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, createShellTools, TGP, tgpTools } from '../../index.js';
import { CAN_CONFINE, shellFolder } from '../helpers/shell_folder.js';

const KEY = `-----BEGIN ${'OPENSSH PRIVATE KEY'}-----\nb3BlbnNzaC1rZXktdjEA\n`;
const RULES = 'default: allow\n';

/** A project with a kernel in it, as the documents show it. @param {object} [options] @param {Record<string, string>} [files] */
async function project(options = {}, files = {}) {
  const made = await shellFolder({ 'tgp.policy.yaml': RULES, 'rules/own.yaml': RULES, 'a.txt': 'a', ...files });
  const policy = join(made.cwd, 'rules/own.yaml');
  const kernel = new TGP({ config: { rootDir: join(made.cwd, '.tgp'), policy }, approve: () => true });
  onTestFinished(() => kernel.shutdown());
  await tgpTools(kernel).list_files.execute({ dir: '' });
  await kernel.ledger.checkpoint();
  const { run_program } = createShellTools({
    kernel,
    programs: ['sh'],
    cwd: made.cwd,
    approve: () => true,
    ...options,
  });
  const sh = (/** @type {string} */ script) => run_program.execute({ program: 'sh', args: ['-c', script] });
  return { ...made, kernel, run_program, sh };
}

describe.runIf(CAN_CONFINE)('A program in a project with a workspace', () => {
  it('cannot read the workspace: neither keys nor tools, nor through a path outside the copy', async () => {
    const { cwd, sh } = await project();
    await symlink('.tgp', join(cwd, 'way'));
    const { stdout } = await sh(
      `ls -A . way; cat .tgp/.git/tgp/ledger/* "${cwd}"/.tgp/.git/tgp/ledger/* 2>/dev/null; find . -name '*key*'`,
    );
    expect(stdout).toContain('a.txt');
    expect(stdout).not.toMatch(/\.tgp\b|PRIVATE|key/);
    expect((await readFile(join(cwd, '.tgp/.git/tgp/ledger/ledger.key')).catch(() => '')).length).toBeGreaterThan(0);
  });

  it('cannot write to the workspace or change its policy', async () => {
    const { cwd, sh, files } = await project();
    const before = await files();
    for (const script of [
      'mkdir -p .tgp/tools && echo "export default 1" > .tgp/tools/evil.ts',
      'rm -f rules/own.yaml; echo "default: allow" > rules/own.yaml; echo "# x" >> rules/own.yaml',
      'rm rules/own.yaml',
      'rm -f tgp.policy.yaml; echo "default: deny" > tgp.policy.yaml',
      'echo "{}" > tgp.config.json',
    ]) {
      const answer = await sh(script);
      expect(answer.applied ?? false, script).toBe(false);
      expect(answer.code, script).toBe('ERR_SECURITY_VIOLATION');
    }
    expect(await sh('echo "# x" >> rules/own.yaml')).toMatchObject({ applied: false, code: 'ERR_SECURITY_VIOLATION' });
    expect((await sh('test ! -L rules/own.yaml && cat rules/own.yaml')).stdout, 'a plain file').toBe(RULES);
    expect(await readFile(join(cwd, 'rules/own.yaml'), 'utf8')).toBe(RULES);
    expect(Object.keys(await files()).filter((path) => !path.startsWith('.tgp/.git'))).toEqual(
      Object.keys(before).filter((path) => !path.startsWith('.tgp/.git')),
    );
  });

  it('is confined without the kernel and with names of the application, too', async () => {
    const { cwd } = await project();
    const { run_program } = createShellTools({
      programs: ['sh'],
      cwd,
      hidden: [],
      readOnly: ['.git'],
      approve: () => true,
    });
    const { stdout } = await run_program.execute({
      program: 'sh',
      args: ['-c', 'find . -name "*key*"; ls -A; echo "default: deny" > tgp.policy.yaml'],
    });
    expect(stdout).not.toMatch(/key|\.tgp\b/);
    expect(await readFile(join(cwd, 'tgp.policy.yaml'), 'utf8')).toBe(RULES);
  });

  it('is refused if its folder, or a readable folder, is the workspace', async () => {
    const { cwd, kernel } = await project();
    for (const folder of [join(cwd, '.tgp'), join(cwd, '.tgp/tools')]) {
      await mkdir(folder, { recursive: true });
      expect(() => createShellTools({ programs: ['sh'], cwd: folder })).toThrow(ConfigError);
    }
    const { run_program } = createShellTools({ kernel, programs: ['sh'], cwd, readable: [cwd], approve: () => true });
    await expect(run_program.execute({ program: 'sh', args: ['-c', 'true'] })).rejects.toThrow(/"readable"/);
  });
});

describe.runIf(CAN_CONFINE)('Secrets of a project', () => {
  it('are excluded by name, case-insensitively, and by prefix', async () => {
    const names = [
      ...[
        '.env',
        '.env.staging',
        '.ENV.local',
        'prod.env',
        '.envrc',
        '.git-credentials',
        '.netrc',
        '.npmrc',
        '.pgpass',
      ],
      ...['id_rsa', 'id_ed25519', 'store.p12', 'app.jks', 'terraform.tfstate', 'service-account-prod.json'],
    ];
    const { sh } = await shellFolder({
      ...Object.fromEntries(names.map((name) => [`sub/${name}`, 'hush'])),
      deploy_key: KEY,
      'certs/server.pem': `-----BEGIN CERTIFICATE-----\nx\n${KEY}`,
      'certs/ca.pem': '-----BEGIN CERTIFICATE-----\nx\n',
      '.env.example': 'KEY=',
      'id_rsa.pub': 'ssh-rsa AAAA',
    });
    const { stdout } = await sh('find . -type f | sort; cat $(find . -type f)');
    const listed = stdout.split('\n').filter((line) => line.startsWith('./'));
    expect(listed).toEqual(['./.env.example', './certs/ca.pem', './id_rsa.pub']);
    expect(stdout).not.toMatch(/hush|PRIVATE/);
  });

  it('are excluded from read-only folders and from the configuration of Git', async () => {
    const { cwd, sh } = await shellFolder({
      'node_modules/kit/index.js': 'module.exports = 1;',
      'node_modules/kit/.env': 'KEY=hush',
      'node_modules/plain/index.js': 'module.exports = 2;',
      'node_modules/kept/.git/tgp/ledger.key': 'hush',
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/config':
        '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://bot:hush@git.example/a.git\n[http "https://git.example"]\n\textraheader = hush\n',
      '.git/objects/keep': 'o',
      '.git/refs/heads/keep': 'r',
    });
    const { stdout } = await sh(
      `cat node_modules/kit/index.js node_modules/plain/index.js .git/config .git/HEAD .git/objects/keep; cat node_modules/kit/.env node_modules/kept/.git/tgp/ledger.key "${cwd}/.git/config" 2>/dev/null; echo x > .git/index`,
    );
    expect(stdout).toBe('module.exports = 1;module.exports = 2;[core]\n\tbare = false\nref: refs/heads/main\no');
    expect((await sh('echo x > .git/HEAD')).changes ?? [], 'the copy of .git is never applied').toEqual([]);
    expect(await readFile(join(cwd, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/main\n');
  });

  it('do not include files that only mention a key header', async () => {
    const { sh } = await shellFolder({
      'parse.js': `const HEAD = '-----BEGIN PRIVATE KEY-----';\n`,
      'gcp.json': JSON.stringify({ private_key: KEY }),
      'late.pem': `${'#'.repeat(30_000)}\n${KEY}`,
    });
    expect((await sh('ls')).stdout).toBe('parse.js\n');
  });

  it('are only those that the application names, if it names any', async () => {
    const { sh } = await shellFolder({ 'key.pem': KEY, 'notes.txt': 'n', 'a.secret': 's' }, { hidden: ['*.secret'] });
    expect((await sh('ls')).stdout).toBe('key.pem\nnotes.txt\n');
  });

  it('are not readable in a folder of system programs', async () => {
    const place = await mkdtemp('/opt/tgp-shell-reach-').catch(() => undefined);
    if (place === undefined) return;
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    const cwd = join(place, 'app');
    await mkdir(cwd);
    await writeFile(join(cwd, '.env'), 'KEY=hush');
    await writeFile(join(cwd, 'a.txt'), 'a');
    const { run_program } = createShellTools({ programs: ['sh'], cwd });
    const { stdout } = await run_program.execute({ program: 'sh', args: ['-c', `cat a.txt ${cwd}/.env ${cwd}/a.txt`] });
    expect(stdout).toBe('a');
  });
});
