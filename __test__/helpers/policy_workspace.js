import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from './temp_root.js';

export const ONE = '/** One. */\nexport default (): number => 1;\n';
const FIXABLE =
  '/** Runs a tool. */\nexport default async (args: { path: string }): Promise<number> => {\n  tgp.exec_tool(args.path, {});\n  return 1;\n};\n';

/** A folder with two tools, for the command line. @param {object} [config] */
export async function workspace(config = {}) {
  const folder = await tempRoot();
  await writeFile(join(folder, 'tgp.config.json'), '{}');
  const kernel = new TGP({ configFile: join(folder, 'tgp.config.json') });
  const { write_file } = tgpTools(kernel);
  await write_file.execute({ path: 'tools/one.ts', content: ONE });
  await write_file.execute({ path: 'tools/runs.ts', content: FIXABLE });
  await kernel.shutdown();
  await writeFile(join(folder, 'tgp.config.json'), JSON.stringify(config));
  return folder;
}
