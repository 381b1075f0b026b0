/**
 * One machine of several on a shared remote: a kernel on a root of its own that writes one tool after the other, from the first
 * line of its standard input on. Prints "ready" after its boot, and a line for each write that has reached the remote.
 */

import { createInterface } from 'node:readline';
import { TGP, tgpTools } from '../../index.js';

const [rootDir, repo, name] = process.argv.slice(2);
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const kernel = new TGP({ config: { rootDir, git: { repo }, sandbox: { warm: 0 } }, logger });
const tools = tgpTools(kernel);
await kernel.boot();
const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
process.stdout.write('ready\n');
await lines.next();
for (let index = 0; ; index++) {
  const path = `tools/${name}/t${index}.ts`;
  const { persisted } = await tools.write_file.execute({ path, content: `export default () => '${path}'\n` });
  process.stdout.write(`${persisted}\n`);
}
