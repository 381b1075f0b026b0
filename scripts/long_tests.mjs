/** Runs the long tests: the files of `__test__/long/`, and other files with more repetitions. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localBin, ROOT, status } from '../tools/process.mjs';

const FOLDER = '__test__';
const growing = readdirSync(join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.js'))
  .map((path) => join(FOLDER, path))
  .filter((path) => readFileSync(join(ROOT, path), 'utf8').includes('/helpers/how_often.js'));

const chosen = process.argv.slice(2);
process.exitCode = status(
  localBin('vitest'),
  ['run', ...(chosen.length > 0 ? chosen : [`${FOLDER}/long/`, ...growing.sort()])],
  { TGP_LONG_TESTS: '1' },
);
