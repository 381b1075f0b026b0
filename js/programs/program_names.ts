/** Resolves the programs that an agent may run, once, so that a later file of the same name cannot replace one. */

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { ConfigError, ValidationError } from '../boundary/errors.js';
import { nearest } from '../boundary/spelling.js';

/** `folder` is its installation folder outside the system's folders. */
export type Program = { name: string; path: string; folder: string | undefined };

const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * @param names names or absolute paths
 * @param cwd the real working folder, which is never a program's installation folder
 */
export function findPrograms(names: string[], cwd: string): Map<string, Program> {
  const programs = new Map<string, Program>();
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

/** The program with this name. Throws a suggestion for unknown names. */
export function programNamed(programs: Map<string, Program>, name: string): Program {
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

/** The PATH of a program: the folders of allowed programs and of the system. */
export function pathOf(programs: Map<string, Program>) {
  return [...new Set([...[...programs.values()].map(({ path }) => dirname(path)), ...SYSTEM_PATH])].join(delimiter);
}

/**
 * The folder with the libraries of a manually installed program: the parent of its `bin`, unless it is a shared folder.
 */
function ownFolder(path: string, cwd: string) {
  const folder = dirname(path);
  const candidates = basename(folder) === 'bin' ? [dirname(folder), folder] : [folder];
  const kept = [cwd, homedir(), tmpdir(), '/etc', '/proc', '/var', '/run'].map((place) => realOrSame(place));
  return candidates.find((candidate) => kept.every((place) => !isWithin(place, candidate)));
}

/** Whether a path is a folder or inside it. */
export function isWithin(path: string, folder: string) {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith('../') && !isAbsolute(way));
}

/** The path without symbolic links, if it exists. */
export function realOrSame(path: string) {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function lookedUp(name: string) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
