import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { forgeServer } from '../helpers/forge_server.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';

const SECRET = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const CLEAN = '/** Charges. */\nexport default (args: { key: string }) => args.key.length;\n';
const LEAKY = `/** Charges. */\nexport default () => '${SECRET}'.length;\n`;
const EXCUSED = `/** Charges. */\n// tgp-ignore no-secrets: the example key of the vendor's own documentation\nexport default () => '${SECRET}'.length;\n`;

/** Whether any object of a repository, reachable or not, contains the secret. */
function hasSecret(folder) {
  const ids = git(folder, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)').split('\n');
  return ids.filter(Boolean).some((id) => git(folder, 'cat-file', '-p', id).includes(SECRET));
}

async function withRemote(more = {}) {
  const { folder, remote } = await bareRemote();
  return { folder, remote, ...(await createKernel({ git: { repo: remote }, ...more })) };
}

describe('THREAT: a secret in a file is committed and pushed', () => {
  it.each(['off', 'warn', 'strict'])(
    'a tool with a secret stays on disk and is committed when it is fixed, with check: %s',
    async (check) => {
      const { kernel, tools, rootDir, remote } = await withRemote({ check });
      const path = 'tools/pay.ts';
      const held = await tools.write_file.execute({ path, content: LEAKY });
      expect(held).toMatchObject({ success: true, path, persisted: false });
      expect(held.commit).toBeUndefined();
      expect(held.findings?.join()).toContain('tools/pay.ts:2:');
      expect(held.problem).toMatch(/not committed or pushed.*tgp-ignore no-secrets/);
      expect(held.problem).not.toContain(SECRET);
      expect(held.problem).toContain('{{secret:NAME}}');
      expect(held.problem).not.toMatch(/as an argument/);
      expect(new Set(held.findings?.map((line) => line.split(': ')[0])).size).toBe(held.findings?.length);
      const { diagnostics } = await kernel.check(path);
      expect(diagnostics.find(({ rule }) => rule === 'no-secrets')?.help).toContain('{{secret:NAME}}');
      expect(readFileSync(join(rootDir, path), 'utf8')).toBe(LEAKY);
      await tools.write_file.execute({ path: 'tools/other.ts', content: CLEAN });
      await kernel.git.persist('others', ['tools/other.ts', 'meta.json']);
      await kernel.sync();
      expect(git(rootDir, 'ls-files', path)).toBe('');
      expect(hasSecret(rootDir) || hasSecret(remote)).toBe(false);
      const fixed = await tools.patch_file.execute({ path, search: `'${SECRET}'`, replace: "'x'" });
      expect(fixed).toMatchObject({ persisted: true });
      expect(git(remote, 'show', `main:${path}`)).toContain("'x'.length");
      expect(hasSecret(remote)).toBe(false);
    },
  );

  it('an ignore comment with a reason allows a secret; one without a reason does not', async () => {
    const { tools, remote } = await withRemote();
    const path = 'tools/pay.ts';
    const bare = EXCUSED.replace(/no-secrets: .*/, 'no-secrets');
    expect(await tools.write_file.execute({ path, content: bare })).toMatchObject({ persisted: false });
    expect(await tools.write_file.execute({ path, content: EXCUSED })).toMatchObject({ persisted: true });
    expect(git(remote, 'show', `main:${path}`)).toBe(EXCUSED.trim());
  });

  it('a secret is committed if the application turns the rule off', async () => {
    const { tools } = await withRemote({ rules: { 'no-secrets': 'off' } });
    expect(await tools.write_file.execute({ path: 'tools/pay.ts', content: LEAKY })).toMatchObject({ persisted: true });
  });

  it.each([
    ['a secret in data', 'data/keys.json', JSON.stringify({ stripe: SECRET })],
    ['a password in data', 'data/db.json', JSON.stringify({ db: { password: 'hunter2' } })],
    ['a secret in a CSV file', 'data/keys.csv', `name,key\nstripe,${SECRET}\n`],
    ['a secret in a Markdown file', 'notes.md', `The key is ${SECRET}.\n`],
    ['a secret in a comment', 'tools/a.ts', `// ${SECRET}\n${CLEAN}`],
    ['a secret in a description', 'tools/a.ts', CLEAN.replace('Charges', `Charges with ${SECRET}`)],
    ['a secret in a type', 'tools/a.ts', `${CLEAN}export type Key = '${SECRET}';\n`],
    ['a secret with escapes', 'tools/a.ts', `export default () => '${SECRET.replace('_', '\\x5f')}';\n`],
    ['a secret in code that does not compile', 'tools/a.ts', `export default ( => '${SECRET}'`],
    [
      'a secret among many findings',
      'tools/a.ts',
      `${'export const a: any = eval("1");\n'.repeat(150)}const k = '${SECRET}';\n`,
    ],
    [
      'a secret after many ignored ones',
      'tools/a.ts',
      `${`// tgp-ignore no-secrets: made up\nexport const k = '${SECRET.replace('4eC', '5eD')}';\n`.replaceAll('k =', 'k$ =').repeat(30)}export const z = '${SECRET}';\n`,
    ],
    ['a secret in a file of unknown type', 'tools/key.bin', SECRET],
  ])('%s is not committed', async (_, path, content) => {
    const { kernel, tools, rootDir, remote } = await withRemote({ check: 'off' });
    expect(await tools.write_file.execute({ path, content })).toMatchObject({ persisted: false });
    await tools.write_file.execute({ path: 'tools/other.ts', content: CLEAN });
    await kernel.registry.sync();
    await kernel.sync();
    expect(hasSecret(rootDir) || hasSecret(remote)).toBe(false);
  });

  it('a member "tgp-ignore no-secrets" with a reason allows a secret in JSON', async () => {
    const { tools } = await withRemote();
    const content = `{\n  "tgp-ignore no-secrets": "the vendor's example",\n  "key": "${SECRET}"\n}\n`;
    expect(await tools.write_file.execute({ path: 'data/keys.json', content })).toMatchObject({ persisted: true });
  });

  it('every write path is checked: patches, diffs, reverts and persist', async () => {
    const { kernel, tools, rootDir, remote } = await withRemote();
    const path = 'tools/pay.ts';
    const first = await tools.write_file.execute({ path, content: CLEAN });
    const patch = { path, search: 'args.key.length', replace: `'${SECRET}'.length` };
    expect(await tools.patch_file.execute(patch)).toMatchObject({ persisted: false });
    await kernel.git.revert(path, String(first.commit));
    const diff = `<<<<<<< SEARCH\n/** Charges. */\n=======\n/** ${SECRET} */\n>>>>>>> REPLACE\n`;
    expect(await tools.apply_diff.execute({ path, diff })).toMatchObject({ persisted: false });
    writeFileSync(join(rootDir, 'data.json'), JSON.stringify({ key: SECRET }));
    const persisted = await kernel.git.persist('all', ['data.json', path]);
    expect(persisted).toMatchObject({
      persisted: false,
      findings: [expect.stringContaining('data.json:1:'), expect.any(String)],
    });
    expect(persisted.problem).toMatch(/^Nothing was committed or pushed, .* Then commit again\./);
    await kernel.registry.register(path);
    await kernel.sync();
    expect(git(remote, 'show', `main:${path}`)).toBe(CLEAN.trim());
    expect(hasSecret(rootDir) || hasSecret(remote)).toBe(false);
    // An old commit, from before the check.
    git(rootDir, 'add', 'data.json');
    git(rootDir, 'commit', '-q', '-m', 'by hand');
    const old = git(rootDir, 'rev-parse', 'HEAD');
    await tools.write_file.execute({ path: 'data.json', content: '{}' });
    expect(await kernel.git.revert('data.json', old)).toMatchObject({ persisted: false });
  });

  it('a file with a secret is neither lost nor committed by a sync of remote changes or the next boot', async () => {
    const { folder, remote, kernel, tools, rootDir } = await withRemote();
    const path = 'tools/pay.ts';
    await tools.write_file.execute({ path, content: CLEAN });
    await tools.write_file.execute({ path, content: LEAKY });
    await tools.write_file.execute({ path: 'tools/new.ts', content: LEAKY });
    const person = clone(folder, remote);
    mkdirSync(join(person, 'tools'), { recursive: true });
    writeFileSync(join(person, path), CLEAN.replace('Charges', 'Charges cards'));
    writeFileSync(join(person, 'tools/new.ts'), CLEAN);
    git(person, 'add', '-A');
    git(person, 'commit', '-q', '-m', 'by hand');
    git(person, 'push', '-q', 'origin', 'HEAD:main');
    await kernel.sync();
    const expectHeld = () => {
      expect(readFileSync(join(rootDir, path), 'utf8')).toBe(LEAKY);
      expect(readFileSync(join(rootDir, 'tools/new.ts'), 'utf8')).toBe(LEAKY);
      expect(git(rootDir, 'rev-parse', 'HEAD')).toBe(git(remote, 'rev-parse', 'main'));
      expect(hasSecret(rootDir) || hasSecret(remote)).toBe(false);
    };
    expectHeld();
    await kernel.shutdown();
    const again = await createKernel({ rootDir, git: { repo: remote } });
    await again.kernel.boot();
    await again.tools.write_file.execute({ path: 'tools/third.ts', content: CLEAN });
    expectHeld();
    // The agent has not read the remote's version yet.
    const unseen = again.tools.write_file.execute({ path, content: CLEAN });
    await expect(unseen).rejects.toMatchObject({ code: 'ERR_GIT_CONFLICT' });
    expect(await again.tools.write_file.execute({ path, content: CLEAN })).toMatchObject({ persisted: true });
    expect(git(remote, 'show', `main:${path}`)).toBe(CLEAN.trim());
  });

  it('a file with a secret committed by others is fetched, and so is its fix', async () => {
    const { folder, remote, kernel, rootDir } = await withRemote();
    await kernel.boot();
    const person = clone(folder, remote);
    const push = (content) => {
      mkdirSync(join(person, 'tools'), { recursive: true });
      writeFileSync(join(person, 'tools/pay.ts'), content);
      git(person, 'add', '-A');
      git(person, 'commit', '-q', '-m', 'by hand');
      git(person, 'push', '-q', 'origin', 'HEAD:main');
    };
    push(LEAKY);
    await kernel.sync();
    expect(readFileSync(join(rootDir, 'tools/pay.ts'), 'utf8')).toBe(LEAKY);
    push(CLEAN);
    await kernel.sync();
    expect(readFileSync(join(rootDir, 'tools/pay.ts'), 'utf8')).toBe(CLEAN);
  });

  it('no branch and no pull request contains a secret', async () => {
    const server = await forgeServer('github');
    const work = clone(server.folder, server.remote);
    writeFileSync(join(work, 'README.md'), 'tools');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const { tools, rootDir } = await createKernel({ git: server.config });
    await tools.write_file.execute({ path: 'tools/pay.ts', content: CLEAN });
    const described = CLEAN.replace('Charges', `Charges with ${SECRET}`);
    expect(await tools.write_file.execute({ path: 'tools/pay.ts', content: described })).toMatchObject({
      persisted: false,
    });
    await tools.write_file.execute({ path: 'tools/other.ts', content: CLEAN });
    expect(hasSecret(server.remote) || hasSecret(rootDir)).toBe(false);
    expect(JSON.stringify(server.requests)).not.toContain(SECRET);
    expect(existsSync(join(rootDir, 'tools/pay.ts'))).toBe(true);
  });
});

