/** What is true of a generated history, as of each of its commits: the oracle of the graph's tests. */

/**
 * @typedef {object} FileFacts
 * @property {'tool' | 'module' | 'test' | 'data'} kind
 * @property {string[]} imports
 * @property {string[]} calls
 * @property {string} description
 *
 * @typedef {object} Change
 * @property {'added' | 'modified' | 'deleted' | 'renamed'} status
 * @property {string} path
 * @property {string} [from] the former path of a renamed file
 * @property {boolean} [pure] whether a renamed file has the same bytes
 *
 * @typedef {object} HistoryCommit
 * @property {number} index
 * @property {string} hash
 * @property {string} author
 * @property {number} time in seconds
 * @property {string} subject
 * @property {number[]} parents
 * @property {[string, FileFacts | null][]} delta against the first parent
 * @property {Change[]} changes of a merge: paths that differ from all parents
 *
 * @typedef {[from: string, to: string]} Edge
 */

export class HistoryModel {
  /** @type {Map<number, Map<string, FileFacts>>} */
  #files = new Map();
  /** @type {Map<number, (Change & { commit: HistoryCommit })[]>} */
  #changes = new Map();

  /**
   * @param {string} folder
   * @param {HistoryCommit[]} commits in order of time
   */
  constructor(folder, commits) {
    this.folder = folder;
    this.commits = commits;
    this.head = commits.length - 1;
  }

  /** @param {number} index */
  commit(index) {
    const commit = this.commits[index];
    if (commit === undefined) throw new Error(`The history has no commit ${index}`);
    return commit;
  }

  /**
   * The files as of a commit.
   * @param {number} [at]
   */
  files(at = this.head) {
    const known = this.#files.get(at);
    if (known !== undefined) return known;
    const line = [];
    for (let index = /** @type {number | undefined} */ (at); index !== undefined; index = this.commit(index).parents[0])
      line.push(index);
    /** @type {Map<string, FileFacts>} */
    const files = new Map();
    for (const index of line.reverse())
      for (const [path, facts] of this.commit(index).delta)
        facts === null ? files.delete(path) : files.set(path, facts);
    this.#files.set(at, files);
    return files;
  }

  /**
   * The sorted paths of one kind as of a commit.
   * @param {FileFacts['kind']} kind
   * @param {number} [at]
   */
  paths(kind, at = this.head) {
    return [...this.files(at)].flatMap(([path, facts]) => (facts.kind === kind ? [path] : [])).sort();
  }

  /**
   * The commits that a commit includes, itself among them, oldest first.
   * @param {number} [at]
   */
  ancestors(at = this.head) {
    const seen = new Set([at]);
    for (const index of seen) for (const parent of this.commit(index).parents) seen.add(parent);
    return [...seen].sort((a, b) => a - b).map((index) => this.commit(index));
  }

  /** @param {number} [at] @returns {Edge[]} */
  imports(at = this.head) {
    return [...this.files(at)].flatMap(([path, facts]) => facts.imports.map((to) => /** @type {Edge} */ ([path, to])));
  }

  /** @param {number} [at] @returns {Edge[]} */
  calls(at = this.head) {
    return [...this.files(at)].flatMap(([path, facts]) => facts.calls.map((to) => /** @type {Edge} */ ([path, to])));
  }

  /** Tools and their tests. @param {number} [at] @returns {Edge[]} */
  tests(at = this.head) {
    const files = this.files(at);
    return this.paths('tool', at).flatMap((path) => {
      const test = path.replace(/\.ts$/, '.test.ts');
      return files.has(test) ? [/** @type {Edge} */ ([path, test])] : [];
    });
  }

  /**
   * All changes as of a commit, oldest first.
   * @param {number} [at]
   */
  changes(at = this.head) {
    const known = this.#changes.get(at);
    const all =
      known ?? this.ancestors(at).flatMap((commit) => commit.changes.map((change) => ({ ...change, commit })));
    this.#changes.set(at, all);
    return all.slice();
  }

  /** @param {number} [at] */
  renames(at = this.head) {
    return this.changes(at).flatMap(({ status, path, from, pure, commit }) =>
      status === 'renamed' && from !== undefined ? [{ from, to: path, pure: pure === true, commit }] : [],
    );
  }

  /**
   * The commits that changed a path, those included that renamed it away.
   * @param {string} path
   * @param {number} [at]
   */
  commitsOf(path, at = this.head) {
    return this.changes(at).flatMap((change) => (change.path === path || change.from === path ? [change.commit] : []));
  }
}

/**
 * The ends of all trails: walks that use no edge twice. One entry per trail.
 * @param {Edge[]} edges
 * @param {string} start
 * @param {number} min
 * @param {number} max
 */
export function trails(edges, start, min, max) {
  /** @type {Map<string, number[]>} */
  const outgoing = new Map();
  for (const [at, [from]] of edges.entries()) outgoing.set(from, [...(outgoing.get(from) ?? []), at]);
  /** @type {string[]} */
  const ends = [];
  /** @param {string} node @param {Set<number>} used */
  const walk = (node, used) => {
    if (used.size >= min) ends.push(node);
    if (used.size === max) return;
    for (const edge of outgoing.get(node) ?? [])
      if (!used.has(edge)) walk(/** @type {Edge} */ (edges[edge])[1], new Set([...used, edge]));
  };
  walk(start, new Set());
  return ends;
}

/** @param {Edge[]} edges @returns {Edge[]} */
export const reversed = (edges) => edges.map(([from, to]) => [to, from]);

/**
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T) => string} key
 */
export function countBy(items, key) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/**
 * The first item for which a test holds: a history without one cannot judge anything.
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T) => boolean} holds
 * @returns {T}
 */
export function find(items, holds) {
  for (const item of items) if (holds(item)) return item;
  throw new Error('The generated history has no such item.');
}
