import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { IS_LONG } from '../helpers/how_often.js';

const MACHINE = fileURLToPath(new URL('../helpers/writing_machine.mjs', import.meta.url));
const MACHINES = 4;
/** Counted writes. Counting starts after one write of each machine: before, the first machine does not know of the others. */
const HTTP_WRITES = 1000;
/**
 * Some dozens of turns of several writes. Fewer than over HTTP: each push adds a pack to the remote, and a fetch reads all packs.
 */
const PATH_WRITES = 400;
/** The least share of the remote's writes for each of four machines. */
const MIN_SHARE = 0.15;
const WAYS = /** @type {const} */ (
  IS_LONG
    ? [
        ['http', HTTP_WRITES],
        ['path', PATH_WRITES],
      ]
    : [['path', PATH_WRITES]]
);

/**
 * @param {string} rootDir
 * @param {string} repo
 * @param {string} name
 */
function machine(rootDir, repo, name) {
  const child = spawn(process.execPath, [MACHINE, rootDir, repo, name], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: createInterface(child.stdout) };
}

describe('four machines that write to one remote without pauses', () => {
  it.each(WAYS)('each get a fair share, by %s', async (way, writes) => {
    const { folder, remote } = await bareRemote();
    const seed = clone(folder, remote);
    git(seed, 'commit', '-q', '--allow-empty', '-m', 'Start');
    git(seed, 'push', '-q', 'origin', 'HEAD:main');
    git(remote, 'config', 'http.receivepack', 'true');
    const repo = way === 'path' ? remote : `${(await gitHttpServer(folder)).url}/remote.git`;
    const machines = Array.from({ length: MACHINES }, (_, index) =>
      machine(join(folder, `machine-${index}`), repo, `m${index}`),
    );
    const firstWrites = Array(MACHINES).fill(0);
    const shares = Array(MACHINES).fill(0);
    const others = /** @type {string[]} */ ([]);
    await new Promise((done) => {
      let ready = 0;
      for (const [index, { lines }] of machines.entries()) {
        lines.on('line', (line) => {
          if (line === 'ready') {
            ready += 1;
            if (ready === MACHINES) for (const { child } of machines) child.stdin.write('\n');
          } else if (line !== 'true') others.push(line);
          else if (firstWrites.includes(0)) firstWrites[index] += 1;
          else if (shares.reduce((sum, share) => sum + share) < writes) shares[index] += 1;
          else done(undefined);
        });
      }
    });
    console.info(`${way}: ${firstWrites.join(', ')} writes until each had one, then ${shares.join(', ')}`);
    expect(others).toEqual([]);
    expect(Math.min(...shares) / writes, shares.join(', ')).toBeGreaterThanOrEqual(MIN_SHARE);
  });
});

describe('a push that loses the race', () => {
  it('leaves no objects in a path remote', async () => {
    const { folder, remote } = await bareRemote();
    const seed = clone(folder, remote);
    for (const number of Array(20).keys()) {
      await writeFile(join(seed, `file-${number}`), `${number}`);
      git(seed, 'add', '.');
      git(seed, 'commit', '-q', '-m', `File ${number}`);
    }
    git(seed, 'push', '-q', 'origin', 'HEAD:main');
    const machines = await Promise.all(
      ['first', 'second'].map((name) => createKernel({ rootDir: join(folder, name), git: { repo: remote } })),
    );
    for (const { kernel } of machines) await kernel.boot();
    for (const [index, { tools }] of machines.entries()) {
      const content = `export default async function named() { return ${index} }`;
      const written = await tools.write_file.execute({ path: `tools/of/named_${index}.ts`, content });
      expect(written).toMatchObject({ persisted: true });
    }
    const [, count, packed] = /^count: (\d+)\n.*\nin-pack: (\d+)/s.exec(git(remote, 'count-objects', '-v')) ?? [];
    const reachable = git(remote, 'rev-list', '--objects', '--all').split('\n').length;
    expect(Number(count) + Number(packed), `objects at the remote, ${reachable} of them in use`).toBe(reachable);
    expect(git(remote, 'rev-list', '--count', 'main')).toBe('22');
  });
});
