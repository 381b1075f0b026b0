/** `kill -9` at any moment of a session: after it is resumed, every effect has happened exactly once. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { bareRemote, git } from '../helpers/git_remote.js';
import { howOften } from '../helpers/how_often.js';
import { serveHttp } from '../helpers/http_server.js';
import { tempRoot } from '../helpers/temp_root.js';

const PROGRAM = fileURLToPath(new URL('../helpers/killed_agent.mjs', import.meta.url));
const EFFECTS = 18;
const KILLS = howOften({ usual: 3, long: 50 });
/** A session takes about two seconds. */
const MAX_LIFE_MS = 900;

async function world() {
  const folder = await tempRoot();
  const { remote } = await bareRemote();
  /** @type {Map<string, number>} */
  const posted = new Map();
  const { url: server } = await serveHttp((request, response) => {
    const n = request.url?.split('/').at(-1) ?? '';
    if (request.method === 'POST') posted.set(n, (posted.get(n) ?? 0) + 1);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ found: posted.get(n) ?? 0 }));
  });
  const database = new BetterSqlite3(join(folder, 'effects.db'));
  database.pragma('journal_mode = WAL');
  database.exec('CREATE TABLE effects (n INTEGER)');
  onTestFinished(() => void database.close());
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp'), git: { repo: remote } } });
  await tgpTools(kernel).write_file.execute({ path: 'tools/log.md', content: 'END\n' });
  await kernel.shutdown();
  return { folder, remote, server, posted, database };
}

/**
 * @param {Awaited<ReturnType<typeof world>>} where
 * @param {string} session
 * @param {boolean} resume
 * @param {number} [lifeMs] time after which the process is killed
 */
async function runAgent({ folder, remote, server }, session, resume, lifeMs) {
  const options = JSON.stringify({ folder, remote, server, session, resume, effects: EFFECTS });
  const child = spawn(process.execPath, [PROGRAM, options], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  /** @type {string[]} */
  const lines = [];
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (line === 'started' && lifeMs !== undefined) setTimeout(() => child.kill('SIGKILL'), lifeMs);
  });
  const [code, signal] = await once(child, 'close');
  if (signal === null && code !== 0) throw new Error(`${code}: ${errors}`);
  return { lines, isKilled: signal === 'SIGKILL' };
}

test(`${KILLS} killed sessions have every effect exactly once after they are resumed`, {
  timeout: 1_800_000,
}, async () => {
  let kills = 0;
  for (let sessions = 0; kills < KILLS; sessions++) {
    const where = await world();
    const session = `s${sessions}`;
    /** @type {string[]} */
    const output = [];
    for (let lives = 0; ; lives++) {
      // The last process is not killed.
      const isLast = kills >= KILLS || lives > 8;
      const { lines, isKilled } = await runAgent(
        where,
        session,
        lives > 0,
        isLast ? undefined : Math.random() * MAX_LIFE_MS,
      );
      output.push(...lines);
      if (!isKilled) break;
      kills += 1;
    }
    const end = JSON.parse(output.at(-1) ?? '{}');
    expect(end, output.join('\n')).toMatchObject({ outcome: 'done', text: 'All is done.' });

    const log = git(where.remote, 'show', 'main:tools/log.md').split('\n');
    const lines = log.filter((line) => line.startsWith('line '));
    const numbers = (/** @type {number} */ kind) =>
      Array.from({ length: EFFECTS }, (_, n) => n).filter((n) => n % 3 === kind);
    expect(lines.toSorted(), output.join('\n')).toEqual(
      numbers(0)
        .map((n) => `line ${n}.`)
        .toSorted(),
    );
    const commits = git(where.remote, 'log', '--format=%B', 'main')
      .split('\n')
      .filter((line) => line.includes('effect '));
    expect(commits.map((line) => /effect (\d+)\./.exec(line)?.[1]).toSorted()).toEqual(
      numbers(0).map(String).toSorted(),
    );
    const rows = where.database.prepare('SELECT n FROM effects ORDER BY n').all();
    expect(
      rows.map((/** @type {any} */ { n }) => n),
      output.join('\n'),
    ).toEqual(numbers(1));
    expect(
      [...where.posted].toSorted(([one], [other]) => Number(one) - Number(other)),
      output.join('\n'),
    ).toEqual(numbers(2).map((n) => [String(n), 1]));
    const kernel = new TGP({ config: { rootDir: join(where.folder, '.tgp') } });
    expect((await kernel.ledger.verify()).problem).toBeUndefined();
    await kernel.shutdown();
  }
});
