import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqlite, TGP } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { TOOLS } from '../helpers/dry_run_tools.js';
import { fingerprint, git } from '../helpers/folder_fingerprint.js';
import { serveHttp } from '../helpers/http_server.js';
import { ownDatabase } from '../helpers/shared_servers.js';
import { tempRoot } from '../helpers/temp_root.js';

const SCHEMA = [
  'CREATE TABLE accounts (id INT PRIMARY KEY, name VARCHAR(50), balance INT)',
  'CREATE TABLE events (id INT PRIMARY KEY, what VARCHAR(100))',
  "INSERT INTO accounts VALUES (1, 'Ada', 10), (2, 'Bob', 20), (3, 'Cyd', 300), (4, 'Dee', 400)",
];

/**
 * @typedef {object} Database
 * @property {any} source
 * @property {(sql: string) => Promise<any[]>} query without the kernel
 * @property {() => unknown} close
 */

/** @type {Record<string, () => Promise<Database>>} */
const DATABASES = {
  sqlite: async () => {
    const file = join(await tempRoot(), 'test.db');
    const direct = new BetterSqlite3(file);
    for (const sql of SCHEMA) direct.exec(sql);
    const source = sqlite({ file });
    const close = async () => {
      direct.close();
      await source.close?.();
    };
    return {
      source,
      close,
      query: async (sql) =>
        direct
          .prepare(sql)
          .all()
          .map((row) => ({ ...row })),
    };
  },
  postgres: async () => {
    const server = await ownDatabase('postgres');
    const pool = new pg.Pool({ ...server.settings, max: 4 });
    pool.on('error', () => {});
    for (const sql of SCHEMA) await pool.query(sql);
    const close = async () => {
      await pool.end();
      await server.stop();
    };
    return { source: pool, close, query: async (sql) => (await pool.query(sql)).rows };
  },
  mariadb: async () => {
    const server = await ownDatabase('mariadb');
    const direct = await mysql.createConnection(server.settings);
    for (const sql of SCHEMA) await direct.query(sql);
    const pool = mysql.createPool({ ...server.settings, connectionLimit: 4 });
    const close = async () => {
      await pool.end();
      await direct.end();
      await server.stop();
    };
    return { source: pool, close, query: async (sql) => /** @type {any[]} */ ((await direct.query(sql))[0]) };
  },
};

