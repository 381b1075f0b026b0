/** An application whose program does not end by itself; a test kills the application. */

import { createShellTools } from '../../index.js';

const [cwd, marker] = process.argv.slice(2);
const { run_program } = createShellTools({ programs: ['sh'], cwd: String(cwd) });
await run_program.execute({ program: 'sh', args: ['-c', `(sleep 1000.${marker} &) ; sleep 1000.${marker}`] });
