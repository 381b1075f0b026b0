/**
 * Compares the behaviour of code in the sandbox with that in Node.
 *
 *   npm run conformance                        all of conformance/areas
 *   npm run conformance -- results language    these areas
 *   npm run conformance -- tools               300 frozen tools, with every difference from Node 24
 *   npm run conformance -- --suite DIR         a checkout of a public suite, with a summary by area
 *   npm run conformance -- --suite DIR --only language/statements --failures
 *
 * An area is a file in `conformance/areas` that exports `cases`, a list of `{ name, code, expected?, error?, file? }`. `code`
 * is a function body. Its return value is compared with `expected`, the class of its exception with `error`; without
 * either, both are compared with Node's. `file` is the file name, which determines the language; default `case.ts`.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareTools } from '../conformance/compare_tools.mjs';
import { inNode } from '../conformance/in_node.mjs';
import { inSandbox } from '../conformance/in_sandbox.mjs';
import { asTable, sameOutcome } from '../conformance/outcome.mjs';

/** @typedef {import('../conformance/outcome.mjs').Case} Case */

const FOLDER = join(import.meta.dirname, '../conformance');
/** The name of the frozen tools among the areas. */
const TOOLS = 'tools';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: 'string' },
    only: { type: 'string', default: '' },
    failures: { type: 'boolean', default: false },
  },
});

process.exitCode = await runWanted();

async function runWanted() {
  if (values.suite !== undefined) return runSuite(values.suite);
  return positionals[0] === TOOLS ? runTools() : runAreas(positionals);
}

/** The exit code. */
async function runTools() {
  const { rows, differences } = await compareTools(values.only);
  for (const difference of differences) console.log(`✗ ${difference}`);
  console.log(asTable(['area', 'passed', 'of'], rows));
  return differences.length === 0 ? 0 : 1;
}

/**
 * The exit code.
 * @param {string[]} wanted names of areas; all when empty
 */
async function runAreas(wanted) {
  const found = readdirSync(join(FOLDER, 'areas')).map((file) => file.replace(/\.js$/, ''));
  const areas = wanted.length === 0 ? found : wanted;
  const sandbox = await inSandbox();
  const rows = [];
  let failed = 0;
  try {
    for (const area of areas) {
      const { cases } = /** @type {{ cases: Case[] }} */ (await import(`../conformance/areas/${area}.js`));
      const compared = cases.filter((each) => !('expected' in each || 'error' in each));
      const node = await inNode(compared.map(({ code }) => code));
      const expectations = new Map(compared.map((each, index) => [each, node[index]]));
      let passed = 0;
      for (const each of cases) {
        const declared = each.error === undefined ? { value: each.expected } : { error: each.error };
        const expected = expectations.get(each) ?? declared;
        const actual = await sandbox.run(each);
        if (sameOutcome(actual, expected)) {
          passed += 1;
        } else {
          failed += 1;
          console.log(`✗ ${area}: ${each.name}`);
          console.log(`    expected ${JSON.stringify(expected)}\n    got      ${JSON.stringify(actual)}`);
        }
      }
      rows.push([area, `${passed}`, `${cases.length}`]);
    }
  } finally {
    await sandbox.end();
  }
  console.log(asTable(['area', 'passed', 'of'], rows));
  return failed === 0 ? 0 : 1;
}

/**
 * The exit code: 0 if the suite could be run, whatever its results.
 * @param {string} folder
 */
async function runSuite(folder) {
  for (const file of readdirSync(join(FOLDER, 'suites'))) {
    const suite = await import(`../conformance/suites/${file}`);
    if (!suite.isAt(folder)) continue;
    const sandbox = await inSandbox();
    try {
      const { rows, failures } = await suite.run(folder, sandbox, values.only);
      if (values.failures) for (const line of failures) console.log(`✗ ${line}`);
      console.log(asTable(['area', 'passed', 'failed', 'left out'], rows));
    } finally {
      await sandbox.end();
    }
    return 0;
  }
  console.error(`${folder} is not a checkout of a suite in conformance/suites`);
  return 2;
}
