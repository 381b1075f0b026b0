/** Several processes share the cache of the graph; one may die at any time. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TGP } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { gitProject } from '../helpers/git_project.js';
import { git } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

const PROGRAM = fileURLToPath(new URL('../helpers/ingesting_program.mjs', import.meta.url));
const COMMITS = 1_500;

/** A repository with many commits, made by one `git fast-import`. */
async function longHistory() {
  const project = await gitProject();
  const parts = [];
  for (let at = 0; at < COMMITS; at++) {
    const text = `export const n${at} = ${at};\n${at % 7 === 0 ? `import './f${at % 40}.js';\n` : ''}`;
    const message = `commit ${at}`;
    parts.push(
      `commit refs/heads/main\ncommitter A <a@b> ${1_700_000_000 + at} +0000\ndata ${message.length}\n${message}\n` +
        `M 100644 inline src/f${at % 50}.ts\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
  }
  const child = spawn('git', ['-C', project.path, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(parts.join(''));
  expect(await once(child, 'close')).toEqual([0, null]);
  return project;
}

/** @param {string} rootDir @param {string} projectPath */
function ingesting(rootDir, projectPath) {
  const child = spawn(process.execPath, [PROGRAM, rootDir, projectPath], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    errors += data;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, errors, last: output.trim().split('\n').at(-1) ?? '' }));
  const ready = new Promise((resolve) => {
    child.stdout.once('data', resolve);
  });
  return { child, ended, ready };
}

/** @param {TGP} kernel @param {string} root */
async function counts(kernel, root) {
  const one = async (/** @type {string} */ query) => (await kernel.graph.query(query, {}, { root })).results[0]?.n;
  return {
    commits: await one('MATCH (c:Commit) RETURN count(c) AS n'),
    files: await one('MATCH (f:File) RETURN count(f) AS n'),
    changed: await one('MATCH (:Commit)-[r:CHANGED]->(:File) RETURN count(r) AS n'),
    imports: await one('MATCH (:File)-[r:IMPORTS]->(:File) RETURN count(r) AS n'),
  };
}

describe('the cache of the graph', () => {
  test('has the same counts after two processes at once, and after one that was killed', async () => {
    const project = await longHistory();
    const { kernel: alone } = await createKernel();
    await alone.graph.ingest({ projectPath: project.path });
    const expected = await counts(alone, project.path);
    expect(expected).toMatchObject({ commits: COMMITS, files: 50, changed: COMMITS });

    const shared = join(await tempRoot(), '.tgp');
    const both = await Promise.all([ingesting(shared, project.path).ended, ingesting(shared, project.path).ended]);
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }]);
    const { kernel: reader } = await createKernel({ rootDir: shared });
    expect(await reader.graph.ingest({ projectPath: project.path })).toMatchObject({ commitsAdded: 0 });
    expect(await counts(reader, project.path)).toEqual(expected);

    const killed = join(await tempRoot(), '.tgp');
    for (const delay of [20, 120]) {
      const { child, ready, ended } = ingesting(killed, project.path);
      await ready;
      await pause(delay);
      child.kill('SIGKILL');
      await ended;
    }
    const { kernel: after } = await createKernel({ rootDir: killed });
    await after.graph.ingest({ projectPath: project.path });
    expect(await counts(after, project.path)).toEqual(expected);
  });

  test('is rebuilt when it is damaged or missing, and closed by shutdown', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: '/** A. */\nexport default () => 1;\n' });
    const query = 'MATCH (t:Tool) RETURN t.path AS path';
    expect((await kernel.graph.query(query)).results).toEqual([{ path: 'tools/a.ts' }]);
    await kernel.shutdown();
    const folder = join(rootDir, '.git/tgp');
    const own = readdirSync(folder).filter((name) => name.startsWith('graph'));
    expect(own.filter((name) => !name.endsWith('.lock'))).toEqual(['graph.db']);
    for (const content of ['', 'this is not a database'.repeat(1000), Buffer.alloc(8192, 7)]) {
      writeFileSync(join(folder, 'graph.db'), content);
      const next = new TGP({ config: { rootDir } });
      expect((await next.graph.query(query)).results).toEqual([{ path: 'tools/a.ts' }]);
      await next.shutdown();
    }
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
  });

  test('does not exist before the first question', async () => {
    const { kernel, rootDir } = await createKernel();
    await kernel.boot();
    expect(existsSync(join(rootDir, '.git/tgp/graph.db'))).toBe(false);
    await kernel.graph.query('RETURN 1 AS one');
    expect(existsSync(join(rootDir, '.git/tgp/graph.db'))).toBe(true);
    await kernel.shutdown();
    await expect(kernel.graph.query('RETURN 1 AS one')).rejects.toMatchObject({ code: 'ERR_SHUTDOWN' });
  });
});
