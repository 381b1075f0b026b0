import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from './temp_root.js';

/**
 * A folder with a workspace and some tools in it, for commands. No worker is started before it is needed.
 * @param {Record<string, string>} tools
 * @param {object} [config]
 */
export async function cliWorkspace(tools, config = {}) {
  const folder = await tempRoot();
  const configFile = join(folder, 'tgp.config.json');
  await writeFile(configFile, JSON.stringify({ sandbox: { warm: 0 }, ...config }));
  const kernel = new TGP({ configFile });
  await kernel.boot();
  const { write_file } = tgpTools(kernel);
  for (const [path, content] of Object.entries(tools)) await write_file.execute({ path, content });
  await kernel.shutdown();
  return folder;
}
