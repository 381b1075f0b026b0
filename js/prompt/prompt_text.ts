/** The fixed sections of the system prompt, at several levels of detail. */

import type { Facts } from './sandbox_facts.js';
import { mayRunCode, sandboxFacts, shortFacts, signatures, standardLibrary } from './sandbox_facts.js';

type Config = Facts['config'];

const OPENING =
  'You build, check, run and keep your own tools. Your workspace is a Git repository; a tool is one TypeScript file under tools/.';

const ONCE = ' What is needed only once goes through run_code, which keeps nothing.';

const isStrict = ({ mode }: Config) => mode === 'strict';

const protocol = (config: Config) => `${OPENING}

# Protocol

1. Search: call find_tool with what you need. Score above 0.85: run that tool. From 0.4 to 0.85: read_file it, then use or extend it. Below: write a new one.
2. Write: write_file makes a general tool, never a script for one question.${mayRunCode(config) ? ONCE : ''}
3. Check: check_tool, and patch_file or apply_diff until it is valid; test_tool runs tools/x.test.ts.
4. Run: exec_tool, with the request's values in args.
5. Heal: on success: false read error, line and logs, repair the cause, check, ${isStrict(config) ? 'test, ' : ''}run again.

Writes are committed unless they report dryRun or persisted: false. list_files, search_files look around, file_history, revert_file go back, move_file, delete_file tidy up.`;

const SHORT_PROTOCOL = `${OPENING}

find_tool first: above 0.85 run it, from 0.4 read it and use or extend it; else write_file a general tool, check_tool and patch_file until it is valid, then exec_tool with the request's values in args. When a run fails, read error, code and line, repair, run again.`;

const SHORT_STRICT_PROTOCOL = `${OPENING}

find_tool first: above 0.85 run it, from 0.4 read it and use or extend it; else write_file the test tools/x.test.ts of a general tool, see it fail with test_tool, write_file tools/x.ts, see it pass, then exec_tool with the request's values in args. When a run fails, read error, code and line, repair, test, run again.`;

const ONE_LINE = 'Tools are TypeScript files under tools/: find_tool first; else write_file, check_tool, exec_tool.';
const ONE_STRICT_LINE =
  'Tools are TypeScript files under tools/: find_tool first; else write_file a test, test_tool, write_file the tool, test_tool, exec_tool.';

const TOOL = `# A tool

/**
 * Prices with tax.
 * @when what do customers really pay
 */
export default function (args: { prices: number[]; rate: number }): number[] {
  if (args.rate < 0) throw new Error('rate must not be negative');
  return args.prices.map((price) => price * (1 + args.rate));
}

The default export may be async. It gets args, returns plain data, and is described by its JSDoc comment: what it does, then two or three @when lines with requests that it answers. Types are explicit: no any. Arguments are checked at the top, with a message that says what was wrong.`;

const STANDARDS: [name: string, rule: string, example: string][] = [
  [
    'Abstract',
    'the logic is in the tool, the data is in args.',
    'Write `user.state === args.state`, not `user.state === "Ohio"`.',
  ],
  [
    'Composable',
    'one job, and a result that another tool can take.',
    'Return `{ total: 42, currency: "EUR" }`, not `"Total: 42 EUR"`.',
  ],
  [
    'Functional',
    'map, filter and reduce before loops that mutate.',
    'Write `lines.reduce((sum, line) => sum + line.price, 0)`.',
  ],
  ['Stateless', 'nothing outside the function is read or kept.', 'Take `args.rates`, not a `let cache = {}`.'],
  [
    'Reusable',
    'named and shaped for the next question too.',
    'Write `tools/reports/revenue_by_region.ts`, not `tools/answer_for_bob.ts`.',
  ],
  [
    'Driven by parameters',
    'what may vary is an argument with a type.',
    'Write `args: { threshold: number }`, not `if (customer === "ACME")`.',
  ],
  [
    'Free of literals',
    'no rates, ids, addresses or keys in the source.',
    'Write `price * args.rate`, not `price * 0.19`.',
  ],
  [
    'Able to orchestrate',
    'bigger tools use smaller ones.',
    'Write `import convert from "./convert"` or `await tgp.exec_tool("tools/money/convert.ts", { … })`.',
  ],
];

const standards = (line: (standard: (typeof STANDARDS)[number]) => string) =>
  ['# Eight standards', '', ...STANDARDS.map((standard, index) => `${index + 1}. ${line(standard)}`)].join('\n');
const WITH_EXAMPLES = standards(([name, rule, example]) => `${name}: ${rule} ${example}`);
const WITHOUT_EXAMPLES = standards(([name, rule]) => `${name}: ${rule}`);
const NAMES = `Tools are ${STANDARDS.map(([name]) => name.toLowerCase()).join(', ')}.`;

/**
 * The fixed sections, from longest to shortest. Dropped in this order: the functions of the standard library, then the examples of
 * the standards, then the API and the facts of this sandbox, then the standards, and the protocol last.
 */
export function levels(facts: Facts): string[] {
  const full = protocol(facts.config);
  const [brief, oneLine] = isStrict(facts.config)
    ? [SHORT_STRICT_PROTOCOL, ONE_STRICT_LINE]
    : [SHORT_PROTOCOL, ONE_LINE];
  const details = `${sandboxFacts(facts)}\n\n${signatures(facts)}`;
  const short = shortFacts(facts);
  return [
    [full, TOOL, WITH_EXAMPLES, details, standardLibrary(facts)],
    [full, TOOL, WITH_EXAMPLES, details],
    [full, TOOL, WITHOUT_EXAMPLES, details],
    [full, TOOL, WITHOUT_EXAMPLES, short],
    [full, NAMES, short],
    [brief, NAMES, short],
    [brief],
    [oneLine],
  ].map((sections) => sections.join('\n\n'));
}
