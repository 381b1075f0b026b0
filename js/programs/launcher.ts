/** Finds the launcher for confined programs, and tests whether this system supports confinement. */

import { spawnSync } from 'node:child_process';
import { ConfigError } from '../boundary/errors.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';
import { native } from '../boundary/native.js';
import { unwrap } from '../boundary/unwrap.js';

/** The answer is one line. */
const MAX_ANSWER_BYTES = 64 << 10;
const TEST_TIMEOUT_MS = 30_000;

export type Launcher = { executable: string; library: string };

let proven: Launcher | undefined;

/** The launcher. Confinement is tested once; throws if this system does not support it. */
export function provenLauncher(): Launcher {
  if (proven !== undefined) return proven;
  if (process.platform !== 'linux') throw refused(`confinement requires Linux, and this is ${process.platform}`);
  const launcher = unwrap(native().programLauncher());
  const { stdout, error } = spawnSync(launcher.executable, [launcher.library, '--check-confinement'], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: MAX_ANSWER_BYTES,
    timeout: TEST_TIMEOUT_MS,
  });
  const missing = missingOf(stdout?.toString('utf8') ?? '');
  if (error !== undefined || missing !== undefined) throw refused(missing ?? 'the launcher cannot be started');
  proven = launcher;
  return launcher;
}

function missingOf(answer: string): string | undefined {
  try {
    const value = parseForeignJson(answer);
    const { confined, missing } = isRecord(value) ? value : {};
    return confined === true ? undefined : String(missing ?? 'the confinement is not effective');
  } catch {
    return 'the confinement could not be tested';
  }
}

function refused(why: string) {
  return new ConfigError(
    `This system cannot confine programs, so createShellTools is not available: ${why}. Remove it here; tools in the sandbox (exec_tool, run_code) work everywhere.`,
    { details: { missing: why } },
  );
}
