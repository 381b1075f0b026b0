/** Queries about commits, changes and renames, and queries as of a commit. */

import { areas, byText, largestArea, nameOf, rowsOf } from './graph_queries.js';
import { countBy, find, reversed, trails } from './history_model.js';

/** @typedef {import('./graph_queries.js').HistoryModel} HistoryModel */

/**
 * A tool that is removed for good, and the commit that removed it.
 * @param {HistoryModel} history
 */
function removedTool(history) {
  const files = history.files();
  const isRemoved = (/** @type {{ status: string, path: string }} */ { status, path }) =>
    status === 'deleted' && !files.has(path) && !path.endsWith('.test.ts');
  return find(history.changes().reverse(), isRemoved);
}

/**
 * The tool with the longest chain of former names.
 * @param {HistoryModel} history
 */
function renamedMost(history) {
  const edges = history.renames().map(({ to, from }) => /** @type {[string, string]} */ ([to, from]));
  const chains = history.paths('tool').map((path) => ({ path, names: trails(edges, path, 1, 6) }));
  const sorted = chains.sort((a, b) => b.names.length - a.names.length || byText(a.path, b.path));
  return { edges, ...find(sorted, ({ names }) => names.length >= 2) };
}

/** @type {import('./graph_queries.js').GraphQuery[]} */
export const HISTORY_QUERIES = [
  {
    name: 'a removed file is not matched alone',
    cypher: 'MATCH (f:File {path: $path}) RETURN f',
    expected: (history) => ({ params: { path: removedTool(history).path }, rows: [], isEmpty: true }),
  },
  {
    name: 'as of the commit before, by a short hash, the removed file exists',
    cypher:
      'MATCH (f:File {path: $path}) OPTIONAL MATCH (f)-[:IMPORTS]->(m) RETURN f.name AS name, count(m) AS imports',
    expected: (history) => {
      const { path, commit } = removedTool(history);
      const before = commit.parents[0] ?? 0;
      const imports = history.files(before).get(path)?.imports.length;
      const rows = [{ name: nameOf(path), imports }];
      return { params: { path }, commit: history.commit(before).hash.slice(0, 12), rows };
    },
  },
  {
    name: 'as of a commit in the middle, by its full hash: tools by folder',
    cypher: `MATCH (t:Tool) WHERE t.path CONTAINS '/area_' AND NOT t.path CONTAINS '/lib/'
      WITH split(t.path, '/') AS parts, t RETURN parts[0] + '/' + parts[1] + '/' AS folder, count(t) AS tools`,
    expected: (history) => {
      const at = Math.floor(history.head / 2);
      const rows = areas(history, at).map(({ folder, paths }) => ({ folder, tools: paths.length }));
      return { commit: history.commit(at).hash, rows };
    },
  },
  {
    name: 'as of a commit of a side branch: its own files and imports, not those of the main branch',
    cypher: `MATCH (c:Commit) WHERE c.subject IN ['Side: first', 'Main: first', 'Side: second'] WITH count(c) AS beside
      MATCH (a:File)-[:IMPORTS]->(b:File) WHERE a.path STARTS WITH $folder
      RETURN beside, a.path AS a, b.path AS b`,
    expected: (history) => {
      const { index, hash } = find(history.commits.slice().reverse(), ({ subject }) => subject.startsWith('Side: add'));
      const { folder } = largestArea(history, index);
      const subjects = ['Side: first', 'Main: first', 'Side: second'];
      const beside = history.ancestors(index).filter(({ subject }) => subjects.includes(subject)).length;
      const edges = history.imports(index).filter(([a]) => a.startsWith(folder));
      return { params: { folder }, commit: hash, rows: edges.map(([a, b]) => ({ beside, a, b })) };
    },
  },
  {
    name: 'former names of a tool, through files that exist no more',
    cypher: `MATCH (new:Tool {path: $path})-[:WAS_RENAMED_FROM*1..6]->(old:File)
      RETURN old.path AS path, old.name AS name`,
    expected: (history) => {
      const { path, names } = renamedMost(history);
      return { params: { path }, rows: names.map((old) => ({ path: old, name: nameOf(old) })) };
    },
  },
  {
    name: 'later names of a path that exists no more, asked from its end',
    cypher: 'MATCH (old:File {path: $path})<-[:WAS_RENAMED_FROM*1..6]-(new:File) RETURN new.path AS path',
    expected: (history) => {
      const { edges, names } = renamedMost(history);
      const path = names.at(-1) ?? '';
      return { params: { path }, rows: rowsOf('path', trails(reversed(edges), path, 1, 6)) };
    },
  },
  {
    name: 'renames by similarity, and the commits that made them',
    cypher: `MATCH (c:Commit)-[:CHANGED {status: 'renamed'}]->(new:File)-[r:WAS_RENAMED_FROM]->(old:File)
      WHERE r.commit = c.hash
      RETURN CASE WHEN r.similarity = 100 THEN 'same' WHEN r.similarity >= 50 THEN 'edited' ELSE 'other' END AS bytes,
        count(*) AS renames, count(DISTINCT c) AS commits`,
    expected: (history) => {
      const rows = [true, false].map((pure) => {
        const renames = history.renames().filter((rename) => rename.pure === pure);
        const commits = countBy(renames, ({ commit }) => commit.hash).size;
        return { bytes: pure ? 'same' : 'edited', renames: renames.length, commits };
      });
      return { rows };
    },
  },
  {
    name: 'who changed a file, on both sides of a merge and in it',
    cypher: `MATCH (c:Commit)-[r:CHANGED]->(f:File {path: $path})
      RETURN c.subject AS subject, c.author AS author, r.status AS status, c.hash STARTS WITH c.short AS short
      ORDER BY c.time DESC`,
    expected: (history) => {
      const merge = find(history.commits, ({ parents, changes }) => parents.length === 2 && changes.length === 1);
      const path = merge.changes[0]?.path ?? '';
      const changes = history.changes(merge.index).filter((change) => change.path === path);
      const rows = changes
        .reverse()
        .map(({ status, commit: { subject, author } }) => ({ subject, author, status, short: true }));
      return { params: { path }, commit: merge.hash, rows };
    },
  },
  {
    name: 'since when: the commits that forged tools, restored a path and removed files',
    cypher: `UNWIND $paths AS path MATCH (f:File {path: path})
      OPTIONAL MATCH (f)-[:FORGED_BY]->(c:Commit) WHERE NOT path IN $restored
      OPTIONAL MATCH (d:Commit)-[:CHANGED {status: 'deleted'}]->(f)
      RETURN path, f.first_seen AS first, f.last_seen AS last, collect(DISTINCT c.subject) AS forged,
        count(DISTINCT d) AS removals`,
    expected: (history) => {
      const changes = history.changes();
      const added = changes.filter(({ status }) => status === 'added');
      const additions = countBy(added, ({ path }) => path);
      const renamed = new Set(history.renames().flatMap(({ from, to }) => [from, to]));
      const tools = history.paths('tool').filter((path) => !renamed.has(path) && additions.has(path));
      const again = (/** @type {string} */ path) => (additions.get(path) ?? 0) > 1;
      const restored = [find(tools, again)];
      const paths = [...tools.filter((path) => !again(path)).slice(0, 20), ...restored];
      const rows = paths.map((path) => {
        const commits = history.commitsOf(path);
        const forged = again(path) ? [] : added.filter((add) => add.path === path).map(({ commit }) => commit.subject);
        const removals = changes.filter((change) => change.path === path && change.status === 'deleted').length;
        return { path, first: commits[0]?.hash, last: commits.at(-1)?.hash, forged, removals };
      });
      return { params: { paths, restored }, rows };
    },
  },
];
