import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TGPError, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { forAll, TIMEOUT_MS, texts } from '../helpers/for_all.js';
import { tempRoot } from '../helpers/temp_root.js';

const PATH = 'tools/diffed.ts';
const LINES = ['a', 'b', 'c', '', '  a', '}', 'const x = 1;', '\tx', 'é', '-- a', '++ b', '@@ -1 +1 @@'];
const lines = fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 14 });
const PIECES = [
  '@@ -1,2 +1,2 @@\n',
  '@@',
  '--- a\n',
  '+++ b\n',
  ' a\n',
  '-a\n',
  '+b\n',
  '\n',
  '\\ No newline\n',
  '<<<<<<< SEARCH\n',
  '=======\n',
  '>>>>>>> REPLACE\n',
  'a\n',
  '```\n',
];

async function setUp() {
  const { kernel, rootDir } = await createKernel({ check: 'off', sandbox: { warm: 0 } });
  const folder = await tempRoot();
  const tools = tgpTools(kernel);
  /** The output of `git diff` for two texts. @param {string} before @param {string} after @param {number} context */
  const diffOf = (before, after, context) => {
    writeFileSync(join(folder, 'old'), before);
    writeFileSync(join(folder, 'new'), after);
    return spawnSync('git', ['diff', '--no-index', '--no-color', `-U${context}`, 'old', 'new'], {
      cwd: folder,
      encoding: 'utf8',
    }).stdout;
  };
  /** The result of `git apply`. @param {string} text @param {string} diff */
  const appliedByGit = (text, diff) => {
    const named = diff
      .replace(/^--- .*$/m, '--- a/file')
      .replace(/^\+\+\+ .*$/m, '+++ b/file')
      .replace(/^(?:diff|index) .*\n/gm, '');
    writeFileSync(join(folder, 'file'), text);
    writeFileSync(join(folder, 'patch'), named);
    try {
      execFileSync('git', ['apply', '--whitespace=nowarn', '--unidiff-zero', 'patch'], {
        cwd: folder,
        stdio: 'ignore',
      });
    } catch {
      return undefined;
    }
    return readFileSync(join(folder, 'file'), 'utf8');
  };
  /** The result of `apply_diff`. @param {string} text @param {string} diff */
  const applied = async (text, diff) => {
    await tools.write_file.execute({ path: PATH, content: text });
    await tools.apply_diff.execute({ path: PATH, diff });
    return readFileSync(join(rootDir, PATH), 'utf8');
  };
  return { diffOf, appliedByGit, applied };
}

/** @param {string[]} of */
const asText = (of) => of.map((line) => `${line}\n`).join('');

it('apply_diff and git apply give the same result for a diff of git', { timeout: TIMEOUT_MS }, async () => {
  const { diffOf, appliedByGit, applied } = await setUp();
  await forAll('diff of git', fc.tuple(lines, lines, fc.integer({ min: 0, max: 4 })), async ([old, next, context]) => {
    const [before, after] = [asText(old), asText(next)];
    if (before === after) return;
    const diff = diffOf(before, after, context);
    expect(appliedByGit(before, diff)).toBe(after);
    expect(await applied(before, diff)).toBe(after);
  });
});

it('a diff of text that has moved is applied where git applies it, or refused', { timeout: TIMEOUT_MS }, async () => {
  const { diffOf, appliedByGit, applied } = await setUp();
  await forAll('moved diff', fc.tuple(lines, lines, lines), async ([old, next, above]) => {
    const [before, after] = [asText(old), asText(next)];
    if (before === after) return;
    const diff = diffOf(before, after, 3);
    const moved = asText(above) + before;
    const expected = appliedByGit(moved, diff);
    if (expected === undefined) return;
    const found = await applied(moved, diff).catch((error) => error);
    // Git takes the nearest of several places; we ask the model which one it means.
    if (found instanceof TGPError) expect(['ERR_VALIDATION', 'ERR_NOT_FOUND']).toContain(found.code);
    else expect(found).toBe(expected);
  });
});

it('any text given as a diff is applied or refused with a code', { timeout: TIMEOUT_MS }, async () => {
  const { applied } = await setUp();
  await forAll('any diff', fc.tuple(lines, texts(PIECES, 14)), async ([old, diff]) => {
    const found = await applied(asText(old), diff).catch((error) => error);
    if (typeof found === 'string') return;
    expect(found).toBeInstanceOf(TGPError);
    expect(['ERR_VALIDATION', 'ERR_NOT_FOUND', 'ERR_LIMIT']).toContain(found.code);
  });
});
