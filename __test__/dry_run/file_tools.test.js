import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { fingerprint, git, lastDiff } from '../helpers/folder_fingerprint.js';

const ADD = `/** Adds two numbers. */
export default async function add(args: { a: number; b: number }): Promise<number> {
  return args.a + args.b;
}
`;
const TWICE = `import add from './add.ts';

/** Doubles a number. */
export default async function twice(args: { n: number }): Promise<number> {
  return add({ a: args.n, b: args.n });
}
`;
const LINES = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join('');

/** A workspace with a few files and a history. */
async function workspace(config = {}) {
  const made = await createKernel(config);
  const { tools, kernel } = made;
  await kernel.boot();
  await tools.write_file.execute({ path: 'notes/long.md', content: LINES });
  await tools.write_file.execute({ path: 'tools/math/add.ts', content: ADD });
  await tools.write_file.execute({ path: 'tools/math/twice.ts', content: TWICE });
  await tools.write_file.execute({ path: 'notes/old.md', content: 'one\ntwo\nthree' });
  const first = (await tools.file_history.execute({ path: 'notes/old.md' }))[0].commit;
  await tools.write_file.execute({ path: 'notes/old.md', content: 'one\n2\nthree\n' });
  await tools.write_file.execute({ path: 'notes/gone.md', content: 'soon gone\n' });
  return { ...made, first };
}

/** @typedef {[string, string, (first: string) => any]} Case */

/** @type {Case[]} */
const CHANGES = [
  ['a new file', 'write_file', () => ({ path: 'notes/new.md', content: 'hello\n' })],
  ['an empty file', 'write_file', () => ({ path: 'notes/empty.md', content: '' })],
  ['a new tool', 'write_file', () => ({ path: 'tools/sub.ts', content: ADD.replaceAll('+', '-') })],
  ['a tool with findings', 'write_file', () => ({ path: 'tools/any.ts', content: ADD.replace('number>', 'any>') })],
  ['a changed text', 'write_file', () => ({ path: 'notes/long.md', content: LINES.replace('line 20', 'line twenty') })],
  ['a name with an accent', 'write_file', () => ({ path: 'notes/é.md', content: 'x' })],
  ['no final line break', 'write_file', () => ({ path: 'notes/old.md', content: 'one\n2\nthree' })],
  ['a patch', 'patch_file', () => ({ path: 'tools/math/add.ts', search: 'args.b', replace: 'args.b + 0' })],
  [
    'a diff with two changes',
    'apply_diff',
    () => ({
      path: 'notes/long.md',
      diff: '<<<<<<< SEARCH\nline 3\n=======\nline three\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nline 30\n=======\nline thirty\n>>>>>>> REPLACE\n',
    }),
  ],
  ['a revert', 'revert_file', (first) => ({ path: 'notes/old.md', commit: first })],
  ['a removal', 'delete_file', () => ({ path: 'notes/gone.md' })],
  ['a move with an importer', 'move_file', () => ({ from: 'tools/math/add.ts', to: 'tools/sum/add.ts' })],
];

it.each(CHANGES)('%s: the preview equals git diff after the real call, and changes nothing', async (...given) => {
  const [, name, args] = given;
  const { tools, rootDir, first } = await workspace();
  const tool = /** @type {any} */ (tools)[name];
  const before = fingerprint(rootDir);
  const preview = await tool.execute(args(first), { dryRun: true });
  expect(await tool.execute(args(first), { dryRun: true })).toEqual(preview);
  expect(fingerprint(rootDir)).toEqual(before);
  const real = await tool.execute(args(first));
  expect(preview).toMatchObject({ dryRun: true, sql: [], requests: [], calls: [] });
  expect(preview.diffs.map((/** @type {any} */ { diff }) => diff).join('')).toBe(lastDiff(rootDir));
  const { success: _, persisted: __, commit: ___, advice: ____, ...expected } = real;
  expect(preview.result).toMatchObject(name === 'patch_file' ? { path: expected.path } : expected);
  expect(preview.text).toContain('nothing was changed');
  expect(preview.text).toContain(preview.diffs[0].diff.trimEnd());
});

it('kernel.fix: the preview equals the real change, and changes nothing', async () => {
  const { kernel, tools, rootDir } = await workspace();
  const content = ADD.replace('return args.a', 'let sum: any = args.a').replace('args.b;', 'args.b;\n  return sum;');
  await tools.write_file.execute({ path: 'tools/fixable.ts', content: `let unit = 'km';\n${content}` });
  const before = fingerprint(rootDir);
  const preview = await kernel.fix('tools/fixable.ts', { dryRun: true });
  expect(fingerprint(rootDir)).toEqual(before);
  const real = await kernel.fix('tools/fixable.ts');
  expect(real.applied).toBeGreaterThan(0);
  expect(preview.result.applied).toBe(real.applied);
  expect(preview.diffs.map(({ diff }) => diff).join('')).toBe(lastDiff(rootDir));
  expect(await kernel.fix('tools/fixable.ts', { dryRun: true })).toMatchObject({ diffs: [], result: { applied: 0 } });
});

