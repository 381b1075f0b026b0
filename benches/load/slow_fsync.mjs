/** The environment of a process with a slow disk. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('./slow_fsync.c', import.meta.url));
const DELAY_MS = 20;
/** Measures one flush. */
const PROBE = `const fs = require('node:fs'); const file = fs.openSync(process.argv[1], 'w'); const from = performance.now();
fs.fsyncSync(file); process.stdout.write(String(performance.now() - from));`;

/**
 * @param {string} folder
 * @returns {{ env: Record<string, string> } | { skipped: string }}
 */
export function slowFsync(folder) {
  const library = join(folder, 'slow_fsync.so');
  const args = ['-shared', '-fPIC', '-O2', `-DDELAY_MS=${DELAY_MS}`, '-o', library, SOURCE];
  const { error, status, stderr } = spawnSync('cc', args, { encoding: 'utf8' });
  if (error) return { skipped: 'there is no C compiler (cc)' };
  if (status !== 0) return { skipped: `the C compiler fails: ${stderr.split('\n', 1)[0]}` };
  const env = { LD_PRELOAD: library };
  const probe = spawnSync(process.execPath, ['-e', PROBE, join(folder, 'probe')], { env: { ...process.env, ...env } });
  if (!(Number(probe.stdout) >= DELAY_MS)) return { skipped: 'LD_PRELOAD has no effect on this system' };
  return { env };
}
