/** Runs the benchmarks whose file names contain the argument, or all: `npm run bench -- warm`. */

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));
const [filter = ''] = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith('.bench.mjs') && name.includes(filter));
const failed = files.filter((file) => spawnSync(process.execPath, [folder + file], { stdio: 'inherit' }).status !== 0);
if (files.length === 0) process.stdout.write(`No benchmark has "${filter}" in its name.\n`);
process.exitCode = failed.length > 0 || files.length === 0 ? 1 : 0;
