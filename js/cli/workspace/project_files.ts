/** Creates and extends files of an application; what exists is kept. */

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readTextAtMost } from '../../boundary/bounded_read.js';

/** What was done to a file. */
export type FileEffect = { file: string; effect: 'created' | 'changed' | 'kept' };

/** Creates a file, unless it exists. */
export async function create(folder: string, file: string, text: string): Promise<FileEffect> {
  const path = join(folder, file);
  if (existsSync(path)) return { file, effect: 'kept' };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: 'wx' });
  return { file, effect: 'created' };
}

/** Adds the root to .gitignore: it is a repository of its own inside the application's. */
export async function ignoreRoot(folder: string, name: string): Promise<FileEffect> {
  const file = '.gitignore';
  const path = join(folder, file);
  if (!existsSync(path)) return create(folder, file, `/${name}/\n`);
  const text = await readTextAtMost(path);
  const ignored = text.split(/\r?\n/).some((entry) => entry.trim().replace(/^\/|\/$/g, '') === name);
  if (ignored) return { file, effect: 'kept' };
  await writeFile(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}/${name}/\n`);
  return { file, effect: 'changed' };
}
