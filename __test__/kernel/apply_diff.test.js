import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const PATH = 'tools/a.ts';
const block = (search, replace) => `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;

/** @param {string} content */
async function file(content) {
  const { tools, rootDir } = await createKernel();
  await tools.write_file.execute({ path: PATH, content });
  return {
    rootDir,
    apply: (diff) => tools.apply_diff.execute({ path: PATH, diff }),
    text: () => readFileSync(join(rootDir, PATH), 'utf8'),
    commits: () => execFileSync('git', ['-C', rootDir, 'log', '--format=%s'], { encoding: 'utf8' }).trim().split('\n'),
  };
}

const SOURCE = `export default function (args: { n: number }) {
  const one = args.n + 1;
  const two = args.n + 2;
  const three = args.n + 3;
  return one + two + three;
}
`;

describe('SEARCH/REPLACE blocks', () => {
  it('in one call are one commit', async () => {
    const { apply, text, commits } = await file(SOURCE);
    const diff = `Some words.\n${block('  const one = args.n + 1;', '  const one = args.n * 1;')}\n${block('  return one + two + three;\n}', '  return one * two;\n}')}`;
    expect(await apply(diff)).toMatchObject({
      success: true,
      path: PATH,
      persisted: true,
      applied: [{ line: 2 }, { line: 5 }],
    });
    expect(text()).toBe(SOURCE.replace('args.n + 1', 'args.n * 1').replace('one + two + three', 'one * two'));
    expect(commits()).toEqual([`Refactor: ${PATH}`, `Forge: ${PATH}`]);
  });

  it('are applied atomically', async () => {
    const { apply, text, commits } = await file(SOURCE);
    const diff = block('  const one = args.n + 1;', '  x();') + block('  const four = args.n + 4;', '  y();');
    await expect(apply(diff)).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      message: expect.stringMatching(/Change 2 .*Nothing was written.*line 3: {3}const two/s),
      details: { path: PATH, change: 2 },
    });
    expect(text()).toBe(SOURCE);
    expect(commits()).toHaveLength(1);
  });

  it('tolerate whitespace with a note, and keep the indentation of the file', async () => {
    const { apply, text } = await file(SOURCE);
    const result = await apply(
      block(
        'const two = args.n  + 2;\nconst three = args.n + 3;',
        'const two = args.n + 20;\nconst three = args.n + 3;\nconst four = 4;',
      ),
    );
    expect(result.applied).toEqual([{ line: 3, tolerated: 'whitespace' }]);
    expect(text()).toBe(SOURCE.replace('+ 2;', '+ 20;').replace('+ 3;\n', '+ 3;\n  const four = 4;\n'));
    const trailing = await file('const a = 1;   \nconst b = 2;\n');
    expect((await trailing.apply(block('const a = 1;', 'const a = 2;'))).applied).toEqual([
      { line: 1, tolerated: 'trailing-space' },
    ]);
    expect(trailing.text()).toBe('const a = 2;\nconst b = 2;\n');
  });

  it('that match several places are an error that lists the places', async () => {
    const { apply, text } = await file('f(1);\ng();\nf(1);\n');
    await expect(apply(block('f(1);', 'h();'))).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringMatching(/2 places.*line 1: f\(1\);.*line 3: f\(1\);/s),
      details: { candidates: [1, 3] },
    });
    expect(text()).toBe('f(1);\ng();\nf(1);\n');
    await apply(block('g();\nf(1);', 'g();\nh();'));
    expect(text()).toBe('f(1);\ng();\nh();\n');
  });

  it('take dollar signs and markers in the text literally', async () => {
    const { apply, text } = await file('a\nb\n');
    await apply(block('a', "'$& $1 $$'\n== not a marker =="));
    expect(text()).toBe("'$& $1 $$'\n== not a marker ==\nb\n");
  });
});

describe('unified diffs', () => {
  it('apply with wrong line numbers, and report the offset', async () => {
    const { apply, text } = await file(SOURCE);
    const diff = `--- a/${PATH}\n+++ b/${PATH}\n@@ -12,3 +12,4 @@\n   const two = args.n + 2;\n-  const three = args.n + 3;\n+  const three = args.n + 30;\n+  const four = 4;\n   return one + two + three;\n`;
    const result = await apply(diff);
    expect(result.applied).toEqual([{ line: 3, lineOffset: -9 }]);
    expect(text()).toBe(SOURCE.replace('+ 3;', '+ 30;\n  const four = 4;'));
  });

  it('of git apply without tolerance', async () => {
    const before = Array.from({ length: 60 }, (_, index) => `line ${index % 7}`);
    const after = before.flatMap((line, index) => (index === 10 ? [] : index % 20 === 3 ? [line, 'new'] : [line]));
    const { apply, text, rootDir } = await file(`${before.join('\n')}\n`);
    writeFileSync(join(rootDir, PATH), `${after.join('\n')}\n`);
    const diff = execFileSync('git', ['-C', rootDir, 'diff', '-U3', '--', PATH], { encoding: 'utf8' });
    writeFileSync(join(rootDir, PATH), `${before.join('\n')}\n`);
    const result = await apply(diff);
    expect(result.applied.every((change) => change.lineOffset === undefined && change.tolerated === undefined)).toBe(
      true,
    );
    expect(text()).toBe(`${after.join('\n')}\n`);
  });

  it('of several files are refused', async () => {
    const { apply } = await file(SOURCE);
    const one = (name) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-x\n+y\n`;
    await expect(apply(one('a') + one('b'))).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      details: { field: 'diff' },
    });
  });
});

describe('apply_diff', () => {
  it('keeps the line ends of the file', async () => {
    const { apply, text } = await file('a\r\nb\r\nc\r\n');
    await apply(block('b', 'x\ny'));
    expect(text()).toBe('a\r\nx\r\ny\r\nc\r\n');
    await apply('@@ -1,2 +1,2 @@\n-a\n+z\n x\n');
    expect(text()).toBe('z\r\nx\r\ny\r\nc\r\n');
  });

  it('keeps a missing line end at the end of the file', async () => {
    const { apply, text } = await file('a\nb');
    await apply(block('a', 'c'));
    expect(text()).toBe('c\nb');
  });

  it('refuses invalid diffs, and files that may not be written', async () => {
    const { apply, text } = await file('a\n');
    for (const diff of ['', 'hello', '<<<<<<< SEARCH\na\n', '<<<<<<< SEARCH\n\n=======\nb\n>>>>>>> REPLACE']) {
      await expect(apply(diff), diff).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    }
    expect(text()).toBe('a\n');
    const { tools } = await createKernel();
    for (const path of ['meta.json', '.git/config', '../x.ts', 'x.ts']) {
      await expect(tools.apply_diff.execute({ path, diff: block('a', 'b') }), path).rejects.toMatchObject({
        code: 'ERR_SECURITY_VIOLATION',
      });
    }
  });
});