/** @param {any} source */
async function application(source) {
  const base = await tempRoot();
  const rootDir = join(base, '.tgp');
  const out = join(base, 'out');
  /** @type {string[]} */
  const requests = [];
  const { url } = await serveHttp((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => response.end(request.url === '/rate' ? '1.5' : 'ok'));
  });
  mkdirSync(out);
  writeFileSync(join(out, 'kept.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(out, 'log.txt'), 'first\n');
  git(out, 'init', '-q');
  git(out, 'add', '.');
  git(out, 'commit', '-qm', 'before');
  mkdirSync(join(rootDir, 'tools/dry'), { recursive: true });
  for (const { name, code } of TOOLS) {
    writeFileSync(join(rootDir, `tools/dry/${name}.ts`), code.replaceAll('SERVER', url));
  }
  /** @type {any[][]} */
  const sent = [];
  const config = { rootDir: '.tgp', check: 'off', fs: { allowedDirs: ['./out'] }, allowedFetchUrls: [`${url}/`] };
  writeFileSync(join(base, 'tgp.config.json'), JSON.stringify(config));
  const kernel = new TGP({
    configFile: join(base, 'tgp.config.json'),
    sql: source,
    sandboxAPI: {
      send: async (/** @type {any[]} */ ...args) => {
        sent.push(args);
        return 'sent';
      },
      lookup: {
        description: 'Finds a customer.',
        readOnly: true,
        execute: async (/** @type {any} */ args) => ({ name: `customer ${args.id}` }),
      },
    },
  });
  onTestFinished(() => kernel.shutdown());
  await kernel.boot();
  return { kernel, rootDir, out, requests, sent };
}

const ROWS = ['SELECT * FROM accounts ORDER BY id', 'SELECT * FROM events ORDER BY id'];
const changes = (/** @type {string} */ request) => !/^(GET|HEAD) /.test(request);

describe.each(['sqlite', 'postgres', 'mariadb'])('%s', (name) => {
  const isThere = name === 'sqlite' || hasServer(/** @type {'postgres' | 'mariadb'} */ (name));

  it.skipIf(!isThere)('thirty tools: the preview equals the effects of the real run, and changes nothing', async () => {
    const { source, query, close } = await /** @type {() => Promise<Database>} */ (DATABASES[name])();
    onTestFinished(close);
    const { kernel, rootDir, out, requests, sent } = await application(source);
    const rows = async () => [await query(ROWS[0] ?? ''), await query(ROWS[1] ?? '')];
    expect(TOOLS.length).toBe(30);
    for (const { name: tool, args = {}, stops } of TOOLS) {
      const path = `tools/dry/${tool}.ts`;
      const before = { root: fingerprint(rootDir), out: fingerprint(out), rows: await rows(), sent: [...sent] };
      requests.length = 0;
      const preview = await kernel.exec(path, args, { dryRun: true });
      const again = await kernel.exec(path, args, { dryRun: true });
      expect(again, tool).toEqual(preview);
      const after = { root: fingerprint(rootDir), out: fingerprint(out), rows: await rows(), sent: [...sent] };
      expect(after, tool).toEqual(before);
      expect(requests.filter(changes), tool).toEqual([]);

      requests.length = 0;
      const real = await kernel.exec(path, args);
      git(out, 'add', '-AN', '.');
      expect(preview.diffs.map(({ diff }) => diff).join(''), tool).toBe(
        git(out, 'diff', '--src-prefix=a/out/', '--dst-prefix=b/out/'),
      );
      git(out, 'add', '-A');
      git(out, 'commit', '-q', '--allow-empty', '-m', tool);
      expect(
        preview.requests.map(({ method, url }) => `${method} ${new URL(url).pathname}${new URL(url).search}`),
      ).toEqual(requests.filter(changes));
      expect(preview.calls, tool).toEqual(
        sent.slice(before.sent.length).map((given) => ({ name: 'send', args: given })),
      );
      if (stops) expect(preview).toMatchObject({ stopped: { code: 'ERR_SECURITY_VIOLATION' } });
      else expect(preview.result, tool).toEqual(real.result);
      const changed = preview.sql.reduce((sum, { affected }) => sum + affected, 0);
      expect(changed, tool).toBe(differing(before.rows, await rows()));
    }
  });
});

/**
 * The number of rows that differ between two states.
 * @param {any[][]} before
 * @param {any[][]} after
 */
function differing(before, after) {
  const keyed = (/** @type {any[][]} */ tables) =>
    new Map(tables.flatMap((rows, table) => rows.map((row) => [`${table}:${row.id}`, JSON.stringify(row)])));
  const [old, now] = [keyed(before), keyed(after)];
  const keys = new Set([...old.keys(), ...now.keys()]);
  return [...keys].filter((key) => old.get(key) !== now.get(key)).length;
}

it('a tool that fails has a preview that fails with the same error', async () => {
  const { kernel } = await createKernel();
  await expect(kernel.run("throw new Error('mine');", {}, { dryRun: true })).rejects.toMatchObject({
    code: 'ERR_TOOL_THROWN',
    message: 'mine',
  });
  await expect(kernel.exec('tools/none.ts', {}, { dryRun: true })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
});

it('a dry run times out too, also after a refused call', async () => {
  const { kernel } = await createKernel({}, { sandboxAPI: { send: async () => 'sent' } });
  const code = 'try { await tgp.send(1); } catch { for (;;); }';
  await expect(kernel.run(code, {}, { dryRun: true })).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
});

it('allowed folders with absolute paths: the preview equals git diff', async () => {
  const root = await tempRoot();
  const folder = join(root, 'data');
  const { kernel } = await createKernel({ fs: { allowedDirs: [folder] } });
  const preview = await kernel.run(`await tgp.write_file('${folder}/a.txt', 'x\\n');`, {}, { dryRun: true });
  expect(existsSync(folder)).toBe(false);
  expect(preview.diffs).toMatchObject([{ path: `${folder}/a.txt` }]);
  await kernel.run(`await tgp.write_file('${folder}/a.txt', 'x\\n');`);
  // Outside of any repository: in one, git shortens hashes by the number of its objects.
  const diff = ['diff', '--no-index', '/dev/null', `${folder}/a.txt`];
  const { stdout } = spawnSync('git', diff, { cwd: root, encoding: 'utf8' });
  expect(preview.diffs[0]?.diff).toBe(stdout);
});

it('a forbidden request is refused as in a real run, and not listed', async () => {
  const { kernel } = await createKernel();
  const code =
    "let text = ''; try { await fetch('https://example.org/x', { method: 'POST' }); } catch (error) { text = String(error); } return text;";
  const preview = await kernel.run(code, {}, { dryRun: true });
  expect(preview.requests).toEqual([]);
  expect(preview.result).toBe((await kernel.run(code)).result);
});

it('a preview shows the placeholder of a secret, not its value', async () => {
  const { kernel } = await createKernel(
    { secrets: { KEY: { value: 'sesame-open-1234', functions: ['send'] } } },
    { sandboxAPI: { send: async () => 'sent' } },
  );
  const preview = await kernel.run(
    "try { await tgp.send('{{secret:KEY}}'); } catch { return 1; }",
    {},
    { dryRun: true },
  );
  expect(preview.calls).toEqual([{ name: 'send', args: ['{{secret:KEY}}'] }]);
  expect(JSON.stringify(preview)).not.toContain('sesame');
});

it('a run that a function starts is part of the dry run that called it; a real run cannot start a dry one', async () => {
  /** @type {import('../../index.js').TGP} */
  let kernel;
  /** @type {string[]} */
  const sent = [];
  ({ kernel } = await createKernel(
    {},
    {
      sandboxAPI: {
        send: async (/** @type {string} */ text) => {
          sent.push(text);
        },
        again: {
          readOnly: true,
          execute: async (/** @type {any} */ options) =>
            kernel.run("try { await tgp.send('inner'); } catch { return 'held'; }", {}, options),
        },
      },
    },
  ));
  const preview = await kernel.run('return (await tgp.again()).result;', {}, { dryRun: true });
  expect(preview).toMatchObject({ result: 'held', calls: [{ name: 'send', args: ['inner'] }] });
  expect(sent).toEqual([]);
  await expect(kernel.run('return tgp.again({ dryRun: true });')).rejects.toThrow(/cannot be previewed here/);
  expect(sent).toEqual([]);
});

it('calls are listed up to a limit, and counted beyond it', async () => {
  const { kernel } = await createKernel({}, { sandboxAPI: { send: async () => 'sent' } });
  const code = 'for (let i = 0; i < 1500; i++) { try { await tgp.send(i); } catch { continue; } } return 1;';
  const preview = await kernel.run(code, {}, { dryRun: true, timeoutMs: 10_000 });
  expect(preview.calls.length).toBe(1000);
  expect(preview.text).toContain('- and 1480 more');
  expect(preview.text.length).toBeLessThan(13_000);
});
