import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { database } from '../../dist/cli/doctor/doctor_database.js';
import { hasServer } from '../../tools/database_server.mjs';
import { runCli } from '../../tools/run_cli.mjs';
import { find, problems } from '../helpers/doctor_report.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { ownDatabase } from '../helpers/shared_servers.js';
import { tempRoot } from '../helpers/temp_root.js';

describe('tgp doctor, remote', () => {
  const examine = async (/** @type {object} */ config) => {
    const folder = await tempRoot();
    await writeFile(join(folder, 'tgp.config.json'), JSON.stringify(config));
    const { code, ...printed } = await runCli(folder, ['doctor', '--json']);
    expect(await readdir(folder), 'nothing was cloned').toEqual(['tgp.config.json']);
    return { code, ...find(printed.json(), 'Remote') };
  };

  test('reports an empty remote, one with the branch, and one with another branch', async () => {
    const { folder, remote } = await bareRemote();
    expect(await examine({ git: { repo: remote } })).toMatchObject({ status: 'ok', detail: 'reachable, empty' });
    const tree = clone(folder, remote);
    git(tree, 'commit', '-q', '--allow-empty', '-m', 'First');
    git(tree, 'push', '-q', 'origin', 'HEAD:main');
    const found = await examine({ git: { repo: remote } });
    expect(found).toMatchObject({ status: 'ok', detail: 'reachable, has the branch main' });
    const other = await examine({ git: { repo: remote, branch: 'tools' } });
    expect(other).toMatchObject({ code: 0, status: 'warning', remedy: expect.stringContaining('git.branch') });
  });

  test('reports an unreachable remote', async () => {
    for (const repo of ['./none.git', 'http://127.0.0.1:9/tools.git']) {
      const found = await examine({ git: { repo } });
      expect(found).toMatchObject({ code: 1, status: 'problem', remedy: expect.stringContaining('TGP_GIT_TOKEN') });
    }
  });
});

describe('tgp doctor, network: reports a problem once, under Config', () => {
  const none = { network: { ca: './none.pem' } };
  /** @type {[string, object, string][]} */
  const wrong = [
    ['a proxy, without a remote', { network: { proxy: 'x' } }, 'network.proxy is not a URL'],
    ['certificates, without a remote', none, 'network.ca cannot be read'],
    ['certificates, with a remote', { ...none, git: { repo: './tools.git' } }, 'network.ca cannot be read'],
  ];
  test.each(wrong)('%s', async (_, config, why) => {
    const folder = await tempRoot();
    await writeFile(join(folder, 'tgp.config.json'), JSON.stringify(config));
    const { code, ...printed } = await runCli(folder, ['doctor', '--json']);
    expect(code).toBe(1);
    const found = find(printed.json(), 'Config');
    expect(found).toMatchObject({ status: 'problem', remedy: expect.stringContaining(why) });
    expect(JSON.stringify(found)).not.toMatch(/git\.repo|TOKEN/);
    expect(problems(printed.json())).toEqual(['Config']);
  });
});

describe('tgp doctor, database', () => {
  const examine = async (/** @type {Record<string, string>} */ dependencies, /** @type {string} */ url = '') => {
    const folder = await tempRoot();
    await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies }));
    const modules = join(folder, 'node_modules');
    await mkdir(modules);
    for (const name of Object.keys(dependencies)) {
      const from = fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url));
      if (existsSync(from)) await symlink(from, join(modules, name));
    }
    process.env.DATABASE_URL = url.replace('FOLDER', folder);
    const here = process.cwd();
    process.chdir(folder);
    try {
      return await database();
    } finally {
      process.chdir(here);
      delete process.env.DATABASE_URL;
    }
  };

  test.each(
    /** @type {[string, Record<string, string>, string, string, string][]} */ ([
      ['no driver', {}, '', 'ok', 'embedded SQLite'],
      ['a driver', { pg: '8' }, '', 'ok', 'pg'],
      ['a driver that is not installed', { '@prisma/client': '6' }, '', 'problem', '@prisma/client'],
      [
        'an unreachable server',
        { pg: '8' },
        'postgres://u:hidden@127.0.0.1:9/x',
        'problem',
        'pg cannot connect to 127.0.0.1:9',
      ],
      ['an unreachable server', { mysql2: '3' }, 'mysql://u:hidden@127.0.0.1:9/x', 'problem', 'mysql2 cannot connect'],
      [
        'an unreachable server',
        { postgres: '3' },
        'postgres://u:hidden@127.0.0.1:9/x',
        'problem',
        'postgres cannot connect',
      ],
      ['a missing driver', {}, 'postgres://u:hidden@127.0.0.1:9/x', 'warning', 'requires pg or postgres'],
      ['an unsupported database', { pg: '8' }, 'mongodb://127.0.0.1/x', 'warning', 'unknown protocol'],
      ['a missing file', {}, 'file:FOLDER/none.db', 'warning', 'does not exist yet'],
    ]),
  )('%s: %j %s', async (_, dependencies, url, status, detail) => {
    const found = await examine(dependencies, url);
    expect(found).toMatchObject({ status, detail: expect.stringContaining(detail) });
    expect(JSON.stringify(found)).not.toContain('hidden');
    if (status !== 'ok') expect(found.remedy?.length).toBeGreaterThan(10);
  });

  test('a missing database file of the config is named and not created', async () => {
    const folder = await tempRoot();
    const index = new URL('../../index.js', import.meta.url).href;
    const config = `import { sqlite } from ${JSON.stringify(index)};\nexport default { sql: sqlite('shpo.db') };\n`;
    await writeFile(join(folder, 'tgp.config.mjs'), config);
    const printed = await runCli(folder, ['doctor', '--json']);
    expect(find(printed.json(), 'Database')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('shpo.db does not exist yet'),
    });
    expect(await readdir(folder)).toEqual(['tgp.config.mjs']);
  });

  test('a file that is not a database is a problem', async () => {
    const folder = await tempRoot();
    const file = join(folder, 'app.db');
    await writeFile(file, 'no database');
    const { code, ...printed } = await runCli(folder, ['doctor', '--json'], { env: { DATABASE_URL: `file:${file}` } });
    expect(code).toBe(1);
    expect(find(printed.json(), 'Database')).toMatchObject({ status: 'problem', detail: 'ERR_SQL' });
  });

  test.skipIf(!hasServer('postgres'))('a reachable PostgreSQL server is ok', async () => {
    const { port, settings, stop } = await ownDatabase('postgres');
    onTestFinished(stop);
    const found = await examine({ pg: '8' }, `postgres://${settings.user}@127.0.0.1:${port}/${settings.database}`);
    expect(found).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^pg is connected to /) });
  });
});