describe('THREAT: a secret outside of file contents is pushed', () => {
  it('in a commit message', async () => {
    const { kernel, rootDir, remote } = await withRemote();
    await kernel.boot();
    mkdirSync(join(rootDir, 'tools'), { recursive: true });
    writeFileSync(join(rootDir, 'tools/pay.ts'), CLEAN);
    for (const message of [`Use ${SECRET}`, SECRET, `Pay\n\npassword: "hunter2hunter2"`]) {
      const held = await kernel.git.persist(message, ['tools/pay.ts']);
      expect(held).toMatchObject({ persisted: false, findings: [expect.stringMatching(/^message:\d/)] });
      expect(held.problem).toMatch(/the message contains a secret/);
      expect(held.problem).not.toContain(SECRET);
    }
    expect(await kernel.git.persist('Pay', ['tools/pay.ts'])).toMatchObject({ persisted: true });
    expect([hasSecret(rootDir), hasSecret(remote)]).toEqual([false, false]);
  });

  it('in a file name', async () => {
    const { kernel, tools, rootDir, remote } = await withRemote();
    const path = `tools/${SECRET}.ts`;
    const held = await tools.write_file.execute({ path, content: CLEAN });
    expect(held).toMatchObject({ success: true, persisted: false });
    expect(held.findings?.join()).toContain('in the name of the file');
    expect(held.problem).toMatch(/under another name/);
    expect(held.problem).not.toMatch(/in a comment/);
    expect(await kernel.git.persist('Pay', [path])).toMatchObject({
      persisted: false,
      problem: expect.stringContaining('Rename the file, then commit again'),
    });
    expect([hasSecret(rootDir), hasSecret(remote)]).toEqual([false, false]);
  });
});
