/** Folders for programs to work on, and tools to run them. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createShellTools } from '../../index.js';
import { tempRoot } from './temp_root.js';

/** Whether programs can be confined here; if not, only the refusal can be tested. */
export const CAN_CONFINE = canConfine();

function canConfine() {
  try {
    createShellTools({ programs: ['sh'], cwd: '/usr' });
    return true;
  } catch {
    return false;
  }
}

/**
 * A folder with these files, and a tool for programs in it.
 * @param {Record<string, string>} files
 * @param {Partial<import('../../index.js').ShellToolOptions>} [options]
 */
export async function shellFolder(files = {}, options = {}) {
  const folder = await tempRoot();
  const cwd = join(folder, 'project');
  await mkdir(cwd);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  const { run_program } = createShellTools({ programs: ['sh', process.execPath], cwd, ...options });
  /** @param {string} script @param {string[]} args */
  const sh = (script, ...args) => run_program.execute({ program: 'sh', args: ['-c', script, 'sh', ...args] });
  /** @param {string} script @param {string[]} args */
  const node = (script, ...args) => run_program.execute({ program: 'node', args: ['-e', script, ...args] });
  return { folder, cwd, run_program, sh, node, files: () => filesOf(cwd) };
}

/**
 * Every file below a folder, with its text.
 * @param {string} folder
 */
async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.sort().map(async (file) => [file.slice(folder.length + 1), await readFile(file, 'utf8')]);
  return Object.fromEntries(await Promise.all(read));
}
