/** Runs `cargo` in the build's environment, so that nothing is compiled twice. */

import { mkdirSync } from 'node:fs';
import { status, TYPE_DEF_DIR } from '../tools/process.mjs';

mkdirSync(TYPE_DEF_DIR, { recursive: true });
process.exitCode = status('cargo', process.argv.slice(2));
