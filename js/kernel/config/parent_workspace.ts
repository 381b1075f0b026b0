/** Searches the parent folders for a workspace, as commands do. A kernel does not use what it finds there, but warns. */

import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';

/** The default root folder; a test compares it with the kernel's default. @internal */
export const DEFAULT_ROOT = './.tgp';

/** This folder and its parents, up to the top of the repository or the home folder. @internal */
export async function foldersFrom(start: string): Promise<string[]> {
  const folders = [start];
  for (let folder = start; !(await isTop(folder)); folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

async function isTop(folder: string) {
  if (dirname(folder) === folder || folder === homedir()) return true;
  // A workspace is a repository inside its project.
  return basename(folder) !== basename(DEFAULT_ROOT) && (await exists(join(folder, '.git')));
}

/**
 * The warning for a kernel that is about to create its workspace here although a parent folder has one; undefined otherwise.
 * @param configured whether the application passes a configuration
 * @param configIn the default config file of a folder
 * @internal
 */
export async function secondWorkspaceWarning(
  here: string,
  configured: 'inline' | 'not',
  configIn: (folder: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (await exists(join(here, DEFAULT_ROOT))) return undefined;
  for (const folder of (await foldersFrom(here)).slice(1)) {
    const root = join(folder, DEFAULT_ROOT);
    const hasRoot = await exists(join(root, '.git'));
    const own = configured === 'inline' ? undefined : await configIn(folder);
    const file = own !== undefined && (await isOwnFile(own)) ? own : undefined;
    if (!hasRoot && file === undefined) continue;
    const found = shown(here, file !== undefined && !hasRoot ? file : root);
    const remedy =
      file !== undefined
        ? `new TGP({ configFile: '${shown(here, file)}' })`
        : `new TGP({ config: { rootDir: '${shown(here, root)}' } })`;
    return `This kernel creates a workspace at ${DEFAULT_ROOT} in the current folder, but a parent folder has ${found}, which the tgp command uses. To use that one, run the application there, or pass ${remedy}.`;
  }
  return undefined;
}

/**
 * Whether this user or root owns a file. A config file is code: one of another user in a parent folder, such as /tmp, is not run.
 * @internal
 */
export async function isOwnFile(file: string): Promise<boolean> {
  const own = process.getuid?.();
  if (own === undefined) return true;
  const { uid } = await stat(file);
  return uid === own || uid === 0;
}

/** A relative path with forward slashes. */
function shown(here: string, path: string) {
  return relative(here, path).split(sep).join('/');
}

/** Whether a file or folder exists. @internal */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
