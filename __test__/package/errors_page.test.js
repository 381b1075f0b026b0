/** docs/errors.md has an entry for every code, and for no other. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ERROR_CLASSES } from '../../dist/boundary/errors.js';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(join(ROOT, 'docs', 'errors.md'), 'utf8');
/** From a code to the class and the text of its entry. */
const entries = new Map(
  [...page.matchAll(/^### `(ERR_\w+)` \(`(\w+)`\)\n\n([\s\S]*?)(?=^##|$(?![\s\S]))/gm)].map(([, code, name, text]) => [
    String(code),
    { name, text: String(text) },
  ]),
);
/** The length of the shortest entry with a cause and a solution. */
const MIN_LENGTH = 80;

test('every code of the types has an entry, under the name of its class', async () => {
  const types = await readFile(join(ROOT, 'js', 'types', 'errors.ts'), 'utf8');
  const codes = [...(types.split(';')[0] ?? '').matchAll(/'(ERR_\w+)'/g)].map((match) => String(match[1]));
  expect(codes.length).toBeGreaterThan(20);
  expect([...entries.keys()].sort()).toEqual(codes.sort());
  const classes = Object.entries(ERROR_CLASSES).map(([code, each]) => [code, each.name]);
  expect([...entries].map(([code, { name }]) => [code, name]).sort()).toEqual(classes.sort());
});

test.each([...entries])('%s has an entry with cause and solution', (_, { text }) => {
  expect(text.length).toBeGreaterThan(MIN_LENGTH);
});

test.each([
  ['errors.md', 'tools/missing.ts'],
  ['sql.md', ''],
])('the program of docs/%s runs unchanged', async (name, output) => {
  const text = await readFile(join(ROOT, 'docs', name), 'utf8');
  const [, program] = /^```ts\n([\s\S]*?)^```/m.exec(text) ?? [];
  const folder = await tempRoot();
  await mkdir(join(folder, 'node_modules', '@tgp'), { recursive: true });
  await symlink(ROOT, join(folder, 'node_modules', '@tgp', 'core'));
  // The part that the page omits: the agent uses its tools, and a tool its database.
  const used = `
    await agentTools.write_file.execute({ path: 'tools/a.ts', content: \`export default async () => {
      await tgp.exec_sql('CREATE TABLE t (n INTEGER)');
      await tgp.exec_sql('INSERT INTO t VALUES (?)', [42]);
    }\` });
    await kernel.exec('tools/a.ts');
    console.log(JSON.stringify(await agentTools.exec_sql.execute({ sql: 'SELECT n FROM t' })));
    await kernel.shutdown();`;
  await writeFile(join(folder, 'program.mjs'), name === 'sql.md' ? `${program}${used}` : String(program));
  const { stdout } = await exec(process.execPath, ['program.mjs'], { cwd: folder });
  if (name === 'sql.md') expect(stdout).toContain('42');
  else expect(stdout).toContain(output);
});
