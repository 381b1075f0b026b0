/** Programs can read neither private keys, in any file format, nor tokens in folders of Git. */

import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import fs, { mkdir, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { CAN_CONFINE, shellFolder } from '../helpers/shell_folder.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
const ESCAPED = JSON.stringify(PEM).slice(1, -1);
const [BEGIN = '', BODY = ''] = PEM.split('\n');

const KEYS = {
  'plain.txt': PEM,
  'bom.txt': `\ufeff${PEM}`,
  'indented.yaml': `tls:\n  key: |\n${PEM.replace(/^/gm, '    ')}`,
  'list.yaml': `keys:\n  - ${BEGIN}\n`,
  'camel.json': `{"privateKey":"${ESCAPED}"}`,
  'key.json': `{"key":"${ESCAPED}"}`,
  'twice.json': JSON.stringify({ text: `{"key":"${ESCAPED}"}` }),
  'settings.cfg': `PRIVATE_KEY="${PEM}"`,
  'one_line.cfg': `KEY=${BEGIN}${BODY}`,
  'inline.toml': `key = """${PEM}"""\n`,
  'trailing.txt': PEM.replace('-----\n', '----- \n'),
  'returns.pem': PEM.replaceAll('\n', '\r'),
  'late.txt': `${'#'.repeat(300_000)}\n${PEM}`,
  'joined.js': `export default '${BEGIN}\\n' +\n  '${BODY}\\n';\n`,
  'list.js': `export default ['${BEGIN}', '${BODY}'].join('\\n');\n`,
  'encrypted.json': `{"key":"${BEGIN}\\nProc-Type: 4,ENCRYPTED\\nDEK-Info: AES-128-CBC,00\\n\\n${BODY}"}`,
  'wide.pem': Buffer.from(PEM, 'utf16le'),
  'wide_other.pem': Buffer.from(`\ufeff${PEM}`, 'utf16le').swap16(),
  'both.dump': Buffer.concat([Buffer.from('-\0-\0-\0\0'), Buffer.from(PEM)]),
  'both_other.dump': Buffer.concat([Buffer.from(`${BEGIN}\n\0`), Buffer.from(PEM, 'utf16le')]),
  'pkcs8.bin': privateKey.export({ type: 'pkcs8', format: 'der' }),
  'sec1.bin': privateKey.export({ type: 'sec1', format: 'der' }),
  'jwk.json': JSON.stringify(privateKey.export({ format: 'jwk' })),
  'jwks.json': JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] }, null, 2),
  'age.txt': `AGE-SECRET-${'KEY-1'}${'Q'.repeat(58)}\n`,
  'wg0.conf': `[Interface]\nPrivateKey = ${'A'.repeat(43)}=\n`,
  'putty.txt': 'PuTTY-User-Key-File-3: ssh-ed25519\n',
};
const HARMLESS = {
  'parse.js': `const HEAD = '${BEGIN}';\nconst aVeryLongNameOfSomething = 1;\n`,
  'match.py': `if line.startswith("${BEGIN}"):\n    readTheWholePrivateKey()\n`,
  'guide.md': `A key begins with \`${BEGIN}\` and its base64 text.\n`,
  'public.json': JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }),
  'public.pem': String(publicKey.export({ type: 'spki', format: 'pem' })),
  'public.bin': publicKey.export({ type: 'spki', format: 'der' }),
};

