/**
 * The files that a bundle may be made of: those of installed packages, and of packages that the application links to. A package
 * names files by paths, by maps in its package.json and by links; none of these leads it to a file of the application or of its user,
 * and none leads an installed package to one that is only linked to: that is code of the user.
 */

import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
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
  const above = folderWith(from, name);
  return above === undefined ? '' : realpathSync(join(above, MODULES, name));
}

/**
 * @param {string} from
 * @param {string} name
 */
function folderWith(from, name) {
  if (!isPackageName(name)) return undefined;
  return foldersFrom(from).find((folder) => existsSync(join(folder, MODULES, name)));
}

export class PackageFiles {
  #baseDir;
  #own;
  /** Folders in whose `node_modules` the application finds packages. */
  #around;
  /** Other folders whose files a bundle may hold. @type {Set<string>} */
  #folders = new Set();
  /** @type {Set<string>} */
  #asked = new Set();

  /**
   * @param {string} baseDir
   * @param {string} own a folder whose files every bundle may hold
   */
  constructor(baseDir, own) {
    this.#baseDir = realOf(baseDir);
    this.#around = new Set(foldersFrom(this.#baseDir));
    this.#own = realOf(own);
    this.#folders.add(this.#own);
  }

  /**
   * Lets a package in that was asked for by its name, where the application, and not a package, has a link to it.
   * @param {string} from
   * @param {string} name
   */
  add(from, name) {
    const key = `${from}\0${name}`;
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    const above = folderWith(realOf(from), name);
    if (above === undefined || (this.#isInstalled(above) && !this.#around.has(above))) return;
    const folder = realpathSync(join(above, MODULES, name));
    if (!isWithin(this.#baseDir, folder)) this.#folders.add(folder);
  }

  /** @param {string} id of a module; those that are in no file are not asked about */
  has(id) {
    const real = realOf(id);
    return [...this.#folders].some((folder) => isWithin(real, folder)) || this.#isOfOthers(id);
  }

  /**
   * Whether a module may import another, where a bundle may hold both.
   * @param {string} importer
   * @param {string} id
   */
  mayImport(importer, id) {
    return !this.#isOfOthers(importer) || this.#isOfOthers(id) || isWithin(realOf(id), this.#own);
  }

  /** @param {string} id of a module; whether it was installed, and so written by others */
  #isOfOthers(id) {
    // Yarn keeps packages in archives, which only its own resolver finds.
    const isInArchive = process.versions.pnp !== undefined && /\.zip\/node_modules\//.test(id);
    return isInArchive || this.#isInstalled(realOf(id));
  }

  /**
   * Whether a path lies in a package that is installed for the application. The application itself is not one of its packages.
   * @param {string} real
   */
  #isInstalled(real) {
    const parts = real.split(sep);
    const at = parts.lastIndexOf(MODULES);
    const length = parts[at + 1]?.startsWith('@') ? 2 : 1;
    if (at < 0 || !isPackageName(parts.slice(at + 1, at + 1 + length).join('/'))) return false;
    if (isWithin(this.#baseDir, parts.slice(0, at + 1 + length).join(sep))) return false;
    return parts.some((part, index) => part === MODULES && this.#around.has(parts.slice(0, index).join(sep) || sep));
  }
}

/**
 * @param {string} path
 * @param {string} folder
 */
function isWithin(path, folder) {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
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
