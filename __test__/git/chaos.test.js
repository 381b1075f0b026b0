import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote, clone, filesOf, git, lockFiles, SOUND, soundness } from '../helpers/git_remote.js';
import { howOften } from '../helpers/how_often.js';

const AGENT = fileURLToPath(new URL('../helpers/git_agent.mjs', import.meta.url));
const AGENTS = howOften({ usual: 3, long: 8 });
const WRITES = howOften({ usual: 10, long: 25 });
const RIVAL_PUSHES = howOften({ usual: 5, long: 10 });
const KILLS = howOften({ usual: 4, long: 10 });
/** The latest time at which an agent is killed; the usual test ends sooner. */
const MAX_LIFE_MS = howOften({ usual: 1300, long: 3200 });

/** Runs an agent until all its writes are done, and restarts it after each kill. */
async function runToEnd(rootDir, remote, name, kills) {
  let done = 0;
  while (done < WRITES) {
    const child = spawn(process.execPath, [AGENT, rootDir, remote, name, String(done), String(WRITES)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    if (kills.left > 0) {
      kills.left -= 1;
      setTimeout(() => child.kill('SIGKILL'), 400 + Math.random() * (MAX_LIFE_MS - 400));
    }
    const [code, signal] = await once(child, 'close');
    for (const [, index] of output.matchAll(/done (\d+)\n/g)) done = Math.max(done, Number(index) + 1);
    if (signal !== 'SIGKILL' && code !== 0) throw new Error(`agent ${name} failed: ${errors}`);
  }
}

/** A person who pushes with the command line, and pulls if a push is refused. */
async function rival(folder, remote) {
  const work = clone(folder, remote);
  for (let index = 0; index < RIVAL_PUSHES; index++) {
    mkdirSync(join(work, 'docs'), { recursive: true });
    writeFileSync(join(work, `docs/r${index}.md`), `${index}`);
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', `Rival: ${index}`);
    for (;;) {
      try {
        git(work, 'push', '-q', 'origin', 'HEAD:main');
        break;
      } catch {
        git(work, 'pull', '-q', '--rebase', 'origin', 'main');
        await new Promise((done) => setTimeout(done, Math.random() * 100));
      }
    }
    await new Promise((done) => setTimeout(done, 150));
  }
}

describe(`${AGENTS} agents, a person who pushes with git, and random SIGKILLs`, () => {
  it('lose no commit', async () => {
    const { folder, remote } = await bareRemote();
    const seed = clone(folder, remote);
    git(seed, 'commit', '-q', '--allow-empty', '-m', 'Start');
    git(seed, 'push', '-q', 'origin', 'HEAD:main');
    const kills = { left: KILLS };
    const roots = Array.from({ length: AGENTS }, (_, index) => join(folder, `agent-${index}`));
    await Promise.all([
      ...roots.map((root, index) => runToEnd(root, remote, `a${index}`, kills)),
      rival(folder, remote),
    ]);

    const subjects = git(remote, 'log', '--format=%s', 'main').split('\n');
    expect(subjects.filter((subject) => subject.startsWith('Rival: '))).toHaveLength(RIVAL_PUSHES);
    const forged = subjects.filter((subject) => subject.startsWith('Forge: '));
    // A write that was killed before its answer is repeated, and may commit meta.json again.
    expect(new Set(forged).size).toBe(AGENTS * WRITES);

    const expected = {};
    for (let agent = 0; agent < AGENTS; agent++) {
      for (let index = 0; index < WRITES; index++) {
        const path = `tools/a${agent}/t${index}.ts`;
        expected[path] = `export default () => '${path}'\n`;
      }
    }
    for (let index = 0; index < RIVAL_PUSHES; index++) expected[`docs/r${index}.md`] = `${index}`;
    const fresh = filesOf(clone(folder, remote));
    expect(fresh).toEqual(expected);

    expect(git(remote, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress')).toBe('');
    expect(lockFiles(remote)).toEqual([]);
    for (const rootDir of roots) {
      const { kernel } = await createKernel({ rootDir, git: { repo: remote }, sandbox: { warm: 0 } });
      await kernel.boot();
      await kernel.shutdown();
      expect(soundness(rootDir)).toEqual(SOUND);
      expect(filesOf(rootDir)).toEqual(expected);
      expect(git(rootDir, 'rev-parse', 'HEAD')).toBe(git(remote, 'rev-parse', 'main'));
    }
  });
});

describe('SIGTERM during a push', () => {
  it('leaves no lock and a usable repository', async () => {
    const { folder, remote } = await bareRemote();
    const rootDir = join(folder, 'agent');
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [AGENT, rootDir, remote, `r${round}`, '0', '1000'], { stdio: 'pipe' });
      await once(child.stdout, 'data');
      await new Promise((done) => setTimeout(done, Math.random() * 60));
      child.kill('SIGTERM');
      const [code, signal] = await once(child, 'exit');
      expect({ code, signal }).toEqual({ code: null, signal: 'SIGTERM' });
    }
    const { tools, kernel } = await createKernel({ rootDir, git: { repo: remote } });
    expect((await tools.write_file.execute({ path: 'tools/last.ts', content: '1' })).persisted).toBe(true);
    await kernel.shutdown();
    expect(soundness(rootDir)).toEqual(SOUND);
    expect(lockFiles(remote)).toEqual([]);
  });
});
