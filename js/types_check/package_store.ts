/**
 * The packages that the type checker may read: those that tools may import, and their declared dependencies. Access is limited to
 * the real folder of each package.
 */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { readTextAtOnce } from '../boundary/bounded_read.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';
import { isPackageName } from '../boundary/package_name.js';

/** Maximum file size: several times the largest known declaration files. */
const MAX_FILE_BYTES = 8 << 20;
const MAX_MANIFEST_BYTES = 1 << 20;
/** Files that the type checker may read. */
const READABLE = /\.(?:[cm]?tsx?|json|[cm]?jsx?)$/;
const MODULES = 'node_modules';

/** A package with its real folder and the names that its package.json declares. */
export type Package = { name: string; folder: string; declared: Set<string> };
/** A file or folder of an installed package: its path inside the package, and on disk. */
export type PackageEntry = { kind: 'file' | 'folder'; package: Package; inside: string; real: string };

export class PackageStore {
  #baseDir;
  /** By importing folder and name. */
  #found = new Map<string, Package | undefined>();
  /** By real folder. */
  #byFolder = new Map<string, Package>();

  /**
   * @param baseDir the application's folder
   * @param own folders of built-in packages, by name
   */
  constructor(baseDir: string, own: Record<string, string>) {
    this.#baseDir = existsSync(baseDir) ? realpathSync(baseDir) : baseDir;
    for (const [name, folder] of Object.entries(own)) {
      const opened = { name, folder: realpathSync(folder), declared: new Set<string>() };
      this.#found.set(keyOf(this.#baseDir, name), opened);
    }
  }

  /** A package as resolved from the application. */
  ofApplication(name: string) {
    return this.#find(this.#baseDir, name);
  }

  /** A package as resolved from another one, if that declares it as a dependency. */
  neededBy(importer: Package, name: string) {
    return importer.declared.has(name) || importer.declared.has(untyped(name))
      ? this.#find(importer.folder, name)
      : undefined;
  }

  /** The file or folder at a path inside a package. */
  entry(of: Package, segments: string[]): PackageEntry | undefined {
    if (segments.some((name) => name === '' || name.startsWith('.') || name === MODULES || /[\\\0:]/.test(name))) {
      return undefined;
    }
    try {
      const real = realpathSync(join(of.folder, ...segments));
      const inside = relative(of.folder, real);
      if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined;
      const found = statSync(real);
      const kind = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : undefined;
      return kind && { kind, package: of, inside: inside.split(sep).join('/'), real };
    } catch {
      // Missing or unreadable.
      return undefined;
    }
  }

  /** The text of a file, if its type is readable. */
  text(entry: PackageEntry | undefined): string | null {
    if (entry?.kind !== 'file' || !READABLE.test(entry.real)) return null;
    return readBounded(entry.real, MAX_FILE_BYTES);
  }

  #find(from: string, name: string): Package | undefined {
    const key = keyOf(from, name);
    if (!this.#found.has(key)) this.#found.set(key, this.#look(from, name));
    return this.#found.get(key);
  }

  #look(from: string, name: string): Package | undefined {
    if (!isPackageName(name)) return undefined;
    for (let folder = from; ; folder = dirname(folder)) {
      const link = join(folder, MODULES, name);
      if (existsSync(link)) return this.#open(realpathSync(link), name);
      if (dirname(folder) === folder) return undefined;
    }
  }

  #open(folder: string, name: string): Package | undefined {
    const cached = this.#byFolder.get(folder);
    if (cached) return cached;
    // A link to the application or its parents would expose all of the application's files.
    const toApplication = relative(folder, this.#baseDir);
    if (!(toApplication === '..' || toApplication.startsWith(`..${sep}`) || isAbsolute(toApplication)))
      return undefined;
    const opened = { name, folder, declared: declaredBy(folder) };
    this.#byFolder.set(folder, opened);
    return opened;
  }
}

const keyOf = (from: string, name: string) => `${from}\0${name}`;

function declaredBy(folder: string): Set<string> {
  try {
    const manifest = parseForeignJson(readBounded(join(folder, 'package.json'), MAX_MANIFEST_BYTES) ?? '{}');
    const { dependencies, peerDependencies, optionalDependencies } = isRecord(manifest) ? manifest : {};
    const lists = [dependencies, peerDependencies, optionalDependencies].filter(isRecord);
    return new Set(lists.flatMap((names) => Object.keys(names)));
  } catch {
    return new Set();
  }
}

function readBounded(file: string, maxBytes: number) {
  try {
    return readTextAtOnce(file, maxBytes);
  } catch {
    return null;
  }
}

/** The package that an `@types/…` package describes. */
export function untyped(name: string) {
  const [, about] = /^@types\/(.+)$/.exec(name) ?? [];
  if (about === undefined) return name;
  const [scope, rest] = about.split('__', 2);
  return rest === undefined ? about : `@${scope}/${rest}`;
}
