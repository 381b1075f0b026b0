/**
 * The files that a bundle may contain: those of installed packages, and of packages that the application links to. Paths,
 * package.json maps and links of a package must not lead to files of the application or its user, nor from an installed package to
 * a linked one, which is the user's code.
 */

import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isPackageName } from '../boundary/package_name.js';

const MODULES = 'node_modules';

/** @returns the folder and its parents */
export function foldersFrom(path: string): string[] {
  const folders = [path];
  for (let folder = path; dirname(folder) !== folder; folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

/** The real folder of a package as resolved from `from`; empty if not found. */
export function packageFolder(from: string, name: string) {
  const above = folderWith(from, name);
  return above === undefined ? '' : realpathSync(join(above, MODULES, name));
}

function folderWith(from: string, name: string) {
  if (!isPackageName(name)) return undefined;
  return foldersFrom(from).find((folder) => existsSync(join(folder, MODULES, name)));
}

export class PackageFiles {
  #baseDir;
  #own;
  /** Folders whose `node_modules` the application uses. */
  #around;
  /** Other folders whose files a bundle may contain. */
  #folders = new Set<string>();
  #requested = new Set<string>();

  /** @param own a folder whose files every bundle may contain */
  constructor(baseDir: string, own: string) {
    this.#baseDir = realOf(baseDir);
    this.#around = new Set(foldersFrom(this.#baseDir));
    this.#own = realOf(own);
    this.#folders.add(this.#own);
  }

  /** Allows a package that was imported by name, if the application, and not another package, links to it. */
  add(from: string, name: string) {
    const key = `${from}\0${name}`;
    if (this.#requested.has(key)) return;
    this.#requested.add(key);
    const above = folderWith(realOf(from), name);
    if (above === undefined || (this.#isInstalled(above) && !this.#around.has(above))) return;
    const folder = realpathSync(join(above, MODULES, name));
    if (!isWithin(this.#baseDir, folder)) this.#folders.add(folder);
  }

  /** @param id of a module with a file */
  has(id: string) {
    const real = realOf(id);
    return [...this.#folders].some((folder) => isWithin(real, folder)) || this.#isInstalledModule(id);
  }

  /** Whether a module may import another, if a bundle may contain both. */
  mayImport(importer: string, id: string) {
    return !this.#isInstalledModule(importer) || this.#isInstalledModule(id) || isWithin(realOf(id), this.#own);
  }

  /** @param id of a module; whether it is part of an installed package */
  #isInstalledModule(id: string) {
    // Yarn keeps packages in archives, which only its resolver finds.
    const isInArchive = process.versions.pnp !== undefined && /\.zip\/node_modules\//.test(id);
    return isInArchive || this.#isInstalled(realOf(id));
  }

  /** Whether a path is in a package installed for the application, and not in the application itself. */
  #isInstalled(real: string) {
    const parts = real.split(sep);
    const at = parts.lastIndexOf(MODULES);
    const length = parts[at + 1]?.startsWith('@') ? 2 : 1;
    if (at < 0 || !isPackageName(parts.slice(at + 1, at + 1 + length).join('/'))) return false;
    if (isWithin(this.#baseDir, parts.slice(0, at + 1 + length).join(sep))) return false;
    return parts.some((part, index) => part === MODULES && this.#around.has(parts.slice(0, index).join(sep) || sep));
  }
}

function isWithin(path: string, folder: string) {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** @param id a path, possibly with a query */
function realOf(id: string) {
  const path = existsSync(id) ? id : id.replace(/[?#].*$/s, '');
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
