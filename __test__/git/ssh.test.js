import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import {
  bareRemote,
  clone,
  commitsOf,
  filesOf,
  git,
  MAX_REGISTRY_COMMITS_OF_A_SYNC,
  SOUND,
  soundness,
} from '../helpers/git_remote.js';

/** A replacement of `ssh` that logs its arguments and runs the command on this machine. */
function fakeSsh(folder, body = 'for last; do :; done\nexec sh -c "$last"') {
  const program = join(folder, 'ssh');
  writeFileSync(program, `#!/bin/sh\necho "$@" >> "${folder}/calls"\n${body}\n`, { mode: 0o755 });
  process.env.GIT_SSH = program;
}

afterEach(() => {
  delete process.env.GIT_SSH;
});

describe('an ssh remote', () => {
  it('is cloned, written and shared', async () => {
    const { folder, remote } = await bareRemote({ name: "it's a remote.git" });
    fakeSsh(folder);
    const repo = `git@host.example:${remote}`;
    const [a, b] = [await createKernel({ git: { repo } }), await createKernel({ git: { repo } })];
    await Promise.all([a.kernel.boot(), b.kernel.boot()]);
    const results = await Promise.all(
      [a, b].map(({ tools }, index) => tools.write_file.execute({ path: `tools/t${index}.ts`, content: `${index}` })),
    );
    expect(results.map(({ persisted }) => persisted)).toEqual([true, true]);
    await Promise.all([a.kernel.sync(), b.kernel.sync()]);
    for (const { rootDir } of [a, b]) {
      expect(filesOf(rootDir)).toEqual(filesOf(clone(folder, remote)));
      expect(soundness(rootDir)).toEqual(SOUND);
    }
    const { registry, ...commits } = commitsOf(remote);
    expect(commits).toEqual({ writes: 2, others: [] });
    expect(registry).toBeLessThanOrEqual(2 * MAX_REGISTRY_COMMITS_OF_A_SYNC);
  });

  it.each([
    ['moves', ''],
    ['is replaced', '--force'],
  ])('whose branch %s between listing and fetching is fetched at its new commit', async (_, force) => {
    const { folder, remote } = await bareRemote();
    const person = clone(folder, remote);
    const commit = (name, ...options) => {
      writeFileSync(join(person, name), name);
      git(person, 'add', name);
      git(person, 'commit', '-q', '-m', name, ...options);
    };
    commit('first.txt');
    git(person, 'push', '-q', 'origin', 'HEAD:main');
    commit('second.txt', ...(force === '' ? [] : ['--amend']));
    fakeSsh(
      folder,
      `[ "$(wc -l < "${folder}/calls")" -ne 2 ] || git -C "${person}" push -q ${force} origin HEAD:main\nfor last; do :; done\nexec sh -c "$last"`,
    );
    const { kernel, rootDir } = await createKernel({ git: { repo: `git@host.example:${remote}` } });
    await kernel.boot();
    expect(filesOf(rootDir)).toMatchObject({ 'first.txt': 'first.txt', 'second.txt': 'second.txt' });
    expect(git(rootDir, 'rev-parse', 'origin/main')).toBe(git(person, 'rev-parse', 'HEAD'));
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it('without the ssh program is an error with a remedy', async () => {
    process.env.GIT_SSH = '/nowhere/ssh';
    const { kernel } = await createKernel({ git: { repo: 'git@host.example:r.git' } });
    const error = await kernel.boot().catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/install OpenSSH.*GIT_SSH.*https:/),
    });
    expect(error.message).not.toContain('/nowhere');
  });

  it('that cannot be reached is an error at once', async () => {
    const { folder } = await bareRemote();
    fakeSsh(folder, 'exit 255');
    const { kernel } = await createKernel({ git: { repo: 'ssh://git@host.example:2222/r.git' } });
    const error = await kernel.boot().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_GIT' });
    expect(error.message).toMatch(/ssh:\/\/git@host\.example:2222\/r\.git cannot be reached.*no local copy.*provider/);
    expect(error.message).not.toContain('pushed later');
    const [call] = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
    expect(call).toContain('BatchMode=yes');
    expect(call).toContain("-p 2222 -- git@host.example git-upload-pack '/r.git'");
  });
});
