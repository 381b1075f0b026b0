/** The virtual file system of the type checker, which has no direct disk access. */

import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { readTextAtOnce } from '../boundary/bounded_read.js';
import { PACKAGE_FOLDER } from '../package_folder.js';
import type { Package, PackageEntry } from './package_store.js';
import { PackageStore, untyped } from './package_store.js';
import { TypesServerFailed } from './types_server.js';

/** The virtual root folder. */
export const FOLDER = '/tgp';
const ROOT = `${FOLDER}/root/`;
const PACKAGES = `${FOLDER}/node_modules/`;
/** Packages by number, each in its own folder as with pnpm, so that a package has one path however it is resolved. */
const STORE = `${FOLDER}/store/`;
/** The path of the compiler's settings. */
export const SETTINGS = `${FOLDER}/tsconfig.json`;
/** Declarations of Node built-ins that tools may import. Node's own types would include much that the sandbox does not have. */
const NODE_PARTS = `${FOLDER}/node_parts.d.ts`;
/** Types of the sandbox: its own API and web APIs. */
const SANDBOX_TYPES = ['tgp.d.ts', 'web.d.ts', 'streams.d.ts', 'crypto.d.ts'];
const STANDARD_LIBRARY = join(PACKAGE_FOLDER, 'std');
const LIBRARY_FILE = /^lib(?:\.[a-z0-9]+)*\.d\.ts$/;
/** Limits of files and characters that a check may read. */
const MAX_READS = 20_000;
const MAX_CHARS = 96 << 20;

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'esnext',
  lib: ['esnext'],
  // Tools have neither Node nor browser APIs.
  types: [],
  module: 'preserve',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  esModuleInterop: true,
  skipLibCheck: true,
  paths: { '/lib/*': ['./root/tools/*'] },
};

/** Implements the file callbacks of the type checker's server. */
export class TypeFiles {
  #store;
  #library;
  /** Virtual files, by path. */
  #texts = new Map<string, string>();
  /** Folders of the virtual files. */
  #folders = new Set<string>();
  #packages = new Set<string>();
  /** By number. */
  #numbered: Package[] = [];
  #reads = 0;
  #chars = 0;

  /**
   * @param baseDir the application's folder
   * @param functions declarations of the application's own functions on `tgp`
   * @param library the folder of the compiler's library declarations
   */
  constructor(baseDir: string, functions: readonly string[], library: string) {
    this.#store = new PackageStore(baseDir, { '@tgp/std': STANDARD_LIBRARY });
    this.#library = `${library}/`;
    this.#set(`${FOLDER}/application.d.ts`, `interface Tgp {\n${functions.join('\n')}\n}\n`);
    for (const name of SANDBOX_TYPES) {
      this.#set(`${FOLDER}/${name}`, readTextAtOnce(join(PACKAGE_FOLDER, 'sandbox', name), MAX_CHARS));
    }
  }

