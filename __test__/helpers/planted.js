import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareRemote, clone, git } from './git_remote.js';

/** A remote with one commit. */
export async function remoteWithCommit() {
  const { folder, remote } = await bareRemote();
  const work = clone(folder, remote);
  writeFileSync(join(work, 'f.txt'), 'content');
  git(work, 'add', '-A');
  git(work, 'commit', '-q', '-m', 'start');
  git(work, 'push', '-q', 'origin', 'HEAD:main');
  return { folder, remote, work };
}

/** Replaces a file by a named pipe without a writer. @param {string} path */
export const pipe = (path) => {
  rmSync(path, { force: true, recursive: true });
  execFileSync('mkfifo', [path]);
};
