/** Repositories made with the `git` program. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git } from './git_remote.js';
import { tempRoot } from './temp_root.js';

/**
 * @param {Record<string, string>} [files] of the first commit
 * @param {string} [path] of an existing folder; default: a new one
 */
export async function gitProject(files = {}, path) {
  const folder = path ?? join(await tempRoot(), 'project');
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '-q', '-b', 'main');
  const project = {
    path: folder,
    /** @param {string[]} args */
    git: (...args) => git(folder, ...args),
    /** @param {Record<string, string | null>} changes texts by path; `null` removes a file */
    commit(changes, message = 'change') {
      for (const [name, text] of Object.entries(changes)) {
        const file = join(folder, name);
        mkdirSync(dirname(file), { recursive: true });
        if (text === null) rmSync(file);
        else writeFileSync(file, text);
      }
      git(folder, 'add', '-A');
      git(folder, 'commit', '-q', '--allow-empty', '-m', message);
      return git(folder, 'rev-parse', 'HEAD');
    },
  };
  if (Object.keys(files).length > 0) project.commit(files, 'first');
  return project;
}

/** Lines of a file: `lines(0, 40)`. @param {number} from @param {number} to */
export const lines = (from, to) =>
  Array.from({ length: to - from }, (_, at) => `export const value${from + at} = ${(from + at) * 7919};\n`).join('');
