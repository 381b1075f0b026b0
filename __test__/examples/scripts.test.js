/** The examples without a framework, with the packages as npm would publish them. */

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { example, filesOfExample, initialise } from '../helpers/fresh_application.js';
import { bareRemote, git } from '../helpers/git_remote.js';
import { packedApplication } from '../helpers/packed_application.js';
import { SCRIPTED_MODEL } from '../helpers/running_server.js';

const exec = promisify(execFile);
const MINUTES = 60_000;
const FORGED = 'It bills as 576 pounds (forged tools/shipping/dim_weight.ts).';
const REUSED = 'It bills as 576 pounds (reused tools/shipping/dim_weight.ts).';
const SQL_MODEL = new URL('../helpers/sql_model.mjs', import.meta.url).href;
const BETTER_SQLITE3 = fileURLToPath(new URL('../../node_modules/better-sqlite3', import.meta.url));

/**
 * A folder with nothing but installed packages, after `tgp init`.
 * @param {Record<string, string>} [more] dependencies
 */
async function initialised(more = {}) {
  const app = await packedApplication({ from: example('script') });
  for (const name of await readdir(app)) {
    if (!['node_modules', 'package.json', 'README.md'].includes(name)) await rm(join(app, name), { recursive: true });
  }
  const { scripts, dependencies, ...manifest } = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
  const { tgp: _, ...others } = scripts;
  const fresh = { ...manifest, scripts: others, dependencies: { ...dependencies, ...more } };
  await writeFile(join(app, 'package.json'), `${JSON.stringify(fresh, undefined, 2)}\n`);
  return { app, report: await initialise(app) };
}

/** @type {(app: string, model: string) => Promise<{ stdout: string, stderr: string }>} */
const runAgent = (app, model) => exec(process.execPath, ['--import', model, 'agent.mjs'], { cwd: app });

test(
  'init creates the example in an empty folder, and its script forges a tool and reuses it',
  async () => {
    const { app } = await initialised();
    expect(await filesOfExample('script', app)).toEqual(await filesOfExample('script'));
    expect(await runAgent(app, SCRIPTED_MODEL)).toEqual({ stdout: `${FORGED}\n`, stderr: '' });
    expect(await runAgent(app, SCRIPTED_MODEL)).toEqual({ stdout: `${REUSED}\n`, stderr: '' });
  },
  3 * MINUTES,
);

test(
  'init configures the installed database driver, and the tool that the agent forges reads the database',
  async () => {
    const { app, report } = await initialised({ 'better-sqlite3': '12' });
    expect(report.databases).toEqual(['better-sqlite3']);
    await symlink(BETTER_SQLITE3, join(app, 'node_modules', 'better-sqlite3'));
    const db = new BetterSqlite3(join(app, 'app.db'));
    db.exec('CREATE TABLE users (name TEXT, active INTEGER)');
    db.exec("INSERT INTO users VALUES ('Ada', 1), ('Bob', 0), ('Cyd', 1)");
    db.close();
    const { stdout, stderr } = await runAgent(app, SQL_MODEL);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toMatchObject({ success: true, result: 2 });
  },
  3 * MINUTES,
);

test(
  'the serverless function starts in an empty folder, and finds the tool of an earlier instance at the remote',
  async () => {
    const app = await packedApplication({ from: example('lambda') });
    const { folder, remote } = await bareRemote();
    const before = await readdir(app);
    const invoke = `const { handler } = await import('./handler.mjs');
      const { statusCode, body } = await handler({ body: JSON.stringify({ question: 'The weight?' }) });
      process.stdout.write(JSON.stringify({ statusCode, ...JSON.parse(body) }));`;
    const coldStart = async (/** @type {string} */ name) => {
      const TMPDIR = join(folder, name);
      await mkdir(TMPDIR);
      const { stdout, stderr } = await exec(
        process.execPath,
        ['--import', SCRIPTED_MODEL, '--input-type=module', '-e', invoke],
        { cwd: app, env: { ...process.env, TMPDIR, TOOLS_REPO: remote } },
      );
      expect(stderr).toBe('');
      return JSON.parse(stdout);
    };

    expect(await coldStart('first')).toEqual({ statusCode: 200, text: FORGED });
    expect(git(remote, 'log', '--format=%s', 'main')).toBe('Forge: tools/shipping/dim_weight.ts');
    expect(await coldStart('second')).toEqual({ statusCode: 200, text: REUSED });
    expect(git(remote, 'rev-list', '--count', 'main')).toBe('1');
    expect(await readdir(app), 'the code of the function is not written to').toEqual(before);

    const refused = `const { handler } = await import('./handler.mjs');
      const bodies = [undefined, '', '{', 'null', '{}', '{"question":7}', '{"question":""}'];
      const answers = await Promise.all(bodies.map((body) => handler({ body })));
      process.stdout.write(JSON.stringify(answers.map(({ statusCode, body }) => [statusCode, JSON.parse(body).error])));`;
    const { stdout } = await exec(process.execPath, ['--input-type=module', '-e', refused], { cwd: app });
    const error = expect.stringContaining('{ "question": "…" }');
    expect(JSON.parse(stdout)).toEqual(Array(7).fill([400, error]));
  },
  3 * MINUTES,
);
