/** Resolves the programs that an agent may run, once, so that a later file of the same name cannot replace one. */

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { ConfigError, ValidationError } from '../boundary/errors.js';
import { nearest } from '../boundary/spelling.js';

/** @typedef {{ name: string, path: string, folder: string | undefined }} Program `folder` is its installation folder outside the system's folders */

const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * @param {string[]} names names or absolute paths
 * @param {string} cwd the real working folder, which is never a program's installation folder
 * @returns {Map<string, Program>}
 */
export function findPrograms(names, cwd) {
  /** @type {Map<string, Program>} */
  const programs = new Map();
  for (const one of names) {
    const name = basename(one);
    const path = isAbsolute(one) ? one : one === name ? lookedUp(one) : undefined;
    if (path === undefined || !isExecutable(path)) {
      throw new ConfigError(
        `createShellTools options: "programs" names "${one}", which is not a program of this system. Use a name on the PATH, or an absolute path.`,
        { details: { field: 'programs' } },
      );
    }
    if (programs.has(name)) {
      throw new ConfigError(`createShellTools options: "programs" names "${name}" twice.`, {
        details: { field: 'programs' },
      });
    }
    programs.set(name, { name, path, folder: ownFolder(realpathSync(path), cwd) });
  }
  return programs;
}

/**
 * @param {Map<string, Program>} programs
 * @param {string} name
 * @returns {Program}
 */
export function programNamed(programs, name) {
  const program = programs.get(name);
  if (program !== undefined) return program;
  const names = [...programs.keys()];
  const near = nearest(name, names);
  const question = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new ValidationError(
    `run_program: the program ${JSON.stringify(name.slice(0, 100))} is not allowed.${question} Allowed: ${names.join(', ')}. "program" is only a name; put its arguments into "args".`,
    { details: { field: 'program' } },
  );
}

/**
 * The PATH of a program: the folders of allowed programs and of the system.
 * @param {Map<string, Program>} programs
 */
export function pathOf(programs) {
  return [...new Set([...[...programs.values()].map(({ path }) => dirname(path)), ...SYSTEM_PATH])].join(delimiter);
}

/**
 * The folder with the libraries of a manually installed program: the parent of its `bin`, unless it is a shared folder.
 * @param {string} path
 * @param {string} cwd
 */
function ownFolder(path, cwd) {
  const folder = dirname(path);
  const candidates = basename(folder) === 'bin' ? [dirname(folder), folder] : [folder];
  const kept = [cwd, homedir(), tmpdir(), '/etc', '/proc', '/var', '/run'].map((place) => realOrSame(place));
  return candidates.find((candidate) => kept.every((place) => !isWithin(place, candidate)));
}

/**
 * @param {string} path
 * @param {string} folder
 */
export function isWithin(path, folder) {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}

/** @param {string} path */
export function realOrSame(path) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** @param {string} name */
function lookedUp(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
