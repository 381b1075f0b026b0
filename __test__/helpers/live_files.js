/** The files of the commit that `tool_history.js` writes next, and the edits that lead to it. */

import { choices } from './tool_texts.js';

/**
 * @typedef {import('./tool_texts.js').LiveFile} LiveFile
 * @typedef {import('./history_model.js').Change & { file: LiveFile }} Edit
 */

const LINES = 20;
/** What an edited rename replaces. */
const RENAMED_SHARE = 0.3;
const MAX_LEVEL = 5;
/** Files with more dependents are not deleted: each dependent must change in the same commit. */
const MAX_DEPENDENTS = 3;

export class LiveFiles {
  /** @type {LiveFile[]} */
  #tools = [];
  /** @type {LiveFile[]} */
  #modules = [];
  /** @type {Map<LiveFile, LiveFile>} */
  #tests = new Map();
  /** Renamed tools that will be renamed again. @type {LiveFile[]} */
  #chains = [];
  /** Paths of deleted tools. @type {string[]} */
  #deleted = [];
  #ids = 0;
  #base;
  #folders;

  /** @param {{ base: string, folders: number, seed: number }} options */
  constructor({ base, folders, seed }) {
    this.choices = choices(seed);
    this.#base = base;
    this.#folders = Array.from({ length: folders }, (_, at) => `${base}/area_${at}`);
  }

  count() {
    return this.#tools.length;
  }

