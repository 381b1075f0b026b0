import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const ROOT = join(import.meta.dirname, '../..');

/** @param {string[]} options */
async function conformance(...options) {
  const run = promisify(execFile)(process.execPath, ['scripts/conformance.mjs', ...options], { cwd: ROOT });
  const { stdout, code } = await run.then(
    ({ stdout }) => ({ stdout, code: 0 }),
    (error) => ({ stdout: `${error.stdout}${error.stderr}`, code: error.code }),
  );
  return { code, lines: stdout.trim().split('\n') };
}

describe('npm run conformance', () => {
  it('finds no difference, in any area', async () => {
    const { lines, code } = await conformance();
    expect(lines.filter((line) => line.startsWith('✗'))).toEqual([]);
    expect(code).toBe(0);
    const areas = readdirSync(join(ROOT, 'conformance/areas')).map((file) => file.replace(/\.js$/, ''));
    expect(lines.slice(1, -1).map((line) => line.split(/\s+/)[0])).toEqual(areas);
  }, 300_000);

  it('runs the frozen tools, and prints each difference', async () => {
    const { lines, code } = await conformance('tools', '--only', 'dates-');
    const differences = lines.filter((line) => line.startsWith('✗'));
    const [, passed, of] =
      lines
        .find((line) => line.startsWith('dates '))
        ?.split(/\s+/)
        .map(Number) ?? [];
    expect([of, Number(of) - Number(passed)]).toEqual([11, differences.length]);
    expect(code).toBe(differences.length === 0 ? 0 : 1);
  });

  it('runs a checkout of test262', async () => {
    const folder = await tempRoot();
    /** @type {Record<string, string>} */
    const files = {
      'harness/assert.js': 'function assert(ok) { if (ok !== true) throw new Test262Error() }',
      'harness/sta.js': "class Test262Error extends Error { name = 'Test262Error' }",
      'harness/two.js': 'var two = 2;',
      'test/language/good.js': '/*---\nincludes: [two.js]\n---*/\nassert(two === 2);\n',
      'test/language/wrong.js': '/*---\ndescription: fails\n---*/\nassert(false);\n',
      'test/language/sloppy.js':
        '/*---\nflags: [noStrict]\n---*/\nassert((function () { return this })() === globalThis);\n',
      'test/language/late.js': '/*---\nflags: [async]\n---*/\nPromise.resolve().then($DONE);\n',
      'test/language/invalid.js': '/*---\nnegative:\n  phase: parse\n  type: SyntaxError\n---*/\nlet a; { var a }\n',
      'test/language/module.js':
        "/*---\nflags: [module]\n---*/\nimport { one } from './one_FIXTURE.js';\nassert(one === 1);\n",
      'test/language/one_FIXTURE.js': 'export const one = 1;\n',
      'test/built-ins/shared.js': '/*---\nfeatures: [SharedArrayBuffer]\n---*/\nassert(false);\n',
    };
    writeFiles(folder, files);
    const { lines, code } = await conformance('--suite', folder, '--failures');
    expect(code).toBe(0);
    expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      '✗ language/wrong.js (sloppy): Test262Error: tools/language/wrong.sloppy.js threw Test262Error',
      '✗ language/wrong.js (strict): Test262Error: tools/language/wrong.strict.js threw Test262Error',
      'area passed failed left out',
      'built-ins 0 0 1',
      'language 8 2 0',
      'all 8 2 1',
    ]);
    expect(await conformance('--suite', join(folder, 'harness'))).toMatchObject({ code: 2 });
  });

  it('runs a checkout of web-platform-tests', async () => {
    const folder = await tempRoot();
    writeFiles(folder, {
      'resources/testharness.js': HARNESS,
      'url/resources/data.json': '{ "one": 1 }',
      'url/help.js': 'const two = 2;',
      'url/a.any.js':
        "// META: script=help.js\n// META: variant=?1\n// META: variant=?2\ntest('variant', () => location.search === '?' + two);\n" +
        "fetch('resources/data.json').then((answer) => answer.json()).then(({ one }) => test('data', () => one === 1)).then(done);",
      'url/endless.any.js': "test('first', () => true);",
      'url/idlharness.any.js': 'throw 1;',
      'dom/ranges/left.any.js': 'throw 1;',
    });
    const { lines, code } = await conformance('--suite', folder, '--failures');
    expect(code).toBe(0);
    expect(lines.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      '✗ url/a.any.js?1: variant: no',
      '✗ url/endless.any.js: the file: not all tests ended',
      'area passed failed left out',
      'url 4 2 1',
      'all 4 2 1',
    ]);
  });
});

/** What the runner uses of the harness of web-platform-tests. */
const HARNESS = `
const listeners = [];
const add_result_callback = (listener) => listeners.push(listener);
let complete;
const add_completion_callback = (callback) => { complete = callback; };
const test = (name, check) => {
  const ok = check();
  for (const listener of listeners) listener({ name, status: ok ? 0 : 1, message: ok ? null : 'no' });
};
const done = () => complete([], { status: 0, message: null });
`;

/**
 * @param {string} folder
 * @param {Record<string, string>} files
 */
function writeFiles(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}
