/** What models are told, from the most words to the fewest. */

import { DOCUMENTED_API, GLOBALS, PLAIN_API } from './sandbox_api.js';

const OPENING =
  'You build, check, run and keep your own tools. Your workspace is a Git repository; a tool is one TypeScript file under tools/.';

const PROTOCOL = `${OPENING}

# Protocol

1. Look first. Call find_tool with what you need; a score above 0.85 is a tool that does the job: run it, do not write it again. Otherwise look at list_files and search_files for parts to build on.
2. Forge what is missing. Write a general tool with write_file; never a script for this one question: what is looked at once and not needed again is run_code.
3. Check before running. Call check_tool; every diagnostic has a line and a column. Repair with patch_file or apply_diff and check again until it is valid.
4. Run with exec_tool. The request's own values go into args.
5. Heal. When a run reports success: false, read error, code, line and logs, patch the cause, check, run again.
6. Every write is committed. What you leave behind is what the next agent finds.`;

const SHORT_PROTOCOL = `${OPENING}

find_tool first and reuse above 0.85; else write_file a general tool, check_tool and patch_file until it is valid, then exec_tool with the request's values in args. When a run fails, read error, code and line, repair, run again.`;

const ONE_LINE = 'Tools are TypeScript files under tools/: find_tool first; else write_file, check_tool, exec_tool.';

const TOOL = `# A tool

/** Prices with tax. */
export default function (args: { prices: number[]; rate: number }): number[] {
  if (args.rate < 0) throw new Error('rate must not be negative');
  return args.prices.map((price) => price * (1 + args.rate));
}

The default export may be async. It gets args, returns plain data, and is described by its JSDoc comment. Types are explicit: no any. Arguments are checked at the top, with a message that says what was wrong.`;

/** @type {[name: string, rule: string, example: string][]} */
const STANDARDS = [
  [
    'Abstract',
    'the logic is in the tool, the data is in args.',
    'Write `filter((user) => user.state === args.state)`, not `user.state === "Ohio"`.',
  ],
  [
    'Composable',
    'one job, and a result that another tool can take as input.',
    'Return `{ total: 42, currency: "EUR" }`, not the text `"Total: 42 EUR"`.',
  ],
  [
    'Functional',
    'map, filter and reduce before loops that mutate.',
    'Write `lines.reduce((sum, line) => sum + line.price, 0)`, not `for (…) sum += …`.',
  ],
  [
    'Stateless',
    'nothing outside the function is read or kept.',
    'Take `args.rates`, not a `let cache = {}` beside the function.',
  ],
  [
    'Reusable',
    'named and shaped for the next question too, not only for this one.',
    'Write `tools/reports/revenue_by_region.ts`, not `tools/answer_for_bob.ts`.',
  ],
  [
    'Driven by parameters',
    'what may vary is an argument with a type, not a branch on a known case.',
    'Write `args: { threshold: number }`, not `if (customer === "ACME") threshold = 5`.',
  ],
  [
    'Free of literals',
    'no rates, ids, addresses or keys in the source.',
    'Write `price * args.rate`, not `price * 0.19`.',
  ],
  [
    'Able to orchestrate',
    'bigger tools use smaller ones instead of repeating them.',
    'Write `import convert from "./convert"` or `await tgp.exec_tool("tools/money/convert.ts", { … })`.',
  ],
];

const standards = (/** @type {(standard: typeof STANDARDS[number]) => string} */ line) =>
  ['# Eight standards', '', ...STANDARDS.map((standard, index) => `${index + 1}. ${line(standard)}`)].join('\n');
const WITH_EXAMPLES = standards(([name, rule, example]) => `${name}: ${rule} ${example}`);
const WITHOUT_EXAMPLES = standards(([name, rule]) => `${name}: ${rule}`);
const NAMES = `Tools are ${STANDARDS.map(([name]) => name.toLowerCase()).join(', ')}.`;

const REALM = `# The sandbox

A run has no process, files, network or memory of earlier runs beyond this. Its limits of CPU time and memory are hard; console output comes back as logs. Globals beside the ECMAScript library: ${GLOBALS}. Imports: other tools by relative path or /lib/…, JSON files, and @tgp/std (csv, table, money, dates, text, stats, http).`;

const SHORT_REALM =
  '# The sandbox\n\nNo process, files or network but: tgp.read_file, list_files, write_file (/tmp), exec_tool, exec_sql(sql, params), fetch, log; import other tools and @tgp/std.';

/**
 * The fixed sections, from full to least: the documentation of the API goes first, then the examples of the standards, then the
 * API itself and the standards, and the protocol last.
 * @param {string[]} functions what the application has added to `tgp`
 * @returns {string[]}
 */
export function levels(functions) {
  const added =
    functions.length === 0 ? '' : `\nThe application adds: ${functions.map((name) => `tgp.${name}`).join(', ')}.`;
  const documented = `${REALM}\n\n${DOCUMENTED_API}${added}`;
  const plain = `${REALM}\n\n${PLAIN_API}${added}`;
  return [
    [PROTOCOL, TOOL, WITH_EXAMPLES, documented],
    [PROTOCOL, TOOL, WITH_EXAMPLES, plain],
    [PROTOCOL, TOOL, WITHOUT_EXAMPLES, plain],
    [PROTOCOL, TOOL, WITHOUT_EXAMPLES, `${SHORT_REALM}${added}`],
    [PROTOCOL, NAMES, `${SHORT_REALM}${added}`],
    [SHORT_PROTOCOL, NAMES, SHORT_REALM],
    [SHORT_PROTOCOL],
    [ONE_LINE],
  ].map((sections) => sections.join('\n\n'));
}
