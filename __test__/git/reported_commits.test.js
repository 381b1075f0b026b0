import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { howOften } from '../helpers/how_often.js';

const PROCESS = fileURLToPath(new URL('../helpers/sharing_process.mjs', import.meta.url));
const WRITES = howOften({ usual: 3, long: 25 });
const run = promisify(execFile);

describe('two processes on one root, and one on another', () => {
  it('report the commit of each write', async () => {
    const { folder, remote } = await bareRemote();
    const seed = clone(folder, remote);
    git(seed, 'commit', '-q', '--allow-empty', '-m', 'Start');
    git(seed, 'push', '-q', 'origin', 'HEAD:main');
    const roots = ['shared', 'shared', 'other'].map((name) => join(folder, name));
    const outputs = await Promise.all(
      roots.map((root, index) => run(process.execPath, [PROCESS, root, remote, `p${index}`, String(WRITES)])),
    );
    const writes = outputs.flatMap(({ stdout }) =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    expect(writes).toHaveLength(roots.length * WRITES * 3);
    for (const { path, content, persisted, commit } of writes) {
      expect({ path, persisted }).toEqual({ path, persisted: true });
      expect(git(remote, 'show', '--format=%s', '--name-only', commit).split('\n')).toEqual(
        expect.arrayContaining([`Forge: ${path}`, path]),
      );
      expect(`${git(remote, 'show', `${commit}:${path}`)}\n`).toBe(content);
    }
  });
});
