/** Ingests a repository and prints the report: `node ingesting_program.mjs <rootDir> <projectPath>`. */

import { TGP } from '../../index.js';

const [rootDir, projectPath] = process.argv.slice(2);
const kernel = new TGP({ config: { rootDir } });
await kernel.boot();
process.stdout.write('ready\n');
const report = await kernel.graph.ingest({ projectPath });
process.stdout.write(`${JSON.stringify(report)}\n`);
await kernel.shutdown();