  /**
   * The first commit: texts, modules with data, three tools that import each other in a ring, and the dense part.
   * @param {number} dense
   */
  begin(dense) {
    const readme = this.#file('README.md', 'data', 0);
    const edits = [added(readme)];
    for (const folder of this.#folders) {
      const rates = this.#file(`${folder}/lib/rates.json`, 'data', 0);
      const index = this.#file(`${folder}/lib/index.ts`, 'module', 0);
      link(index, rates, 'imports');
      const scale = this.#file(`${folder}/lib/scale.ts`, 'module', 1);
      link(scale, index, 'imports');
      this.#modules.push(index, scale);
      edits.push(added(rates), added(index), added(scale));
    }
    const ring = ['one', 'two', 'three'].map((name) => this.#file(`${this.#base}/ring/${name}.ts`, 'tool', MAX_LEVEL));
    const clique = Array.from({ length: dense }, (_, at) =>
      this.#file(`${this.#base}/dense/part_${at}.ts`, 'module', MAX_LEVEL),
    );
    for (const [at, file] of ring.entries())
      link(file, /** @type {LiveFile} */ (ring[(at + 1) % ring.length]), 'imports');
    for (const from of clique) for (const to of clique) if (from !== to) link(from, to, 'imports');
    return [...edits, ...[...ring, ...clique].map(added)];
  }

  /**
   * The edits of an ordinary commit.
   * @param {number} wanted the number of tools that there should be
   * @returns {{ subject: string, edits: Edit[] }}
   */
  next(wanted) {
    const { number, chance } = this.choices;
    if (this.#tools.length < wanted && (this.#tools.length < 8 || chance(0.8))) {
      const edits = [];
      while (this.#tools.length < wanted) edits.push(...this.add());
      return { subject: `Forge: ${edits[0]?.path}`, edits };
    }
    const roll = number(100);
    if (this.#tools.length < 8) return this.#edits();
    if (roll < 5) return this.#rename(true);
    if (roll < 10) return this.#rename(false);
    if (roll < 15) return this.#delete();
    if (roll < 17 && this.#deleted.length > 0) {
      const path = this.choices.one(this.#deleted);
      this.#deleted = this.#deleted.filter((other) => other !== path);
      return { subject: `Restore ${path}`, edits: this.add(path) };
    }
    if (roll < 30) return this.#relink();
    return this.#edits();
  }

  /**
   * A new tool, now and then with a test, or a new module before it.
   * @param {string} [path] a deleted one
   * @returns {Edit[]}
   */
  add(path) {
    const { one, chance, word, number } = this.choices;
    const folder = one(this.#folders);
    /** @type {Edit[]} */
    const edits = [];
    if (chance(0.12)) {
      const module = this.#file(`${folder}/lib/${word()}_${this.#ids}.ts`, 'module', 1 + number(2));
      this.#connect(module, 1);
      this.#modules.push(module);
      edits.push(added(module));
    }
    const tool = this.#file(path ?? `${folder}/${word()}_${this.#ids}.ts`, 'tool', 2 + number(MAX_LEVEL - 1));
    if (chance(0.1) && this.#tools.length > 0) tool.decoy = one(this.#tools).path;
    this.#connect(tool, number(3));
    if (chance(0.4)) this.#call(tool);
    this.#tools.push(tool);
    // The tool is first: subjects of commits name it.
    edits.unshift(added(tool));
    if (chance(0.3)) {
      const test = this.#file(testOf(tool.path), 'test', MAX_LEVEL + 1);
      link(test, tool, 'imports');
      this.#tests.set(tool, test);
      edits.push(added(test));
    }
    return edits;
  }

  /**
   * Changes some lines of a file.
   * @param {LiveFile} file
   * @param {number} [count]
   * @returns {Edit[]}
   */
  edit(file, count = 1 + this.choices.number(3)) {
    const from = this.choices.number(file.lines.length);
    for (let at = from; at < from + count; at++) file.lines[at % file.lines.length] = this.choices.line();
    return [modified(file)];
  }

  /**
   * Some different tools.
   * @param {number} count
   */
  some(count) {
    /** @type {Set<LiveFile>} */
    const chosen = new Set();
    while (chosen.size < Math.min(count, this.#tools.length)) chosen.add(this.choices.one(this.#tools));
    return [...chosen];
  }

  /** @returns {{ subject: string, edits: Edit[] }} */
  #edits() {
    const { number, chance, one } = this.choices;
    const files = this.#tools.length === 0 || chance(0.1) ? [one(this.#modules)] : this.some(1 + number(2));
    return { subject: `Change ${files[0]?.path}`, edits: files.flatMap((file) => this.edit(file)) };
  }

  /** A dependency more or less. */
  #relink() {
    const { one, chance } = this.choices;
    const tool = one(this.#tools);
    const dropped = chance(0.5) ? (tool.imports[0] ?? tool.calls[0]) : undefined;
    if (dropped !== undefined) unlink(tool, dropped);
    else if (chance(0.6)) this.#connect(tool, 1);
    else this.#call(tool);
    return { subject: `Refactor: ${tool.path}`, edits: this.edit(tool, 1) };
  }

  /** @param {boolean} pure @returns {{ subject: string, edits: Edit[] }} */
  #rename(pure) {
    const { one, chance, word } = this.choices;
    const again = this.#chains.pop();
    const tool = again ?? one(this.#tools);
    const from = tool.path;
    const folder = pure ? from.slice(0, from.lastIndexOf('/')) : one(this.#folders);
    tool.path = `${folder}/${word()}_${this.#ids++}.ts`;
    if (chance(0.5)) this.#chains.unshift(tool);
    if (!pure) this.edit(tool, Math.round(LINES * RENAMED_SHARE));
    const edits = [renamed(tool, from, pure)];
    const test = this.#tests.get(tool);
    if (test !== undefined) {
      const old = test.path;
      test.path = testOf(tool.path);
      edits.push(renamed(test, old, false));
    }
    for (const dependent of tool.dependents) if (dependent !== test) edits.push(modified(dependent));
    return { subject: `Move ${from} to ${tool.path}`, edits };
  }

  /** @returns {{ subject: string, edits: Edit[] }} */
  #delete() {
    const tool = this.some(10).find(({ dependents }) => dependents.size <= MAX_DEPENDENTS);
    if (tool === undefined) return this.#edits();
    const test = this.#tests.get(tool);
    /** @type {Edit[]} */
    const edits = [{ status: 'deleted', path: tool.path, file: tool }];
    if (test !== undefined) edits.push({ status: 'deleted', path: test.path, file: test });
    for (const dependent of [...tool.dependents]) {
      unlink(dependent, tool);
      if (dependent !== test) edits.push(modified(dependent));
    }
    for (const used of new Set([...tool.imports, ...tool.calls])) unlink(tool, used);
    this.#tests.delete(tool);
    this.#tools = this.#tools.filter((other) => other !== tool);
    this.#chains = this.#chains.filter((other) => other !== tool);
    this.#deleted.push(tool.path);
    return { subject: `Remove ${tool.path}`, edits };
  }

  /** @param {LiveFile} file @param {number} count */
  #connect(file, count) {
    for (let at = 0; at < count; at++) {
      const among =
        file.kind === 'tool' && this.#tools.length > 0 && this.choices.chance(0.5) ? this.#tools : this.#modules;
      const to = this.choices.one(among);
      if (to.level < file.level && !file.imports.includes(to)) link(file, to, 'imports');
    }
  }

  /** @param {LiveFile} tool */
  #call(tool) {
    if (this.#tools.length === 0) return;
    const to = this.choices.one(this.#tools);
    if (to !== tool && !tool.calls.includes(to)) link(tool, to, 'calls');
  }

  /**
   * @param {string} path
   * @param {LiveFile['kind']} kind
   * @param {number} level
   * @returns {LiveFile}
   */
  #file(path, kind, level) {
    const lines = Array.from({ length: LINES }, () => this.choices.line());
    const description = `Adds up ${this.choices.word()} ${this.choices.word()} of report ${this.#ids}.`;
    const id = this.#ids++;
    return { id, path, kind, level, imports: [], calls: [], dependents: new Set(), lines, description };
  }
}

/** @param {string} path */
const testOf = (path) => path.replace(/\.ts$/, '.test.ts');
/** @param {LiveFile} file @returns {Edit} */
const added = (file) => ({ status: 'added', path: file.path, file });
/** @param {LiveFile} file @returns {Edit} */
const modified = (file) => ({ status: 'modified', path: file.path, file });
/** @param {LiveFile} file @param {string} from @param {boolean} pure @returns {Edit} */
const renamed = (file, from, pure) => ({ status: 'renamed', path: file.path, from, pure, file });

/** @param {LiveFile} from @param {LiveFile} to @param {'imports' | 'calls'} how */
function link(from, to, how) {
  from[how].push(to);
  to.dependents.add(from);
}

/** @param {LiveFile} from @param {LiveFile} to */
function unlink(from, to) {
  from.imports = from.imports.filter((other) => other !== to);
  from.calls = from.calls.filter((other) => other !== to);
  to.dependents.delete(from);
}