/** @param {string} folder @param {Record<string, string | Buffer>} files */
async function write(folder, files) {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

describe.runIf(CAN_CONFINE)('A private key', () => {
  it('is not copied in any format; other files are', async () => {
    const { cwd, sh } = await shellFolder();
    await write(cwd, { ...KEYS, ...HARMLESS });
    const { stdout } = await sh('ls');
    expect(stdout.trim().split('\n')).toEqual(Object.keys(HARMLESS).sort());
  });

  it('is not readable in read-only folders or in the folder of a repository', async () => {
    const { cwd, sh } = await shellFolder({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/keep': 'o' });
    const folders = ['node_modules/kit', '.git/lfs', '.git'];
    for (const folder of folders)
      await write(join(cwd, folder), { key: PEM, 'jwk.json': KEYS['jwk.json'], notes: 'n' });
    const { stdout } = await sh(`for f in ${folders.join(' ')}; do cat $f/key $f/jwk.json $f/notes 2>/dev/null; done`);
    expect(stdout).toBe('nnn');
  });
});

describe.runIf(CAN_CONFINE)('The files of a read-only folder', () => {
  it('are searched once, and again after a change', async () => {
    const { cwd, sh } = await shellFolder();
    const kit = join(cwd, 'node_modules/kit');
    const texts = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`text_${n}`, `text ${n}`]));
    await write(kit, { ...texts, key: PEM });
    await setTimeout(100);
    const look = async () => {
      const opened = vi.spyOn(fs, 'open');
      syncBuiltinESMExports();
      try {
        const { stdout } = await sh('cat node_modules/kit/* 2>/dev/null | grep -c PRIVATE');
        const paths = opened.mock.calls.map(([path]) => String(path)).filter((path) => path.startsWith(kit));
        return { paths: paths.length, keys: stdout.trim() };
      } finally {
        opened.mockRestore();
        syncBuiltinESMExports();
      }
    };
    expect(await look()).toEqual({ paths: 21, keys: '0' });
    expect(await look()).toEqual({ paths: 0, keys: '0' });
    await writeFile(join(kit, 'text_7'), PEM);
    await setTimeout(100);
    expect(await look()).toEqual({ paths: 1, keys: '0' });
    expect(await look()).toEqual({ paths: 0, keys: '0' });
  });
});

describe.runIf(CAN_CONFINE)('A token in the settings of Git', () => {
  it('is not readable in submodules and worktrees, which still work', async () => {
    const { folder, cwd, run_program } = await shellFolder({}, { programs: ['sh', 'git'] });
    const git = (/** @type {string[]} */ ...args) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args], {
        cwd: folder,
        stdio: 'pipe',
      });
    git('init', '-qb', 'main', 'sub');
    git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'in the submodule');
    git('init', '-qb', 'main', 'project');
    git('-C', 'project', 'submodule', '--quiet', 'add', '../sub', 'libs/one');
    git('-C', 'project', 'commit', '-qm', 'first');
    git('-C', 'project/libs/one', 'remote', 'set-url', 'origin', 'https://bot:hush@git.example/sub.git');
    git('-C', 'project', 'worktree', 'add', '-q', '../other');
    git('-C', 'project', 'config', 'extensions.worktreeConfig', 'true');
    git('-C', 'other', 'config', '--worktree', 'http.extraheader', 'AUTHORIZATION: basic hush');
    // An installed package with its repository, and a bare repository.
    await mkdir(join(cwd, 'node_modules/kit'), { recursive: true });
    git('clone', '-q', 'sub', 'project/node_modules/kit/copy');
    git('-C', 'project/node_modules/kit/copy', 'remote', 'set-url', 'origin', 'https://bot:hush@git.example/kit.git');
    git('clone', '-q', '--bare', 'sub', 'project/node_modules/kit/bare');
    git('-C', 'project/node_modules/kit/bare', 'remote', 'set-url', 'origin', 'https://bot:hush@git.example/kit.git');

    const script = `git -C libs/one log --format=%s; git log --format=%s; git -C libs/one remote -v; cat .git/modules/libs/one/HEAD
      find -L . -name 'config*' -exec cat {} + ; grep -rs hush . ${cwd}; echo done`;
    const { stdout } = await run_program.execute({ program: 'sh', args: ['-c', script] });
    expect(stdout).not.toContain('hush');
    expect(stdout).toMatch(/^in the submodule\nfirst\nref: refs\/heads\/main\n/);
    expect(stdout).toContain('worktree = ../../../../libs/one');
    expect(stdout.trimEnd().endsWith('done')).toBe(true);
  });
});
