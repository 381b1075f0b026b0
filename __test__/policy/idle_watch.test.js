/** The cost of watching a policy file that does not change. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const IDLE_MS = 2_000;

/** Counts how often an idle process woke up. @param {string} policy */
const idle = (policy) => `
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const kernel = new TGP({ config: { rootDir: ${JSON.stringify(policy.replaceAll(/\W/g, '_'))}, sandbox: { warm: 0 }, ledger: false, policy: ${JSON.stringify(policy)} }, logger: quiet });
await kernel.boot();
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
await pause(1_000);
const before = process.resourceUsage().voluntaryContextSwitches;
await pause(${IDLE_MS});
console.log(process.resourceUsage().voluntaryContextSwitches - before);
await kernel.shutdown();
`;

test.runIf(process.platform === 'linux')(
  'watching the policy file wakes an idle process fewer than three times a second',
  async () => {
    const folder = await tempRoot();
    const file = join(folder, 'p.yaml');
    await writeFile(file, 'default: allow\nrules: []\n');
    const [unwatched, watched] = await Promise.all(['allow', file].map((policy) => runProgram(folder, idle(policy))));
    const wakeups = watched - unwatched;
    // Polling twice a second costs about six wakeups a second.
    expect(wakeups).toBeLessThan(3 * (IDLE_MS / 1_000));
  },
);
