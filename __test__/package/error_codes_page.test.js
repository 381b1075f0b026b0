/** A caller gets the codes that docs/errors.md and docs/sql.md describe. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const REFUSED = 'ERR_SECURITY_VIOLATION';
const TIMEOUT_MS = 200;

/** The entry of a code, as one line. @param {string} code */
async function entry(code) {
  const page = await readFile(join(DOCS, 'errors.md'), 'utf8');
  const [, text = ''] = page.split(`### \`${code}\``);
  return String(text.split('\n### ')[0]).replaceAll('\n', ' ');
}

/** @param {Promise<unknown>} call @returns {Promise<any>} */
const failure = (call) =>
  call.then(
    () => ({ code: 'none' }),
    (error) => error,
  );

async function kernelWithDatabase() {
  const folder = await tempRoot();
  const config = {
    rootDir: join(folder, '.tgp'),
    memory: /** @type {const} */ ('off'),
    allowedFetchUrls: ['http://127.0.0.1:1/'],
    sandbox: { timeoutMs: TIMEOUT_MS },
  };
  // With readOnly a missing file is not created.
  await writeFile(join(folder, 'a.db'), '');
  const kernel = new TGP({ config, sql: { source: sqlite(join(folder, 'a.db')) } });
  const run = async (/** @type {string} */ content) => {
    await tgpTools(kernel).write_file.execute({ path: 'tools/a.ts', content });
    return failure(kernel.exec('tools/a.ts'));
  };
  return { kernel, run };
}

describe('SQL', () => {
  test('a refused statement is a violation; one that the database rejects, or that cannot be parsed, is ERR_SQL', async () => {
    const { kernel, run } = await kernelWithDatabase();
    const { exec_sql } = createSqlTools(kernel, { readOnly: true });
    for (const sql of [
      'COMMIT',
      'SELECT 1; SELECT 2',
      "ATTACH 'x' AS y",
      'CREATE TABLE t (n INTEGER)',
      'INSERT INTO t VALUES (1)',
    ]) {
      const { code, details } = await failure(exec_sql.execute({ sql }));
      expect({ sql, code, reason: details?.reason }).toEqual({ sql, code: REFUSED, reason: 'refused' });
    }
    expect(await failure(exec_sql.execute({ sql: 'SELECT * FROM nowhere' }))).toMatchObject({
      code: 'ERR_SQL',
      details: { reason: 'database', databaseCode: expect.any(String) },
    });
    expect(await failure(exec_sql.execute({ sql: 'SELEC 1' }))).toMatchObject({
      code: 'ERR_SQL',
      details: { reason: 'unreadable' },
    });
    const caught =
      "export default async () => { try { await tgp.exec_sql('COMMIT'); } catch { /* As if nothing was. */ } };";
    expect(await run(caught)).toMatchObject({ code: 'ERR_SQL', details: { reason: 'swallowed' } });
    await kernel.shutdown();
  });

  test('the pages describe this', async () => {
    const page = (await readFile(join(DOCS, 'sql.md'), 'utf8')).replaceAll('\n', ' ');
    expect(page).toContain(`What is refused is \`${REFUSED}\``);
    expect(await entry('ERR_SQL')).toMatch(/refused before it reaches the database is `ERR_SECURITY_VIOLATION`/);
    expect(await entry(REFUSED)).toMatch(/a statement that the rules for SQL refuse/);
  });
});

describe('fetch', () => {
  test('an address that is not allowed is a violation, one that does not answer is ERR_FETCH', async () => {
    const { kernel, run } = await kernelWithDatabase();
    const fetches = (/** @type {string} */ url) => `export default async () => (await fetch('${url}')).status;`;
    expect(await run(fetches('https://elsewhere.example/'))).toMatchObject({
      code: REFUSED,
      details: { name: 'TypeError' },
    });
    expect(await run(fetches('http://127.0.0.1:1/'))).toMatchObject({
      code: 'ERR_FETCH',
      details: { name: 'TypeError' },
    });
    expect(await run(fetches('ftp://127.0.0.1/'))).toMatchObject({ code: 'ERR_FETCH' });
    await kernel.shutdown();
  });

  test('the page describes this', async () => {
    expect(await entry('ERR_FETCH')).toMatch(/not in `allowedFetchUrls` is `ERR_SECURITY_VIOLATION`/);
    expect(await entry(REFUSED)).toMatch(/an address that is not in `allowedFetchUrls`/);
  });
});

test('the details of a timeout have the position of the tool, as the page describes', async () => {
  const { kernel, run } = await kernelWithDatabase();
  const { code, details } = await run('export default () => {\n  let n = 0;\n  for (;;) n += 1;\n};');
  expect(code).toBe('ERR_ISOLATE_TIMEOUT');
  // The position may be unknown.
  if (details.line !== undefined) expect(details).toMatchObject({ file: 'tools/a.ts', line: 3 });
  expect(await entry('ERR_ISOLATE_TIMEOUT')).toMatch(/in `details` \(`file`, `line`, `column`\)/);
  await kernel.shutdown();
});
