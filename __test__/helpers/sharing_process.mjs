/**
 * One of several processes on one root: writes its tools, some at a time, and prints what each write reported, as one line of JSON.
 */

import { TGP, tgpTools } from '../../index.js';

const [rootDir, repo, name, count] = process.argv.slice(2);
const logger = { debug() {}, info() {}, warn() {}, error() {} };
const kernel = new TGP({ config: { rootDir, git: { repo }, sandbox: { warm: 0 } }, logger });
const tools = tgpTools(kernel);
const lanes = Array.from({ length: 3 }, async (_, lane) => {
  for (let index = 0; index < Number(count); index++) {
    const path = `tools/${name}/l${lane}_${index}.ts`;
    const content = `export default () => '${path}'\n`;
    const { persisted, commit } = await tools.write_file.execute({ path, content });
    process.stdout.write(`${JSON.stringify({ path, content, persisted, commit })}\n`);
  }
});
await Promise.all(lanes);
await kernel.shutdown();
