/** Programs that work for us on what others have written: with little to know, and no more memory than they are given. */

import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';

/** Without it Windows starts no program. */
const NEEDED = 'SystemRoot';

/**
 * Where a program of ours is. The CommonJS copy starts the same one.
 * @param {string} name from `js/`
 */
export function programPath(name) {
  return join(PACKAGE_FOLDER, 'js', name);
}

/**
 * Starts a program that gets none of the host's environment variables. It ends when it likes; whoever starts it has to end it.
 * @param {string} program
 * @param {string[]} args
 * @param {{ memoryMb: number, env?: Record<string, string | undefined> }} options what it may hold, and its environment variables
 */
export function startBounded(program, args, { memoryMb, env = {} }) {
  const environment = Object.entries({ [NEEDED]: process.env[NEEDED], ...env }).filter(
    ([, value]) => value !== undefined,
  );
  const [command, all] = limited(program, args, memoryMb);
  return spawn(command, all, {
    cwd: tmpdir(),
    env: Object.fromEntries(environment),
    // What it has to say to people could be without end.
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/**
 * The program with a limit on its memory, where there is a shell to set one.
 * @param {string} program
 * @param {string[]} args
 * @param {number} memoryMb
 * @returns {[command: string, args: string[]]}
 */
function limited(program, args, memoryMb) {
  if (process.platform === 'win32') return [program, args];
  return ['/bin/sh', ['-c', `ulimit -d ${memoryMb * 1024}; exec "$0" "$@"`, program, ...args]];
}
