import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PREFIX = 'tgp-types-';
const SANDBOX_TYPES = fileURLToPath(new URL('../sandbox/tgp.d.ts', import.meta.url));

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: 'esnext',
  lib: ['esnext'],
  // No types of Node or a browser: a tool has neither.
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

/**
 * The folder that the type checker looks at. It holds settings, the sandbox's declarations, links to allowed packages and
 * empty folders; the tools themselves are handed over as open documents and are never on disk here.
 */
export class TypesWorkspace {
  #folder;
  #baseDir;
  #removeAtExit = () => this.remove();

  /**
   * @param {string} baseDir the application's folder
   * @param {readonly string[]} functions names of the application's own functions on `tgp`
   */
  constructor(baseDir, functions) {
    sweep();
    this.#baseDir = baseDir;
    this.#folder = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)));
    process.once('exit', this.#removeAtExit);
    const own = functions.map((name) => `  ${JSON.stringify(name)}(...args: any[]): any;`).join('\n');
    writeFileSync(join(this.#folder, 'application.d.ts'), `interface Tgp {\n${own}\n}\n`);
    copyFileSync(SANDBOX_TYPES, join(this.#folder, 'tgp.d.ts'));
    const settings = { compilerOptions: COMPILER_OPTIONS, include: ['*.d.ts', 'root/**/*'] };
    writeFileSync(join(this.#folder, 'tsconfig.json'), JSON.stringify(settings));
  }

  get folder() {
    return this.#folder;
  }

  /** @param {string} path of a tool, relative to the root */
  uri(path) {
    return pathToFileURL(join(this.#folder, 'root', path)).href;
  }

  /**
   * Makes the folder of a tool: modules are looked for only in folders that exist.
   * @param {string} path
   */
  prepare(path) {
    mkdirSync(dirname(join(this.#folder, 'root', path)), { recursive: true });
  }

  /**
   * Lets tools import a package of the application. One that is not installed is left for the checker to miss.
   * @param {string} name
   */
  link(name) {
    const link = join(this.#folder, 'node_modules', name);
    if (existsSync(link)) return;
    for (let folder = this.#baseDir; ; folder = dirname(folder)) {
      const found = join(folder, 'node_modules', name);
      if (existsSync(found)) {
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(realpathSync(found), link, 'junction');
        return;
      }
      if (dirname(folder) === folder) return;
    }
  }

  /**
   * A message without the host's paths.
   * @param {string} message
   */
  scrub(message) {
    return message
      .replaceAll(`${join(this.#folder, 'root')}/`, '')
      .replaceAll(`${this.#folder}/`, '')
      .replace(/(?:[A-Za-z]:)?[\\/][^"'\s]*node_modules[\\/]/g, '');
  }

  remove() {
    process.removeListener('exit', this.#removeAtExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Removes what a killed process has left behind. */
function sweep() {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (!Number.isNaN(owner) && !isRunning(owner)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
