import { expect, it, vi } from 'vitest';
import { nearest } from '../../dist/boundary/spelling.js';
import { hostCost, MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { tempRoot } from '../helpers/temp_root.js';

vi.setConfig({ testTimeout: 240_000 });

/** CPU time of all threads; the failures it detects need many times more. */
const MAX_CPU_MS = 10_000;
/** CPU time of the event loop: usually some 100 ms, mostly for passing texts. */
const MAX_BUSY_MS = 1_000;

const KERNEL = `
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const booted = async (config = {}, options = {}) => {
  const kernel = new TGP({ config: { rootDir: '.tgp', memory: 'off', ...config }, logger: silent, ...options });
  await kernel.boot();
  return kernel;
};
writeFileSync('rules.yaml', 'version: 1\\ndefault: allow\\nrules:\\n  - { id: no-secrets, deny: [sql], tables: [secrets] }\\n');
`;

/** Short statements that the SQL parser reads twice per level of nesting. */
const NESTED = `
const nested = (open, inner, close, levels) => 'SELECT ' + open.repeat(levels) + inner + close.repeat(levels);
const statements = [
  nested('POSITION(', "'a' IN 'b'", " IN 'b')", 26),
  nested('POSITION((', "'a'", '))', 22),
  nested('x IN ((SELECT ', '1 1', '))', 16),
  'SELECT 1 FROM ' + '((SELECT 1 FROM '.repeat(16) + 't t t' + '))'.repeat(16),
];
`;

/**
 * @param {{ cpuMs: number, busyMs: number, extraMb: number }} cost
 */
function expectBounded(cost) {
  expect(cost.cpuMs).toBeLessThan(MAX_CPU_MS);
  expect(cost.busyMs).toBeLessThan(MAX_BUSY_MS);
  expect(cost.extraMb).toBeLessThan(MAX_EXTRA_MB);
}

it.each([
  ['some tables are allowed', '{}', "{ allow: { tables: ['t'] } }", 'ERR_SECURITY_VIOLATION'],
  ['a policy has rules for tables', "{ policy: 'rules.yaml' }", '{}', 'ERR_DENIED'],
])('a short statement that the parser cannot finish is refused soon if %s', async (_, config, options, code) => {
  const cost = await hostCost(
    await tempRoot(),
    `${KERNEL}${NESTED}
     const kernel = await booted(${config}, { sql: { source: sqlite(':memory:'), ...${options} } });
     const tools = { ...tgpTools(kernel), ...createSqlTools(kernel, ${options}) };`,
    `const codes = [];
     for (const sql of statements) {
       codes.push(await tools.exec_sql.execute({ sql }).then(() => 'done', (error) => error.code));
       const run = await tools.run_code.execute({ code: 'await tgp.exec_sql(args.sql)', args: { sql } });
       codes.push(run.code ?? 'done');
     }
     return codes;`,
    'await kernel.shutdown();',
  );
  expect(cost.value).toHaveLength(8);
  expect(cost.value).toContain(code);
  expectBounded(cost);
});

it("a run is not compiled on the application's thread for a policy check", async () => {
  const cost = await hostCost(
    await tempRoot(),
    `${KERNEL}const kernel = await booted({ policy: 'rules.yaml', sandbox: { timeoutMs: 20_000 } });
     const lines = Array.from({ length: 10_000 }, (_, at) => 'const a' + at + ': number[] = [' + at + '].map((x: number) => x + 1);');
     const code = lines.join('\\n') + '\\nreturn a1[0];';`,
    'return (await tgpTools(kernel).run_code.execute({ code })).result;',
    'await kernel.shutdown();',
  );
  expect(cost.value).toBe(2);
  expect(cost.busyMs).toBeLessThan(cost.cpuMs / 3);
});

it('a tool for rows of hundreds of columns is compared with others within the CPU limit', async () => {
  const cost = await hostCost(
    await tempRoot(),
    `${KERNEL}
     const columns = (letter) => Array.from({ length: 290 }, (_, at) => letter + at + ': number').join('; ');
     const tool = (parameters) => '/** Adds up all columns of all rows of a report. */\\nexport default function (args: { ' + parameters +
       ' }) {\\n  return Object.values(args).flat().flatMap((row) => Object.values(row)).reduce((sum, each) => sum + each, 0);\\n}\\n';
     const row = (value) => Object.fromEntries(Array.from({ length: 290 }, (_, at) => ['a' + at, value]));
     const kernel = await booted();
     const tools = tgpTools(kernel);
     for (const path of ['tools/one.ts', 'tools/two.ts', 'tools/three.ts', 'tools/four.ts']) {
       await tools.write_file.execute({ path, content: tool('rows: { ' + columns('a') + ' }[]') });
       for (const value of [1, 2, 3]) await kernel.exec(path, { rows: [row(value)] });
     }
     const wide = Array.from({ length: 12 }, (_, at) => 't' + at + '?: { ' + columns('b' + at + '_') + ' }[]').join('; ');`,
    `const written = [];
     for (const at of [1, 2, 3, 4])
       written.push((await tools.write_file.execute({ path: 'tools/new' + at + '.ts', content: tool(wide) })).success);
     return written;`,
    'await kernel.shutdown();',
  );
  expect(cost.value).toEqual([true, true, true, true]);
  expectBounded(cost);
});

it('a run that reads missing files among thousands of long names ends at its wall-clock limit, and others are served', async () => {
  const cost = await hostCost(
    await tempRoot(),
    `${KERNEL}
     // The same letters in another order: only a full comparison distinguishes them.
     const name = (at) => String(at).padStart(6, '0') + 'b'.repeat(at % 88) + 'a'.repeat(88) + 'b'.repeat(88 - (at % 88)) + '.md';
     mkdirSync('.tgp/notes', { recursive: true });
     for (let at = 0; at < 6_000; at += 1) writeFileSync('.tgp/notes/' + name(at), '');
     const kernel = await booted();
     const other = await booted({ rootDir: 'other' });
     await other.vfs.writeFile('notes/a.md', 'here');
     const code = 'for (;;) await Promise.all(Array.from({ length: 16 }, (_, at) => ' +
       '(async () => (at % 2 ? tgp.read_file(args.path) : tgp.exec_tool(args.path, {})))().catch(() => {})));';`,
    `const path = 'notes/000000' + 'ab'.repeat(88) + '.md';
     const run = kernel.run(code, { path }, { wallMs: 1_000, timeoutMs: 20_000 }).then(() => 'done', (error) => error.code);
     let isOver = false;
     run.finally(() => { isOver = true; });
     const served = [];
     do served.push(await tgpTools(other).read_file.execute({ path: 'notes/a.md' })); while (!isOver);
     const { suggestion } = await tgpTools(other).read_file.execute({ path: 'notes/b.md' }).catch(({ details }) => details);
     return { end: await run, served: served.length, texts: [...new Set(served.map((file) => file.content ?? file))], suggestion };`,
    'await kernel.shutdown(); await other.shutdown();',
  );
  expect(cost.value).toMatchObject({ end: 'ERR_ISOLATE_TIMEOUT', texts: ['here'], suggestion: 'notes/a.md' });
  expect(cost.value.served).toBeGreaterThan(3);
  expect(cost.cpuMs).toBeLessThan(MAX_CPU_MS);
  expect(cost.extraMb).toBeLessThan(MAX_EXTRA_MB);
});

it('a path of a megabyte is refused within the CPU limit, whatever the number of tools', async () => {
  const cost = await hostCost(
    await tempRoot(),
    `${KERNEL}
     mkdirSync('.tgp/tools', { recursive: true });
     for (let at = 0; at < 600; at += 1) writeFileSync('.tgp/tools/t' + at + '.ts', 'export default () => ' + at + ';\\n');
     const kernel = await booted();
     const tools = tgpTools(kernel);
     await tools.exec_tool.execute({ path: 'tools/t1.ts', args: {} });`,
    "return (await tools.exec_tool.execute({ path: 'tools/' + 'a'.repeat(1e6), args: {} })).code;",
    'await kernel.shutdown();',
  );
  expect(cost.value).toBe('ERR_VALIDATION');
  expectBounded(cost);
});

it('the search for the nearest of thousands of long names has a step limit', () => {
  const names = Array.from(
    { length: 2_000 },
    (_, at) => `${'b'.repeat(at % 50)}${'a'.repeat(50)}${'b'.repeat(50 - (at % 50))}`,
  );
  const word = 'ab'.repeat(50);
  // Each costs about 10 000 steps, so the last ones are not compared.
  expect(nearest(word, [...names.slice(1), word])).toBeUndefined();
  expect(nearest(word, [...names.slice(0, 10), word])).toBe(word);
  // Names whose length excludes a match cost no steps.
  const others = Array.from({ length: 1_990 }, (_, at) => 'x'.repeat(20 + (at % 80)));
  expect(nearest('custommers', [...others, 'customers'])).toBe('customers');
  expect(nearest('custommers', ['orders', 'customers', 'custom'])).toBe('customers');
});

it('dry runs for files that are expensive to compare stay within the CPU limit', async () => {
  const cost = await hostCost(
    await tempRoot(),
    `${KERNEL}
     const text = (seed, kinds, lines) => {
       let state = seed;
       let made = '';
       for (let at = 0; at < lines; at += 1) {
         state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
         made += ((state >>> 8) % kinds) + '\\n';
       }
       return made;
     };
     const kernel = await booted();
     const tools = tgpTools(kernel);
     const kinds = [7, 8, 9, 10, 4_000];
     for (const [at, each] of kinds.entries()) await tools.write_file.execute({ path: 'notes/' + at + '.txt', content: text(1, each, 500_000).slice(0, 1e6) });`,
    `const previews = kinds.map((each, at) => tools.write_file.execute({ path: 'notes/' + at + '.txt', content: text(7, each, 500_000).slice(0, 1e6) }, { dryRun: true }));
     return (await Promise.all(previews)).map(({ diffs }) => diffs.length);`,
    'await kernel.shutdown();',
  );
  expect(cost.value).toEqual([1, 1, 1, 1, 1]);
  expectBounded(cost);
});
