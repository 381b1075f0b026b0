/**
 * The files that a bundle may be made of: those in the folders of its packages. A package names files by paths, by maps in its
 * package.json and by links; none of these leads it to a file of the application or of whoever installed it.
 */

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { isPackageName } from '../boundary/package_name.js';

const MODULES = 'node_modules';

/** @param {string} path @returns {string[]} the folder and all above it */
export function foldersFrom(path) {
  const folders = [path];
  for (let folder = path; dirname(folder) !== folder; folder = dirname(folder)) folders.push(dirname(folder));
  return folders;
}

/**
 * The folder of a package as code in `from` finds it, links followed; empty when there is none.
 * @param {string} from
 * @param {string} name
 */
export function packageFolder(from, name) {
  if (!isPackageName(name)) return '';
  const above = foldersFrom(from).find((folder) => existsSync(join(folder, MODULES, name)));
  if (above === undefined) return '';
  const real = realpathSync(join(above, MODULES, name));
  // A link of the application's own leads where the application wants. One that a package brought along leads to packages alone.
  return isInstalled(above) && !isPackage(real) ? '' : real;
}

/** @param {string} folder */
const isInstalled = (folder) => folder.split(sep).includes(MODULES);

/** @param {string} folder whether it lies in `node_modules`, under a name of one or two parts */
const isPackage = (folder) => [dirname(folder), dirname(dirname(folder))].some((above) => basename(above) === MODULES);

export class PackageFiles {
  #baseDir;
  /** @type {Set<string>} */
  #folders = new Set();
  /** @type {Set<string>} */
  #names = new Set();

  /**
   * @param {string} baseDir
   * @param {string} own a folder whose files every bundle may hold
   */
  constructor(baseDir, own) {
    this.#baseDir = realOf(baseDir);
    this.#folders.add(realOf(own));
  }

  /**
   * Lets a package in that was asked for by its name.
   * @param {string} from
   * @param {string} name
   */
  add(from, name) {
    const folder = packageFolder(from, name);
    // The application itself, or what is around it, is no package.
    if (folder !== '' && !isWithin(this.#baseDir, folder)) this.#folders.add(folder);
    this.#names.add(name);
  }

  /** @param {string} id of a module; those that are in no file are not asked about */
  has(id) {
    const real = realOf(id);
    if ([...this.#folders].some((folder) => isWithin(real, folder))) return true;
    // Yarn keeps packages in archives, which only its own resolver finds.
    return process.versions.pnp !== undefined && this.#names.has(archivedName(id));
  }
}

/** @param {string} id @returns {string} the package whose archive a file is in; empty for other files */
const archivedName = (id) => /\.zip\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(id)?.[1] ?? '';

/**
 * @param {string} path
 * @param {string} folder
 */
function isWithin(path, folder) {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** @param {string} id a path, which may have a query behind it */
function realOf(id) {
  const path = existsSync(id) ? id : id.replace(/[?#].*$/s, '');
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
