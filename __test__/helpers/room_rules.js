/** The folders around the product: scripts, benchmarks and tests share code only by `tools/`. */

import { posix } from 'node:path';

/** @typedef {import('./architecture_rules.js').Rule} Rule */
/** @typedef {import('./source_tree.js').SourceFile} SourceFile */

/**
 * From a room to the rooms that its files may import. All rooms may import the product.
 * @type {Record<string, string[]>}
 */
const ALLOWED = { tools: [], scripts: ['tools'], benches: ['tools'], __test__: ['tools'] };
/** Tests, unlike their helpers, may import what they test. */
const TESTED = ['scripts', 'benches'];
const ROOMS = Object.keys(ALLOWED);

/** Imports of code and of types, and files beside a module. */
const NAMED = /(?:\b(?:from|import|require)\s*\(?\s*|\bnew URL\(\s*)(['"`])(\.{1,2}\/[^'"`]*)\1/g;

/** @param {string} path */
function roomOf(path) {
  const [folder = ''] = path.split('/');
  return ROOMS.includes(folder) ? folder : undefined;
}

/**
 * The paths that a file imports or refers to, from the top of the repository.
 * @param {SourceFile} file
 */
function importedPaths({ path, text }) {
  return [...text.matchAll(NAMED)].map((match) => posix.join(posix.dirname(path), match[2] ?? ''));
}

/** @param {string} path */
function allowedRooms(path) {
  const room = roomOf(path);
  if (room === undefined) return [];
  return [room, ...(ALLOWED[room] ?? []), ...(room === '__test__' && path.endsWith('.test.js') ? TESTED : [])];
}

/**
 * The files of `tools/` that fewer than two rooms use, by themselves or by other files of `tools/`.
 * @param {SourceFile[]} files
 */
export function toolsOfOneRoom(files) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  for (const file of files)
    for (const target of importedPaths(file)) importers.set(target, [...(importers.get(target) ?? []), file.path]);
  return files
    .map(({ path }) => path)
    .filter((path) => roomOf(path) === 'tools')
    .filter((path) => {
      const users = new Set([path]);
      for (const user of users)
        if (roomOf(user) === 'tools') for (const one of importers.get(user) ?? []) users.add(one);
      return new Set([...users].map(roomOf).filter((room) => room !== 'tools')).size < 2;
    });
}

/** @type {Rule[]} */
export const ROOM_RULES = [
  {
    name: 'scripts, benchmarks and tests import one another only by tools/, and the product imports none of them',
    check: (file) => {
      const allowed = allowedRooms(file.path);
      return importedPaths(file)
        .filter((target) => {
          const room = roomOf(target);
          return room !== undefined && !allowed.includes(room);
        })
        .map((target) => `must not import ${target}: put what both need into tools/`);
    },
    broken: [
      { path: 'scripts/soak.mjs', text: "import { table } from '../benches/tables.mjs';" },
      { path: 'scripts/cast.mjs', text: "const { runCli } = await import('../__test__/helpers/run_cli.js');" },
      { path: 'benches/sql.bench.mjs', text: "import { setup } from '../scripts/setup.mjs';" },
      { path: 'benches/peers.mjs', text: "/** @typedef {import('../__test__/helpers/bombs.js').Bomb} Bomb */" },
      { path: 'benches/memory.bench.mjs', text: "read(new URL('../__test__/fixtures/retrieval/', import.meta.url));" },
      { path: 'tools/process.mjs', text: "import '../scripts/setup.mjs';" },
      { path: 'tools/svg.mjs', text: "import { a } from '../benches/charts.mjs';" },
      { path: 'tools/package_jobs/values.mjs', text: "import { a } from '../../__test__/helpers/a.js';" },
      { path: '__test__/helpers/providers/a.js', text: "import { a } from '../../../scripts/setup.mjs';" },
      { path: '__test__/helpers/providers/a.js', text: "import { a } from '../../../benches/charts.mjs';" },
      { path: 'js/agent_tools/tgp_tools.ts', text: "import { a } from '../../__test__/helpers/a.js';" },
      { path: 'js/cli/main.ts', text: "import { table } from '../../tools/markdown_table.mjs';" },
      { path: 'bin/tgp.js', text: "await import('../scripts/build.mjs');" },
    ],
    kept: [
      { path: 'scripts/soak.mjs', text: "import { table } from '../tools/markdown_table.mjs';" },
      { path: 'benches/run.mjs', text: "start(join(ROOT, 'scripts', 'run.mjs'));\nimport { a } from './charts.mjs';" },
      { path: 'benches/sql.bench.mjs', text: "import { TGP } from '../index.js';" },
      { path: 'tools/platform.mjs', text: "import { ROOT } from './process.mjs';" },
      { path: 'tools/model_scripts.mjs', text: "/** @typedef {import('../examples/demo/a.js').Seen} Seen */" },
      { path: '__test__/soak.test.js', text: "import { verdict } from '../scripts/soak_verdict.mjs';" },
      { path: '__test__/helpers/providers/a.js', text: "import { CLI } from '../../../tools/run_cli.mjs';" },
      { path: 'js/cli/main.ts', text: "await import('../../examples/demo/demo.js');" },
      { path: 'js/cli/init/agent_templates.ts', text: "import add from './tools/add.ts';" },
    ],
  },
];
