/** Kernels with a guardian, and commits that people make by hand with the `git` command. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKernel } from './create_kernel.js';

export const TOOL = '/** Doubles a number. */\nexport default (args: { n: number }): number => args.n * 2;\n';

/**
 * A kernel that has committed `tools/a.ts`.
 * @param {import('../../index.js').TGPConfigInput} [config]
 * @param {Omit<import('../../index.js').TGPOptions, 'config' | 'configFile'>} [options]
 */
export async function guardedKernel(config = { guardian: 'halt' }, options = {}) {
  const made = await createKernel(config, options);
  await made.tools.write_file.execute({ path: 'tools/a.ts', content: TOOL });
  return { ...made, ...byHand(made.rootDir) };
}

/** @param {string} rootDir */
export function byHand(rootDir) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], {
      cwd: rootDir,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  return {
    git,
    /** Commits a file by hand; `undefined` removes it. @param {string} path @param {string | undefined} content */
    commit: (path, content) => {
      const file = join(rootDir, path);
      if (content === undefined) rmSync(file);
      else {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
      git('add', '-A', '--', path);
      git('commit', '-q', '-m', `by hand: ${path}`);
      return git('rev-parse', 'HEAD');
    },
  };
}

/** The code of the error that a promise rejects with; `undefined` if it fulfils. @param {Promise<unknown>} call */
export async function codeOf(call) {
  return call.then(
    () => undefined,
    (/** @type {any} */ error) => error.code,
  );
}
