/** What starts programs behind walls, and whether this system has what the walls are made of. */

import { spawnSync } from 'node:child_process';
import { ConfigError, unwrap } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { native } from '../boundary/native.js';

/** The answer is one line. */
const MAX_ANSWER_BYTES = 64 << 10;
const PATIENCE_MS = 30_000;

/** @typedef {{ executable: string, library: string }} Launcher */

/** @type {Launcher | undefined} */
let proven;

/**
 * The launcher, on a system that can confine; that is tried once, with the real walls.
 * @returns {Launcher}
 */
export function provenLauncher() {
  if (proven !== undefined) return proven;
  if (process.platform !== 'linux') throw refused(`they need Linux, and this is ${process.platform}`);
  const launcher = unwrap(native().programLauncher());
  const { stdout, error } = spawnSync(launcher.executable, [launcher.library, '--try-walls'], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: MAX_ANSWER_BYTES,
    timeout: PATIENCE_MS,
  });
  const missing = missingOf(stdout?.toString('utf8') ?? '');
  if (error !== undefined || missing !== undefined) throw refused(missing ?? 'what starts them cannot be started');
  proven = launcher;
  return launcher;
}

/**
 * @param {string} answer
 * @returns {string | undefined}
 */
function missingOf(answer) {
  try {
    const { confined, missing } = parseForeignJson(answer);
    return confined === true ? undefined : String(missing ?? 'the walls do not stand');
  } catch {
    return 'the walls could not be tried';
  }
}

/** @param {string} why */
function refused(why) {
  return new ConfigError(
    `This system cannot confine programs, so createShellTools is refused: ${why}. Leave it out here; tools in the sandbox (exec_tool, run_code) work everywhere.`,
    { details: { missing: why } },
  );
}