/** @type {[string, any][]} */
const REFUSED = [
  ['write_file', { path: '../out.md', content: '' }],
  ['write_file', { path: '.git/config', content: '' }],
  ['write_file', { path: 'meta.json', content: '{}' }],
  ['write_file', { path: 'notes', content: 'a folder is there' }],
  ['write_file', { path: 'notes/old.md/below', content: 'a file is there' }],
  ['write_file', { path: 'notes/large.md', content: 'x'.repeat(70_000) }],
  ['write_file', { path: 'notes/quota.md', content: 'x'.repeat(65_400) }],
  ['write_file', { path: 12 }],
  ['patch_file', { path: 'notes/old.md', search: 'not there', replace: '' }],
  ['patch_file', { path: 'notes/none.md', search: 'x', replace: '' }],
  ['apply_diff', { path: 'notes/old.md', diff: 'no diff at all' }],
  ['revert_file', { path: 'notes/old.md', commit: 'abcdef1' }],
  ['delete_file', { path: 'notes/none.md' }],
  ['delete_file', { path: 'tools/math/add.ts' }],
  ['move_file', { from: 'notes/old.md', to: 'notes/gone.md' }],
  ['move_file', { from: 'notes/none.md', to: 'notes/x.md' }],
];

it('the preview of a refused change is refused with the same message', async () => {
  const { tools, rootDir } = await workspace({ fs: { fileBytes: 65_536, rootBytes: 65_536 } });
  for (const [name, args] of REFUSED) {
    const tool = /** @type {any} */ (tools)[name];
    const before = fingerprint(rootDir);
    const refusal = await tool.execute(args, { dryRun: true }).catch((/** @type {any} */ error) => error);
    expect(fingerprint(rootDir), name).toEqual(before);
    const real = await tool.execute(args).catch((/** @type {any} */ error) => error);
    expect(refusal, `${name} ${args.path ?? args.from}`).toBeInstanceOf(Error);
    expect({ code: refusal.code, message: refusal.message }).toEqual({ code: real.code, message: real.message });
  }
});

it('a strict check: the preview reports that the tool would stay a draft', async () => {
  const { tools, rootDir } = await workspace({ check: 'strict' });
  const args = { path: 'tools/any.ts', content: ADD.replace('number>', 'any>') };
  const preview = await tools.write_file.execute(args, { dryRun: true });
  const real = await tools.write_file.execute(args);
  expect(preview.result.problem).toBe(real.problem);
  expect(preview.result.findings).toEqual(real.findings);
  expect(preview.text).toContain('draft');
  expect(git(rootDir, 'status', '--porcelain', '--', 'tools')).toContain('tools/any.ts');
});

it('a preview compares with the file on disk, including uncommitted changes by a person', async () => {
  const { tools, rootDir } = await workspace();
  writeFileSync(join(rootDir, 'notes/old.md'), 'by hand\n');
  mkdirSync(join(rootDir, 'notes/more'));
  writeFileSync(join(rootDir, 'notes/more/new.md'), 'by hand\n');
  const before = fingerprint(rootDir);
  for (const path of ['notes/old.md', 'notes/more/new.md']) {
    const preview = await tools.write_file.execute({ path, content: 'by the agent\n' }, { dryRun: true });
    expect(preview.diffs[0]?.diff).toContain('-by hand\n+by the agent\n');
    expect(fingerprint(rootDir)).toEqual(before);
  }
  const preview = await tools.write_file.execute({ path: 'notes/old.md', content: 'x\n' }, { dryRun: true });
  await tools.write_file.execute({ path: 'notes/old.md', content: 'x\n' });
  expect(preview.diffs[0]?.diff).toBe(lastDiff(rootDir));
});

it('tgpTools(kernel, { dryRun: true }) only previews changes, and reads as usual', async () => {
  const { kernel, rootDir, first } = await workspace();
  const dry = tgpTools(kernel, { dryRun: true, session: 's1' });
  await kernel.exec('tools/math/twice.ts', { n: 1 });
  const counted = (await kernel.stats()).total;
  const before = fingerprint(rootDir);
  for (const [, name, args] of CHANGES) {
    expect(await /** @type {any} */ (dry)[name].execute(args(first))).toMatchObject({ dryRun: true });
  }
  expect(await dry.exec_tool.execute({ path: 'tools/math/twice.ts', args: { n: 2 } })).toMatchObject({
    dryRun: true,
    result: 4,
  });
  expect(await dry.run_code.execute({ code: '1 + 1' })).toMatchObject({ dryRun: true, result: 2 });
  expect(await dry.read_file.execute({ path: 'notes/old.md' })).toBe('one\n2\nthree\n');
  expect(fingerprint(rootDir)).toEqual(before);
  const calls = await kernel.ledger.tail({ type: 'CALL', session: 's1', limit: 100 });
  expect(calls.filter(({ tool }) => tool !== 'read_file').every(({ dryRun }) => dryRun === true)).toBe(true);
  expect((await kernel.stats()).total).toEqual(counted);
  const commits = await kernel.ledger.tail({ type: 'COMMIT', session: 's1' });
  expect(commits).toEqual([]);
});

it('a dryRun value that is not a boolean is refused without a call', async () => {
  const { tools, kernel, rootDir } = await workspace();
  const before = fingerprint(rootDir);
  const args = { path: 'notes/x.md', content: '' };
  const given = /** @type {any} */ ({ dryRun: 'yes' });
  await expect(tools.write_file.execute(args, given)).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
  await expect(kernel.exec('tools/math/add.ts', { a: 1, b: 2 }, given)).rejects.toMatchObject({
    code: 'ERR_VALIDATION',
  });
  await expect(kernel.sync(/** @type {any} */ ({ dryRun: true }))).rejects.toThrow(/cannot be previewed/);
  expect(fingerprint(rootDir)).toEqual(before);
});
