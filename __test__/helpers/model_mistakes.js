/**
 * Mistakes of models, as the calls that they make. `tool` is written first, without checks, so that the call meets the mistake.
 *
 * @typedef {{ name: string, args: unknown }} Call
 * @typedef {{ mistake: string, call: Call, tool?: string, kernel?: 'bare' | 'strict' }} Mistake
 */

const PATH = 'tools/test/attempt.ts';
const run = (/** @type {object} */ args = {}) => ({ name: 'exec_tool', args: { path: PATH, args } });
const check = { name: 'check_tool', args: { path: PATH } };
const write = (/** @type {string} */ content, path = PATH) => ({ name: 'write_file', args: { path, content } });
const sql = (/** @type {string} */ text, /** @type {unknown} */ params = undefined) => ({
  name: 'exec_sql',
  args: { sql: text, ...(params !== undefined && { params }) },
});

/** @type {Mistake[]} */
export const MISTAKES = [
  // How the kernel tools are called.
  { mistake: 'A kernel tool that does not exist', call: { name: 'run_tool', args: { path: PATH } } },
  {
    mistake: 'An argument with a wrong name',
    call: { name: 'read_file', args: { file: 'tools/shipping/dim_weight.ts' } },
  },
  { mistake: 'An argument of the wrong type', call: { name: 'find_tool', args: { query: 'churn', limit: 'ten' } } },
  { mistake: 'Arguments that are not JSON', call: { name: 'read_file', args: '{"path": "tools/a.ts"' } },
  { mistake: 'An empty query', call: { name: 'find_tool', args: { query: ' ' } } },
  {
    mistake: "The tool's arguments beside args instead of in it",
    call: { name: 'exec_tool', args: { path: 'tools/shipping/dim_weight.ts', length: 10, width: 20, height: 30 } },
  },
  {
    mistake: 'The arguments of a tool with a wrong name',
    call: {
      name: 'exec_tool',
      args: { path: 'tools/shipping/dim_weight.ts', args: { length: 10, width: 20, heigth: 30, divisor: 139 } },
    },
  },
  {
    mistake: 'An argument of a tool with the wrong type',
    call: {
      name: 'exec_tool',
      args: { path: 'tools/shipping/dim_weight.ts', args: { length: 10, width: 'wide', height: 30, divisor: 139 } },
    },
  },

  // Files.
  { mistake: 'A path without its folder', call: { name: 'exec_tool', args: { path: 'dim_weight.ts', args: {} } } },
  { mistake: 'A misspelt path', call: { name: 'read_file', args: { path: 'tools/shiping/dim_weigth.ts' } } },
  { mistake: 'A path that leads out', call: { name: 'read_file', args: { path: '../../etc/passwd' } } },
  {
    mistake: 'An absolute path',
    call: { name: 'write_file', args: { path: '/tools/a.ts', content: 'export default () => 1' } },
  },
  { mistake: 'Code outside tools/', call: write('export default () => 1', 'src/report.ts') },
  { mistake: 'A write to the index of the registry', call: write('{}', 'meta.json') },
  {
    mistake: 'A patch of text that is not there',
    call: {
      name: 'patch_file',
      args: { path: 'tools/shipping/dim_weight.ts', search: 'args.length*args.width', replace: 'args.length' },
    },
  },
  {
    mistake: 'A diff in no known form',
    call: { name: 'apply_diff', args: { path: 'tools/shipping/dim_weight.ts', diff: 'replace divisor by 166' } },
  },
  {
    mistake: 'A diff whose lines are not there',
    call: {
      name: 'apply_diff',
      args: {
        path: 'tools/shipping/dim_weight.ts',
        diff: '<<<<<<< SEARCH\n  return weight(args);\n=======\n  return 1;\n>>>>>>> REPLACE\n',
      },
    },
  },
  { mistake: 'An invalid pattern', call: { name: 'search_files', args: { pattern: 'dim_weight(' } } },

  // Sources.
  {
    mistake: 'A syntax error',
    tool: 'export default (args: { n: number }) => {\n  const x = ;\n  return x;\n}',
    call: run(),
  },
  {
    mistake: 'A type error',
    tool: '/** Doubles. */\nexport default (args: { n: number }): string => {\n  return args.n * 2;\n}',
    call: check,
  },
  { mistake: 'No default export', tool: 'export const total = (n: number[]) => n.length;', call: run() },
  {
    mistake: 'A package that may not be imported',
    tool: "import { sumBy } from 'lodash';\nexport default (args: { n: { v: number }[] }) => sumBy(args.n, 'v');",
    call: run({ n: [{ v: 1 }] }),
  },
  {
    mistake: 'A misspelt package',
    tool: "import { format } from 'date-fn';\nexport default (args: { day: string }) => format(args.day, 'P');",
    call: run({ day: '2024-02-29' }),
  },
  {
    mistake: 'Files by way of node:fs',
    tool: "import fs from 'node:fs';\nexport default () => fs.readFileSync('data.json', 'utf8');",
    call: run(),
  },
  {
    mistake: 'A part of @tgp/std that does not exist',
    tool: "import { parse } from '@tgp/std/cvs';\nexport default (args: { text: string }) => parse(args.text);",
    call: run({ text: 'a\n1' }),
  },
  {
    mistake: 'An import of a tool that does not exist',
    tool: "import weight from '../shipping/dim_weigth';\nexport default () => weight;",
    call: run(),
  },
  {
    mistake: 'A secret in the source',
    call: write(
      "/** Charges. */\nexport default async (args: { cents: number }) => {\n  const apiKey = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';\n  return tgp.fetch('https://api.example.com/v1/charges', { headers: { authorization: apiKey } });\n};",
    ),
  },
  {
    mistake: 'Magic numbers, any, process and an address',
    tool: "/** Totals. */\nexport default (args: any) => {\n  const taxRate = 0.19;\n  process.stdout.write('to bob@acme.com');\n  return args.n * taxRate;\n}",
    call: check,
  },
  {
    mistake: 'The clock and random numbers',
    tool: '/** Stamps. */\nexport default (): { at: number; id: number } => ({ at: Date.now(), id: Math.random() });',
    call: check,
  },
  {
    mistake: 'An error in a tool where checks are strict',
    kernel: 'strict',
    call: write('/** Adds tax. */\nexport default (args: { price: number }): number => args.price * 1.19;'),
  },

  // Runs.
  { mistake: 'An endless loop', tool: 'export default () => {\n  while (true) {}\n}', call: run() },
  {
    mistake: 'A promise that never settles',
    tool: 'export default async () => {\n  await new Promise(() => {});\n}',
    call: run(),
  },
  {
    mistake: 'Too much memory',
    tool: 'export default () => {\n  const all: string[] = [];\n  for (let i = 0; i < 1e7; i++) all.push(String(i).repeat(1000).toUpperCase());\n  return all.length;\n}',
    call: run(),
  },
  {
    mistake: 'A cycle in the result',
    tool: 'export default () => {\n  const row: { self?: unknown } = {};\n  row.self = row;\n  return { rows: [row] };\n}',
    call: run(),
  },
  { mistake: 'A function in the result', tool: 'export default () => ({ total: 1, format: () => "1" })', call: run() },
  {
    mistake: 'A result that is too large',
    tool: "export default () => ({ rows: 'some text '.repeat(1000000) })",
    call: run(),
  },
  {
    mistake: 'A property of undefined',
    tool: 'export default (args: { rows: { name: string }[] }) => {\n  return args.rows[0].name.length;\n}',
    call: run({ rows: [] }),
  },
  {
    mistake: 'A throw at the top level',
    tool: "const rates = JSON.parse('{');\nexport default () => rates;",
    call: run(),
  },
  {
    mistake: 'A misspelt function of the application',
    tool: "export default () => tgp.send_mial({ to: 'a' })",
    call: run(),
  },
  {
    mistake: "A refusal by the application's function",
    tool: 'export default async (args: { to: string }) => {\n  return tgp.send_mail(args.to);\n}',
    call: run({ to: 'bob' }),
  },
  {
    mistake: 'A call of a tool that does not exist',
    tool: "export default async () => tgp.exec_tool('tools/shipping/dim_wieght.ts', {})",
    call: run(),
  },
  { mistake: 'A file that is not there', tool: "export default () => tgp.read_file('data/rate.json')", call: run() },
  {
    mistake: 'A write where tools may not write',
    tool: "export default () => tgp.write_file('data/out.csv', 'a')",
    call: run(),
  },

  // The network.
  {
    mistake: 'An address that is not allowed',
    tool: "export default async () => (await fetch('https://api.exmaple.com/v1/x')).status",
    call: run(),
  },
  {
    mistake: 'A private address',
    tool: "export default async () => (await fetch('http://192.168.1.10:8080/orders')).status",
    call: run(),
  },
  {
    mistake: 'A fetch where none is allowed',
    kernel: 'bare',
    tool: "export default async () => (await fetch('https://api.example.com/')).status",
    call: run(),
  },
  {
    mistake: 'A server that does not answer',
    tool: "export default async () => (await fetch('http://127.0.0.1:9/')).status",
    call: run(),
  },
  {
    mistake: 'A relative address',
    tool: "export default async () => (await fetch('/v1/charges')).status",
    call: run(),
  },

  // SQL.
  {
    mistake: 'SQL without a database',
    kernel: 'bare',
    tool: "export default async () => tgp.exec_sql('SELECT 1')",
    call: run(),
  },
  { mistake: 'A table that does not exist', call: sql('SELECT * FROM user') },
  { mistake: 'A column that does not exist', call: sql('SELECT emial FROM users') },
  { mistake: 'Misspelt SQL', call: sql('SELCT * FROM users') },
  { mistake: 'Too few values', call: sql('SELECT * FROM users WHERE id = ? AND plan = ?', [1]) },
  { mistake: 'Two statements at once', call: sql("UPDATE users SET plan = 'free'; DELETE FROM users") },
  { mistake: 'A transaction of its own', call: sql('BEGIN') },
  {
    mistake: 'A failed statement in a tool',
    tool: "export default async (args: { id: number }) => {\n  const rows = await tgp.exec_sql('SELECT * FROM subscribers WHERE id = ?', [args.id]);\n  return rows;\n}",
    call: run({ id: 1 }),
  },
  {
    mistake: 'Too many rows',
    call: sql('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT i FROM n'),
  },
];

export { PATH };
