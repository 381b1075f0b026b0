import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ path: string, text: string }} SourceFile `path` is relative to the repository, with `/` */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = /\.(?:rs|js|mjs|cjs|ts|cts)$/;
const NOT_OURS = /^(?:vendor|npm)\/|^binding\./;

/**
 * Every hand-written source file, committed or new.
 * @returns {SourceFile[]}
 */
export function sourceTree() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed
    .split('\n')
    .filter((path) => SOURCE.test(path) && !NOT_OURS.test(path) && existsSync(join(ROOT, path)))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}
