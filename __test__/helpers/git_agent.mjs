/**
 * One agent of the chaos test, in its own process: writes its tools one by one and says so after each, with the words of
 * the kernel. Started again after a kill, it goes on with the first that it did not see done.
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
