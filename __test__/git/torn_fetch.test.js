import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote, clone, git, SOUND, soundness } from '../helpers/git_remote.js';

it('folders that a kill left here without their files do not stop the next fetch', async () => {
  const { folder, remote } = await bareRemote();
  const rival = clone(folder, remote);
  git(rival, 'commit', '-q', '--allow-empty', '-m', 'Start');
  git(rival, 'push', '-q', 'origin', 'HEAD:main');
  const rootDir = join(folder, 'agent');
  const { kernel } = await createKernel({ rootDir, git: { repo: remote } });
  await kernel.boot();
  await kernel.shutdown();

  mkdirSync(join(rival, 'tools/far'), { recursive: true });
  writeFileSync(join(rival, 'tools/far/one.ts'), 'export default () => 1\n');
  git(rival, 'add', '-A');
  git(rival, 'commit', '-q', '-m', 'One');
  git(rival, 'push', '-q', 'origin', 'HEAD:main');
  for (const tree of ['HEAD^{tree}', 'HEAD:tools', 'HEAD:tools/far']) {
    const input = execFileSync('git', ['cat-file', 'tree', tree], { cwd: rival });
    execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--stdin'], { cwd: rootDir, input });
  }

  const next = await createKernel({ rootDir, git: { repo: remote } });
  await next.kernel.boot();
  expect((await next.kernel.exec('tools/far/one.ts')).result).toBe(1);
  await next.kernel.shutdown();
  expect(soundness(rootDir)).toEqual(SOUND);
});
