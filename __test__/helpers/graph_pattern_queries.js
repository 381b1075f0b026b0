/** Queries about files, imports, calls and tests. */

import { areas, byText, largestArea, nameOf, rowsOf } from './graph_queries.js';
import { countBy, find, reversed, trails } from './history_model.js';

/** @typedef {import('./graph_queries.js').HistoryModel} HistoryModel */

/**
 * The file with the most importers, most edges away.
 * @param {HistoryModel} history
 */
function mostImported(history) {
  const importers = reversed(history.imports());
  const reach = history.paths('module').map((path) => ({ path, ends: trails(importers, path, 1, 8) }));
  return find(
    reach.sort((a, b) => b.ends.length - a.ends.length || byText(a.path, b.path)),
    ({ ends }) => ends.length > new Set(ends).size,
  );
}

/** @param {string} path */
const isTool = (path) => !path.includes('/lib/') && /(?<!\.test)\.ts$/.test(path);

/** @type {import('./graph_queries.js').GraphQuery[]} */
export const PATTERN_QUERIES = [
  {
    name: 'all files of a folder, without the tools of others, tests and modules not being tools',
    cypher: `MATCH (f:File) WHERE f.path STARTS WITH $folder
      RETURN f.path AS path, f.name AS name, f.root AS root, f:Tool AND NOT f.path CONTAINS '/lib/' AS tool`,
    expected: (history) => {
      const { folder } = largestArea(history);
      const paths = [...history.files().keys()].filter((path) => path.startsWith(folder));
      const rows = paths.map((path) => ({ path, name: nameOf(path), root: '.', tool: isTool(path) }));
      return { params: { folder }, rows };
    },
  },
  {
    name: 'one column that is a node: its properties are the row',
    cypher: 'MATCH (t:Tool {path: $path}) RETURN t',
    expected: (history) => {
      const path = find(history.paths('tool'), (tool) => history.commitsOf(tool).length > 2);
      const commits = history.commitsOf(path);
      const [first_seen, last_seen] = [commits[0]?.hash, commits.at(-1)?.hash];
      const description = history.files().get(path)?.description;
      return { params: { path }, rows: [{ path, name: nameOf(path), root: '.', description, first_seen, last_seen }] };
    },
  },
  {
    name: 'a node beside another column: a record with the node inside',
    cypher: 'MATCH (f:File) WHERE f.path = $path RETURN f, 1 + 2 * 3 AS seven',
    expected: () => ({ params: { path: 'README.md' }, rows: [{ f: { path: 'README.md', root: '.' }, seven: 7 }] }),
  },
  {
    name: 'what a tool imports: modules, tools and data, not what comments and texts mention',
    cypher: `MATCH (a:Tool)-[:IMPORTS]->(b:File) WHERE a.path STARTS WITH $folder AND NOT a.path CONTAINS '/lib/'
      RETURN a.path AS a, b.path AS b`,
    expected: (history) => {
      const { folder } = largestArea(history);
      const edges = history.imports().filter(([a]) => a.startsWith(folder) && isTool(a));
      return { params: { folder }, rows: edges.map(([a, b]) => ({ a, b })) };
    },
  },
  {
    name: 'neighbours, without a direction',
    cypher: 'MATCH (:File {path: $path})-[:IMPORTS]-(other) RETURN other.path AS path',
    expected: (history) => {
      const edges = history.imports();
      const both = (/** @type {string} */ path) => [
        ...trails(edges, path, 1, 1),
        ...trails(reversed(edges), path, 1, 1),
      ];
      const imported = new Set(edges.map(([, to]) => to));
      const path = find(history.paths('tool'), (tool) => imported.has(tool) && trails(edges, tool, 1, 1).length > 0);
      return { params: { path }, rows: rowsOf('path', both(path)) };
    },
  },
  {
    name: 'what breaks: all transitive importers of a module, each once',
    cypher: 'MATCH (f:File {path: $path})<-[:IMPORTS*1..8]-(user:File) RETURN DISTINCT user.path AS path',
    expected: (history) => {
      const { path, ends } = mostImported(history);
      return { params: { path }, rows: rowsOf('path', new Set(ends)) };
    },
  },
  {
    name: 'each trail of two or three imports counts',
    cypher: 'MATCH (f:File {path: $path})<-[:IMPORTS*2..3]-(user) RETURN user.path AS path, count(*) AS trails',
    expected: (history) => {
      const { path } = mostImported(history);
      const counts = countBy(trails(reversed(history.imports()), path, 2, 3), (end) => end);
      return { params: { path }, rows: [...counts].map(([end, count]) => ({ path: end, trails: count })) };
    },
  },
  {
    name: 'a ring of imports ends where it began, and no edge is used twice',
    cypher: "MATCH (a:Tool {path: 'tools/ring/one.ts'})-[:IMPORTS*0..9]->(b) RETURN b.path AS path",
    expected: (history) => ({ rows: rowsOf('path', trails(history.imports(), 'tools/ring/one.ts', 0, 9)) }),
  },
  {
    name: 'a data file breaks tools through modules, two patterns in one MATCH',
    cypher: `MATCH (d:File {name: 'rates.json'})<-[:IMPORTS]-(m:File), (m)<-[:IMPORTS]-(t:Tool)
      WHERE d.path STARTS WITH $folder AND NOT t.path CONTAINS '/lib/' RETURN d.path AS data, t.path AS tool`,
    expected: (history) => {
      const edges = history.imports();
      const users = (/** @type {string} */ prefix) =>
        trails(reversed(edges), `${prefix}lib/rates.json`, 2, 2).filter(isTool);
      const { folder } = find(areas(history), (area) => users(area.folder).length > 0);
      const data = `${folder}lib/rates.json`;
      return { params: { folder }, rows: users(folder).map((tool) => ({ data, tool })) };
    },
  },
  {
    name: 'OPTIONAL MATCH keeps tools without a test',
    cypher: `MATCH (t:Tool) WHERE t.path STARTS WITH $folder AND NOT t.path CONTAINS '/lib/'
      OPTIONAL MATCH (t)-[:TESTED_BY]->(x:File) RETURN t.path AS tool, x.path AS test, x IS NULL AS untested`,
    expected: (history) => {
      const { folder, paths } = largestArea(history);
      const tests = new Map(history.tests());
      const rows = paths.map((tool) => ({ tool, test: tests.get(tool) ?? null, untested: !tests.has(tool) }));
      return { params: { folder }, rows };
    },
  },
  {
    name: 'WHERE drops what is null, also negated',
    cypher: `MATCH (t:Tool) WHERE t.path STARTS WITH $folder AND NOT t.path CONTAINS '/lib/'
      OPTIONAL MATCH (t)-[:TESTED_BY]->(x:File)
      WITH t, x WHERE NOT (x.path = 'elsewhere') OR t.hash <> 1
      RETURN count(t) AS tools, count(DISTINCT x) AS tests`,
    expected: (history) => {
      const { folder } = largestArea(history);
      const tested = history.tests().filter(([tool]) => tool.startsWith(folder));
      return { params: { folder }, rows: [{ tools: tested.length, tests: tested.length }] };
    },
  },
  {
    name: 'three-valued logic and lists with null',
    cypher: `RETURN null = null AS a, null <> 1 AS b, NOT null AS c, null OR true AS d, null AND false AS e,
      null XOR true AS f, 1 IN [null] AS g, 1 IN [1, null] AS h, 2 IN [] AS i, null IS NULL AS j, null + 1 AS k`,
    expected: () => ({
      rows: [{ a: null, b: null, c: null, d: true, e: false, f: null, g: null, h: true, i: false, j: true, k: null }],
    }),
  },
  {
    name: 'string predicates and the precedence of NOT, AND, XOR and OR',
    cypher: `MATCH (f:File) WHERE f.path STARTS WITH 'tools/'
        AND (f.name ENDS WITH '.test.ts' AND f.name CONTAINS 'ka' XOR f.name STARTS WITH 'vo' AND NOT f.name CONTAINS '_1')
      RETURN f.path AS path`,
    expected: (history) => {
      const holds = (/** @type {string} */ name) =>
        (name.endsWith('.test.ts') && name.includes('ka')) !== (name.startsWith('vo') && !name.includes('_1'));
      const rows = [...history.files().keys()].filter((path) => path.startsWith('tools/') && holds(nameOf(path)));
      return { rows: rowsOf('path', rows) };
    },
  },
  {
    name: 'IN with a list parameter, and what is missing',
    cypher: 'MATCH (f:File) WHERE f.path IN $paths AND NOT f.name IN [$not, null, 1][0..1] RETURN f.path AS path',
    expected: (history) => {
      const { paths } = largestArea(history);
      const chosen = paths.slice(0, 5);
      const params = { paths: [...chosen, 'tools/missing.ts', null, 7], not: nameOf(chosen[0] ?? '') };
      return { params, rows: rowsOf('path', chosen.slice(1)) };
    },
  },
  {
    name: 'tools that no file imports and no tool calls',
    cypher: `MATCH (t:Tool) WHERE t.path STARTS WITH $folder AND NOT t.path CONTAINS '/lib/'
      AND NOT (t)<-[:IMPORTS]-() AND NOT (t)<-[:CALLS]-(:Tool) RETURN t.path AS path`,
    expected: (history) => {
      const { folder, paths } = largestArea(history);
      const used = new Set([...history.imports(), ...history.calls()].map(([, to]) => to));
      return {
        params: { folder },
        rows: rowsOf(
          'path',
          paths.filter((path) => !used.has(path)),
        ),
      };
    },
  },
  {
    name: 'EXISTS with a pattern and a condition',
    cypher: `MATCH (t:Tool) WHERE EXISTS { MATCH (t)-[:CALLS]->(u:Tool) WHERE u.path STARTS WITH $folder }
      AND NOT t.path STARTS WITH $folder RETURN t.path AS path`,
    expected: (history) => {
      const { folder } = largestArea(history);
      const callers = history.calls().filter(([from, to]) => to.startsWith(folder) && !from.startsWith(folder));
      return { params: { folder }, rows: rowsOf('path', new Set(callers.map(([from]) => from))) };
    },
  },
  {
    name: 'WITH filters aggregates; ties are ordered by the second key',
    cypher: `MATCH (user:File)-[:IMPORTS]->(f:File) WITH f, count(user) AS users WHERE users >= 4
      RETURN f.path AS path, users ORDER BY users DESC, path LIMIT 40`,
    expected: (history) => {
      const counts = [...countBy(history.imports(), ([, to]) => to)].filter(([, count]) => count >= 4);
      const sorted = counts.sort((a, b) => b[1] - a[1] || byText(a[0], b[0])).slice(0, 40);
      return { rows: sorted.map(([path, users]) => ({ path, users })) };
    },
  },
  {
    name: 'collect keeps the order of its rows, grouped by an expression',
    cypher: `MATCH (t:Tool)-[:CALLS]->(u:Tool) WITH t, u ORDER BY t.path, u.path
      WITH split(u.path, '/')[1] AS area, collect(t.name) AS callers, count(DISTINCT u) AS called
      RETURN area, callers[0..3] AS first, size(callers) AS calls, called`,
    expected: (history) => {
      const edges = history.calls().sort((a, b) => byText(a[0], b[0]) || byText(a[1], b[1]));
      const rows = [...new Set(edges.map(([, to]) => to.split('/')[1]))].map((area) => {
        const own = edges.filter(([, to]) => to.split('/')[1] === area);
        const first = own.slice(0, 3).map(([from]) => nameOf(from));
        return { area, first, calls: own.length, called: new Set(own.map(([, to]) => to)).size };
      });
      return { rows };
    },
  },
  {
    name: 'DISTINCT, ORDER BY descending, SKIP and LIMIT with parameters',
    cypher: `MATCH (t:Tool)-[:IMPORTS|CALLS]->(u:Tool) WHERE NOT u.path CONTAINS '/lib/'
      RETURN DISTINCT u.path AS path ORDER BY path DESC SKIP $skip LIMIT $limit`,
    expected: (history) => {
      const isUsed = [...history.imports(), ...history.calls()].filter(
        ([from, to]) => !from.endsWith('.test.ts') && isTool(to),
      );
      const paths = [...new Set(isUsed.map(([, to]) => to))].sort(byText).reverse();
      return { params: { skip: 7, limit: 11 }, rows: rowsOf('path', paths.slice(7, 18)) };
    },
  },
  {
    name: 'UNWIND of a parameter keeps duplicates, and OPTIONAL MATCH keeps misses',
    cypher: `UNWIND $paths AS path OPTIONAL MATCH (f:File {path: path})-[r:IMPORTS]->(m)
      RETURN path, count(m) AS imports, collect(type(r)) AS types, count(*) AS found`,
    expected: (history) => {
      const edges = history.imports();
      const path = find(history.paths('tool'), (tool) => trails(edges, tool, 1, 1).length === 2);
      const types = ['IMPORTS', 'IMPORTS', 'IMPORTS', 'IMPORTS'];
      const missing = { path: 'tools/missing.ts', imports: 0, types: [], found: 1 };
      const rows = [{ path, imports: 4, types, found: 4 }, missing];
      return { params: { paths: [path, 'tools/missing.ts', path] }, rows };
    },
  },
  {
    name: 'aggregates of lists with null, and without rows',
    cypher: `UNWIND [3, null, 1, 2, 2] AS n
      WITH sum(n) AS total, avg(n) AS mean, min(n) AS least, max(n) AS most, count(n) AS numbers, count(*) AS items,
        collect(DISTINCT n) AS list
      OPTIONAL MATCH (f:File {path: 'tools/missing.ts'})
      RETURN total, mean, least, most, numbers, items, size(list) AS different, count(f) AS files, coalesce(max(f.name), 'none') AS name`,
    expected: () => ({
      rows: [{ total: 8, mean: 2, least: 1, most: 3, numbers: 4, items: 5, different: 3, files: 0, name: 'none' }],
    }),
  },
];
