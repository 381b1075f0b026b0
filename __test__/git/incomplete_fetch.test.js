import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote, clone, git, SOUND, soundness } from '../helpers/git_remote.js';

it('incomplete trees left by a killed fetch do not prevent the next fetch', async () => {
  const { folder, remote } = await bareRemote();
  const person = clone(folder, remote);
  git(person, 'commit', '-q', '--allow-empty', '-m', 'Start');
  git(person, 'push', '-q', 'origin', 'HEAD:main');
  const rootDir = join(folder, 'agent');
  const { kernel } = await createKernel({ rootDir, git: { repo: remote } });
  await kernel.boot();
  await kernel.shutdown();

  mkdirSync(join(person, 'tools/far'), { recursive: true });
  writeFileSync(join(person, 'tools/far/one.ts'), 'export default () => 1\n');
  git(person, 'add', '-A');
  git(person, 'commit', '-q', '-m', 'One');
  git(person, 'push', '-q', 'origin', 'HEAD:main');
  for (const tree of ['HEAD^{tree}', 'HEAD:tools', 'HEAD:tools/far']) {
    const input = execFileSync('git', ['cat-file', 'tree', tree], { cwd: person });
    execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--stdin'], { cwd: rootDir, input });
  }

  const next = await createKernel({ rootDir, git: { repo: remote } });
  await next.kernel.boot();
  expect((await next.kernel.exec('tools/far/one.ts')).result).toBe(1);
  await next.kernel.shutdown();
  expect(soundness(rootDir)).toEqual(SOUND);
});

/** Malformed commits on top of a valid one. */
const MALFORMED = {
  'without an author': (tree, parent) => `tree ${tree}\nparent ${parent}\nauthor \n\nx`,
  'without its tree': (_, parent) =>
    `tree ${'1'.repeat(40)}\nparent ${parent}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx`,
  'without its parent': (tree) =>
    `tree ${tree}\nparent ${'2'.repeat(40)}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx`,
};

describe.each(Object.entries(MALFORMED))('a remote commit %s', (_, commit) => {
  it('does not prevent a boot from the local copy, with a warning', async () => {
    const { folder, remote } = await bareRemote();
    const rootDir = join(folder, 'agent');
    const first = await createKernel({ rootDir, git: { repo: remote } });
    await first.tools.write_file.execute({ path: 'tools/one.ts', content: 'return 1' });
    await first.kernel.shutdown();
    const good = git(remote, 'rev-parse', 'main');
    const input = commit(git(remote, 'rev-parse', 'main^{tree}'), good);
    const bad = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], {
      cwd: remote,
      input,
    });
    writeFileSync(join(remote, 'refs/heads/main'), bad);

    const warnings = [];
    const logger = { debug() {}, info() {}, warn: (text) => warnings.push(text), error() {} };
    const next = await createKernel({ rootDir, git: { repo: remote } }, { logger });
    await next.kernel.boot();
    expect(warnings.join()).toMatch(/Started from the local copy/);
    expect((await next.kernel.exec('tools/one.ts')).result).toBe(1);
    expect((await next.tools.write_file.execute({ path: 'tools/two.ts', content: 'return 2' })).persisted).toBe(
      'local',
    );
    await next.kernel.shutdown();

    writeFileSync(join(remote, 'refs/heads/main'), `${good}\n`);
    const last = await createKernel({ rootDir, git: { repo: remote } });
    await last.kernel.boot();
    await last.kernel.shutdown();
    expect(git(remote, 'show', 'main:tools/two.ts')).toBe('return 2');
    expect(soundness(rootDir)).toEqual(SOUND);
  });
});
