/**
 * One agent of the chaos test, in its own process: writes its tools one by one, and prints a line after each write that the
 * kernel confirmed. After a kill it is started again with its first unconfirmed write.
 */

import { TGP, tgpTools } from '../../index.js';

const [rootDir, remote, name, first, count] = process.argv.slice(2);
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const kernel = new TGP({ config: { rootDir, git: { repo: remote }, sandbox: { warm: 0 } }, logger });
const tools = tgpTools(kernel);
for (let index = Number(first); index < Number(count); index++) {
  const path = `tools/${name}/t${index}.ts`;
  for (;;) {
    const { persisted } = await tools.write_file.execute({ path, content: `export default () => '${path}'\n` });
    if (persisted === true) break;
    await kernel.sync().catch(() => {});
  }
  process.stdout.write(`done ${index}\n`);
}
await kernel.shutdown();