  /**
   * Replaces the tools, the first of which is checked, and the allowed packages.
   * @returns paths
   */
  show(
    tools: { path: string; text: string }[],
    packages: string[],
  ): { created: string[]; changed: string[]; deleted: string[] } {
    this.#reads = 0;
    this.#chars = 0;
    this.#packages = new Set(packages);
    const before = new Map(this.#texts);
    for (const path of before.keys()) if (path.startsWith(ROOT)) this.#texts.delete(path);
    for (const { path, text } of tools) this.#set(this.pathOf(path), text);
    const checked = tools.slice(0, 1).map(({ path }) => this.pathOf(path));
    const parts = packages.filter((name) => isBuiltin(name));
    this.#set(NODE_PARTS, parts.map(anyModule).join('') + (parts.includes('buffer') ? GLOBAL_BUFFER : ''));
    const sandboxTypes = [...SANDBOX_TYPES, 'application.d.ts'].map((name) => `${FOLDER}/${name}`);
    const files = [...sandboxTypes, NODE_PARTS, ...checked];
    this.#set(SETTINGS, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files }));
    this.#folders = foldersOf(this.#texts.keys());
    const now = [...this.#texts.keys()];
    return {
      created: now.filter((path) => !before.has(path)),
      changed: now.filter((path) => before.has(path) && before.get(path) !== this.#texts.get(path)),
      deleted: [...before.keys()].filter((path) => !this.#texts.has(path)),
    };
  }

  /** @param path of a tool, relative to the root */
  pathOf(path: string) {
    return `${ROOT}${path}`;
  }

  /** Removes virtual paths from a message. */
  scrub(message: string) {
    return message
      .replaceAll(ROOT, '')
      .replace(/\/tgp\/(?:store\/\d+\/)?node_modules\//g, '')
      .replaceAll(this.#library, '')
      .replaceAll(`${FOLDER}/`, '');
  }

  readFile(path: string) {
    const text = this.#texts.get(path) ?? this.#libraryText(path) ?? this.#store.text(this.#find(path));
    this.#reads += 1;
    this.#chars += text?.length ?? 0;
    if (this.#reads > MAX_READS || this.#chars > MAX_CHARS) throw new TypesServerFailed('it uses too many types');
    return text;
  }

  fileExists(path: string) {
    return this.#texts.has(path) || this.#isLibrary(path) || this.#find(path)?.kind === 'file';
  }

  directoryExists(path: string) {
    const folder = path.replace(/\/+$/, '');
    if (this.#folders.has(folder) || `${folder}/` === this.#library) return true;
    if (`${folder}/` === PACKAGES) return this.#packages.size > 0;
    // A scope folder or a `node_modules` folder: its packages are resolved by their full names.
    if (/\/node_modules(?:\/@[^/]+)?$/.test(folder)) return folder.startsWith(STORE) || folder.startsWith(PACKAGES);
    return this.#find(folder)?.kind === 'folder';
  }

  /** Folders are not listed: files are requested by name. */
  getAccessibleEntries() {
    return { files: [], directories: [] };
  }

  realpath(path: string) {
    const entry = this.#texts.has(path) || this.#isLibrary(path) ? undefined : this.#find(path);
    return entry ? `${this.#numberedFolder(entry.package)}${entry.inside === '' ? '' : `/${entry.inside}`}` : path;
  }

  /** The package entry at a path inside `node_modules`. */
  #find(path: string): PackageEntry | undefined {
    if (path.startsWith(PACKAGES)) {
      const { name, rest } = nameIn(path.slice(PACKAGES.length).split('/'));
      const isAllowed = this.#packages.has(name) || (name.startsWith('@types/') && this.#packages.has(untyped(name)));
      return isAllowed ? this.#inside(this.#store.ofApplication(name), rest) : undefined;
    }
    const [, number, within] = path.startsWith(STORE)
      ? (/^(\d+)\/node_modules\/(.+)$/.exec(path.slice(STORE.length)) ?? [])
      : [];
    const own = this.#numbered[Number(number)];
    if (own === undefined || within === undefined) return undefined;
    const { name, rest } = nameIn(within.split('/'));
    return this.#inside(name === own.name ? own : this.#store.neededBy(own, name), rest);
  }

  #inside(start: Package | undefined, segments: string[]): PackageEntry | undefined {
    let [of, rest] = [start, segments];
    while (of && rest[0] === 'node_modules' && rest.length > 1) {
      const needed = nameIn(rest.slice(1));
      [of, rest] = [this.#store.neededBy(of, needed.name), needed.rest];
    }
    return of && this.#store.entry(of, rest);
  }

  #numberedFolder(of: Package) {
    const index = this.#numbered.indexOf(of);
    const number = index === -1 ? this.#numbered.push(of) - 1 : index;
    return `${STORE}${number}/node_modules/${of.name}`;
  }

  #isLibrary(path: string) {
    return path.startsWith(this.#library) && LIBRARY_FILE.test(path.slice(this.#library.length));
  }

  #libraryText(path: string) {
    if (!this.#isLibrary(path)) return undefined;
    try {
      return readTextAtOnce(path, MAX_CHARS);
    } catch {
      return undefined;
    }
  }

  #set(path: string, text: string) {
    this.#texts.set(path, text.replace(/^\uFEFF/, ''));
  }
}

/** Splits a path into the package name and the rest. */
function nameIn(segments: string[]) {
  const length = segments[0]?.startsWith('@') ? 2 : 1;
  return {
    name: segments.slice(0, length).join('/'),
    rest: segments.slice(length).filter((segment) => segment !== ''),
  };
}

function foldersOf(paths: Iterable<string>) {
  const folders = new Set(['']);
  for (const path of paths) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.add(path.slice(0, at));
  }
  return folders;
}

/** The global that tools have if they may import `node:buffer`. */
const GLOBAL_BUFFER = 'declare var Buffer: any;\ntype Buffer = any;\n';

/** @returns declarations of modules of type `any` */
function anyModule(name: string): string {
  const names = [name, `${name}/*`, `node:${name}`, `node:${name}/*`];
  return names.map((each) => `declare module '${each}';\n`).join('');
}
