import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { hostCost, MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { tempRoot } from '../helpers/temp_root.js';

vi.setConfig({ testTimeout: 60_000 });

const PATH = 'tools/a.txt';
const MEGABYTE = 1 << 20;
/** Far above the duration of these calls; the failures it detects took minutes. */
const MAX_MS = 20_000;

const block = (search, replace) => `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
const lines = (count, line) => Array.from({ length: count }, (_, index) => line(index));

/** @param {string} content */
async function file(content) {
  const { tools, rootDir, kernel } = await createKernel();
  await tools.write_file.execute({ path: PATH, content });
  return {
    tools,
    kernel,
    rootDir,
    apply: (diff) => tools.apply_diff.execute({ path: PATH, diff }),
    text: () => readFileSync(join(rootDir, PATH), 'utf8'),
  };
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const begun = performance.now();
  const outcome = await work().catch((error) => error);
  expect(performance.now() - begun).toBeLessThan(MAX_MS);
  return outcome;
}

const COMMON = (index) => `if (a${index % 7} of b) return the value of a row in the list ${index % 89};`;
const similar = lines(MEGABYTE / 64, COMMON)
  .join('\n')
  .slice(0, MEGABYTE);
const equal = 'a\n'.repeat(450_000);
const TEXTS = { 'many near matches': similar, 'equal lines': equal, 'empty lines': '\n'.repeat(900_000) };

describe.each(Object.entries(TEXTS))('a change of a file of 1 MB with %s', (_, content) => {
  it('that matches nowhere is refused soon, whatever its size', async () => {
    const { apply, text } = await file(content);
    const start = content.split('\n').slice(0, 12_000);
    for (const search of [
      `${start.slice(0, 60).join('\n')}\nnot there`,
      `${start.join('\n')}\nnot there`,
      lines(12_000, (index) => `${COMMON(index)} x`).join('\n'),
      'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(20_000),
    ]) {
      expect(await timed(() => apply(block(search, 'x')))).toMatchObject({
        code: 'ERR_NOT_FOUND',
        message: expect.stringContaining('Nothing was written'),
      });
      const unified = `@@ -7,3 +7,3 @@\n${search.replaceAll(/^/gm, '-')}\n+x\n`;
      expect(await timed(() => apply(unified))).toMatchObject({ code: 'ERR_NOT_FOUND' });
    }
    expect(text()).toBe(content);
  });

  it('with thousands of changes is applied completely or refused, and soon', async () => {
    const { apply, text } = await file(content);
    const here = content.split('\n');
    const numbered = lines(10_000, (index) => `@@ -${index + 1} +${index + 1} @@\n-${here[index]}\n+new ${index}`);
    expect(await timed(() => apply(`${numbered.join('\n')}\n`))).toMatchObject({ success: true });
    const changed = here.with(0, 'new 0').map((line, index) => (index < 10_000 ? `new ${index}` : line));
    expect(text()).toBe(changed.join('\n'));

    const blocks = lines(20_000, (index) => block(`new ${index % 10_000}`, `new ${index % 10_000}`)).join('');
    const outcome = await timed(() => apply(blocks));
    // In a file with many lines the comparisons exceed the limit of one call.
    if (outcome.success !== true) expect(outcome).toMatchObject({ code: 'ERR_LIMIT', details: { path: PATH } });
    expect(text()).toBe(changed.join('\n'));
  });
});

it('a short diff of a file with long lines does not create a file of gigabytes', async () => {
  const names = lines(10_000, (index) => `l${index}`).join('\n');
  const again = lines(2_000, (index) => block(`x${index}`, `x${index + 1}`)).join('');
  for (const [content, diff] of [
    [`${' '.repeat(1_000_000)}x`, block('x', names)],
    [`a${' '.repeat(900_000)}b`, block('a b', lines(100_000, () => 'a b').join('\n'))],
    [`${' '.repeat(1_000_000)}x0`, again],
    [`${' '.repeat(1_000_000)}x`, block('x', 'x').repeat(20_000)],
  ]) {
    const { apply, text } = await file(content);
    expect(await timed(() => apply(diff))).toMatchObject({ code: 'ERR_LIMIT', details: { path: PATH } });
    expect(text()).toBe(content);
  }
});

it('an ambiguous change names the first places and their number', async () => {
  const { apply } = await file(equal);
  const error = await timed(() => apply(block('a', 'b')));
  expect(error).toMatchObject({ code: 'ERR_VALIDATION', message: expect.stringContaining('450000 places') });
  expect(error.details.candidates).toHaveLength(100);
});

it('other writers do not wait while a change is located', async () => {
  const { apply, tools } = await file(equal);
  const searched = lines(300, () => block(`${'a\n'.repeat(1000)}b`, 'c')).join('');
  /** @type {string[]} */
  const order = [];
  // A writer that waits for the searches would be the last.
  await Promise.all([
    ...lines(16, () => apply(searched).catch(() => order.push('searched'))),
    tools.write_file.execute({ path: 'tools/b.txt', content: 'b' }).then(() => order.push('written')),
  ]);
  expect(order).toHaveLength(17);
  expect(order.at(-1)).toBe('searched');
});

it('a concurrent change is applied to the newer file, or refused', async () => {
  const { apply, tools, text } = await file(lines(400, (index) => `line ${index}`).join('\n'));
  const work = lines(40, (index) =>
    index % 2 === 0
      ? apply(block(`line ${index}`, `line ${index} by diff`))
      : tools.patch_file.execute({ path: PATH, search: `line ${index + 100}\n`, replace: `patched ${index}\n` }),
  );
  await Promise.all(work);
  for (const index of lines(40, (index) => index)) {
    expect(text()).toContain(index % 2 === 0 ? `line ${index} by diff` : `patched ${index}\n`);
  }
});

it('patch_file treats any text literally', async () => {
  const { tools, text } = await file(equal);
  const patch = (search) => timed(() => tools.patch_file.execute({ path: PATH, search, replace: 'b' }));
  for (const search of [`${'a\n'.repeat(MEGABYTE / 4)}b`, 'a\n'.repeat(3 * MEGABYTE), `${'a\n'.repeat(900)}a\na\nb`]) {
    expect(await patch(search)).toMatchObject({ code: 'ERR_NOT_FOUND' });
  }
  const refused = await patch('a\n'.repeat(20 * MEGABYTE));
  expect(refused).toMatchObject({ code: 'ERR_VALIDATION', details: { field: 'search' } });
  expect(await patch('a\n'.repeat(MEGABYTE / 4))).toMatchObject({ success: true });
  expect(text()).toBe(`b${'a\n'.repeat(450_000 - MEGABYTE / 4)}`);
});

describe('search_files', () => {
  it('ends soon, whatever the pattern and the files', async () => {
    const { tools, kernel, rootDir } = await createKernel();
    await kernel.boot();
    mkdirSync(join(rootDir, 'data'));
    for (const index of lines(8, (index) => index)) {
      writeFileSync(join(rootDir, `data/${index}.txt`), index % 2 ? 'ab'.repeat(MEGABYTE / 2) : equal);
    }
    const search = (query) => timed(() => tools.search_files.execute(query));
    for (const pattern of [
      '(a*)*c',
      '(a|a)*c$',
      '(x+x+)+y',
      '[ab]*a[ab]{2000}c',
      '(?:[ab]{0,200}){40}c',
      '\\w{0,40}\\w{0,40}\\w{0,40}c',
      '(.*a){30}c',
    ]) {
      // Either no matches, or a refusal.
      const outcome = await search({ pattern });
      expect([[], undefined], pattern).toContainEqual(outcome.matches);
      expect([undefined, 'ERR_VALIDATION'], pattern).toContain(outcome.code);
    }
  });

  it('refuses patterns that are too long or too deep, and names the field', async () => {
    const { tools } = await createKernel();
    for (const [field, query] of [
      ['pattern', { pattern: 'a|'.repeat(5 * MEGABYTE) }],
      ['pattern', { pattern: `${'('.repeat(100_000)}a${')'.repeat(100_000)}` }],
      ['pattern', { pattern: `${'('.repeat(1000)}a${')'.repeat(1000)}` }],
      ['pattern', { pattern: '((a{100}){100}){100}' }],
      ['glob', { pattern: 'a', glob: '{'.repeat(100_000) }],
      ['glob', { pattern: 'a', glob: `${'{a,'.repeat(300)}b${'}'.repeat(300)}` }],
      ['glob', { pattern: 'a', glob: '*'.repeat(5 * MEGABYTE) }],
    ]) {
      const refused = await timed(() => tools.search_files.execute(query));
      expect(refused, String(field)).toMatchObject({ code: 'ERR_VALIDATION', details: { field } });
      expect(refused.message.length).toBeLessThan(2000);
    }
  });
});

it('a root of thousands of files is listed and searched soon', async () => {
  const { tools, kernel, rootDir } = await createKernel({ agent: { resultChars: 1_000_000 } });
  await kernel.boot();
  for (const folder of lines(20, (index) => index)) {
    mkdirSync(join(rootDir, `data/${folder}`), { recursive: true });
    for (const name of lines(100, (index) => index)) writeFileSync(join(rootDir, `data/${folder}/${name}.csv`), 'a');
  }
  expect(await timed(() => tools.list_files.execute({ dir: 'data' }))).toHaveLength(2_000);
  expect(await timed(() => tools.search_files.execute({ pattern: 'b' }))).toMatchObject({ matches: [], files: 2_000 });
});

it('an edit stays within the memory and CPU limits of the host', async () => {
  const folder = await tempRoot();
  const setup = `
    const kernel = new TGP({ config: { rootDir: '.tgp' } });
    const tools = tgpTools(kernel);
    await tools.write_file.execute({ path: '${PATH}', content: 'a\\n'.repeat(450000) });
    const diff = Array.from({ length: 40_000 }, (_, index) => '@@ -' + (index + 1) + ' +1 @@\\n-a\\n+b\\n').join('');
  `;
  const work = `await tools.apply_diff.execute({ path: '${PATH}', diff }).catch(() => {});
    await tools.apply_diff.execute({ path: '${PATH}', diff: '@@ @@\\n' + '-a\\n'.repeat(${MEGABYTE / 4}) + '-x\\n+b\\n' });`;
  const { code, extraMb, cpuMs } = await hostCost(folder, setup, work, 'await kernel.shutdown();');
  expect(code).toBe('ERR_NOT_FOUND');
  expect(extraMb).toBeLessThan(MAX_EXTRA_MB);
  expect(cpuMs).toBeLessThan(MAX_MS);
});

it('a diff of git for a file of 1 MB is applied to the same text', async () => {
  const { apply, rootDir, text } = await file(similar);
  const after = similar.split('\n').map((line, index) => (index % 500 === 250 ? `${line} changed` : line));
  writeFileSync(join(rootDir, PATH), after.join('\n'));
  const diff = execFileSync('git', ['-C', rootDir, 'diff', '--', PATH], { encoding: 'utf8', maxBuffer: 1 << 26 });
  writeFileSync(join(rootDir, PATH), similar);
  expect(await timed(() => apply(diff))).toMatchObject({ success: true });
  expect(text()).toBe(after.join('\n'));
});
