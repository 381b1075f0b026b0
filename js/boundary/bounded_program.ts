/** Starts helper processes for untrusted input, without the host's environment variables and with a memory limit. */

import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';

/** Windows cannot start programs without it. */
const NEEDED = 'SystemRoot';

/**
 * The path of a helper program. The CommonJS copy of this package starts the same one.
 * @param name from `js/`
 */
export function programPath(name: string) {
  return join(PACKAGE_FOLDER, 'dist', name);
}

/**
 * Starts a program without the host's environment variables. The caller must end it.
 * @param options its memory limit and environment variables
 */
export function startBounded(
  program: string,
  args: string[],
  { memoryMb, env = {} }: { memoryMb: number; env?: Record<string, string | undefined> },
) {
  const environment = Object.entries({ [NEEDED]: process.env[NEEDED], ...env }).filter(
    ([, value]) => value !== undefined,
  );
  const [command, all] = limited(program, args, memoryMb);
  return spawn(command, all, {
    cwd: tmpdir(),
    env: Object.fromEntries(environment),
    // Its standard error could be unbounded.
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/** The command with a memory limit, set by a shell; without one on Windows. */
function limited(program: string, args: string[], memoryMb: number): [command: string, args: string[]] {
  if (process.platform === 'win32') return [program, args];
  return ['/bin/sh', ['-c', `ulimit -d ${memoryMb * 1024}; exec "$0" "$@"`, program, ...args]];
}
