import { cp, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as core from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { COMMAND_MISTAKES, PROGRAM_MISTAKES, TOOLS } from '../helpers/person_mistakes.js';

/**
 * The exact messages that people get for their mistakes, for review: `../fixtures/person_mistakes.md`. After a message was changed
 * on purpose, `npx vitest run __test__/cli/person_mistakes.test.js -u` writes the file again.
 */
const FEWEST = 25;
const AsyncFunction = /** @type {FunctionConstructor} */ (Object.getPrototypeOf(async () => {}).constructor);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** @type {string[]} */
const texts = [];
/** @type {core.TGP} */
let kernel;
let folder = '';

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tgp-test-')));
  kernel = new core.TGP({ config: { rootDir: join(folder, 'workspace', '.tgp') }, logger: silent });
  await kernel.boot();
  const { write_file } = core.tgpTools(kernel);
  for (const [path, content] of Object.entries(TOOLS)) await write_file.execute({ path, content });
  await kernel.shutdown();
  await cp(join(folder, 'workspace'), join(folder, 'kept'), { recursive: true });
  await kernel.boot();
});

afterAll(async () => {
  await kernel.shutdown();
  await rm(folder, { recursive: true, force: true });
});

describe('messages to a person after a mistake', () => {
  test.each(COMMAND_MISTAKES)('$mistake', async ({ mistake, args, files = {}, isEmpty = false }) => {
    const cwd = await mkdtemp(join(folder, 'app-'));
    if (!isEmpty) await cp(join(folder, 'kept'), cwd, { recursive: true });
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
    const { code, stdout, stderr } = await runCli(cwd, args, { env: { TGP_MODEL: '', OPENAI_API_KEY: '' } });
    expect(code).toBeGreaterThan(0);
    const command = ['tgp', ...args].map((word) => (/^[\w./:@-]+$/.test(word) ? word : `'${word}'`)).join(' ');
    const written = Object.entries(files).flatMap(([name, content]) => [`\`${name}\``, '', block('', content), '']);
    const printed = normalised(`${stdout}${stderr}`, cwd);
    add(mistake, [...written, `\`${command}\`, exit code ${code}`, '', block('text', printed)]);
  });

  test.each(PROGRAM_MISTAKES)('$mistake', async ({ mistake, program }) => {
    const { TGP, createSqlTools, tgpTools } = core;
    const run = AsyncFunction('TGP', 'createSqlTools', 'tgpTools', 'kernel', program);
    const error = await run(TGP, createSqlTools, tgpTools, kernel).catch((/** @type {unknown} */ reason) => reason);
    expect(error).toBeDefined();
    const text = error.message.endsWith(`[${error.code}]`) ? error.message : `${error.message} [${error.code}]`;
    add(mistake, [block('js', program), '', block('text', normalised(text, folder))]);
  });

  test('are the reviewed texts', async () => {
    expect(texts.length).toBeGreaterThanOrEqual(FEWEST);
    const heading = '# Mistakes that people make, and the exact text each of them gets\n';
    await expect([heading, ...texts].join('\n')).toMatchFileSnapshot('../fixtures/person_mistakes.md');
  });
});

/** @param {string} mistake @param {string[]} lines */
function add(mistake, lines) {
  texts.push([`## ${mistake}`, '', ...lines, ''].join('\n'));
}

/** @param {string} language @param {string} text */
function block(language, text) {
  return [`\`\`\`${language}`, text.trimEnd(), '```'].join('\n');
}

/**
 * Without what differs between folders and versions of Node.
 * @param {string} text
 * @param {string} folder
 */
function normalised(text, folder) {
  return text.replaceAll(folder, '…').replace(/ \(line \d+ column \d+\)/, '');
}
