/**
 * The first steps of a new user: `npm install @tgp/core` in an empty folder, and the first tool. In `npm test`,
 * `__test__/package/pack.test.js` installs the packed packages in an empty project.
 */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { timesTable } from '../../scripts/first_tool.mjs';
import { IS_LONG } from '../helpers/how_often.js';

const exec = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../../scripts/first_tool.mjs', import.meta.url));
const MINUTES = 60_000;

it.runIf(IS_LONG)(
  'npm install @tgp/core brings the native package of this platform, and the first tool runs',
  async () => {
    const { stdout } = await exec(process.execPath, [SCRIPT, '--only', 'npm']);
    expect(stdout).toMatch(/^\| npm +\| \d+\.\d+\.\d+ +\| \d+\.\d s +\| \d+\.\d s +\| \d+\.\d s +\| \d+ MB +\|$/m);
  },
  10 * MINUTES,
);

it('the table has the reason for a skipped package manager', () => {
  const timed = { name: 'npm', version: '11.0.0', install: 9.96, forged: 1.04, megabytes: 133 };
  expect(timesTable([timed, { name: 'bun', skipped: 'no network | at all' }]).split('\n')).toEqual([
    '| manager | version | install                       | first tool forged and run | together | on disk |',
    '| ------- | ------- | ----------------------------- | ------------------------- | -------- | ------- |',
    '| npm     | 11.0.0  | 10.0 s                        | 1.0 s                     | 11.0 s   | 133 MB  |',
    '| bun     |         | not here: no network   at all |                           |          |         |',
  ]);
});
