import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { longHistory } from '../../tools/long_history.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { git } from '../helpers/git_remote.js';
import { howOften } from '../helpers/how_often.js';
import { tempRoot } from '../helpers/temp_root.js';

const FILE = 'tools/group_7/tool_19.ts';

/** @param {string} folder */
const historyOf = (folder) => git(folder, 'log', '--format=%H', '--', FILE).split('\n');

describe('the first boot from a remote with a long history', () => {
  test.each(['a path', 'HTTP'])('fetches the whole history, by %s', { timeout: 300_000 }, async (way) => {
    const remote = join(await tempRoot(), 'remote.git');
    await longHistory(remote, howOften({ usual: 700, long: 50_000 }));
    // The newest commits are loose objects, as after pushes.
    const person = await createKernel({ git: { repo: remote } });
    await person.tools.patch_file.execute({ path: FILE, search: 'let total = 0', replace: 'let total = 1' });
    await person.kernel.shutdown();
    const repo = way === 'HTTP' ? `${(await gitHttpServer(dirname(remote))).url}/${basename(remote)}` : remote;
    const { kernel, tools, rootDir } = await createKernel({ git: { repo } });
    await kernel.boot();
    expect(git(rootDir, 'rev-parse', '--is-shallow-repository')).toBe('false');
    expect(git(rootDir, 'rev-list', '--objects', 'main')).toBe(git(remote, 'rev-list', '--objects', 'main'));
    expect(git(rootDir, 'fsck', '--full', '--strict')).toBe('');
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
    expect(readFileSync(join(rootDir, FILE), 'utf8').trim()).toBe(git(remote, 'show', `main:${FILE}`));
    const history = await tools.file_history.execute({ path: FILE, limit: 100 });
    expect(history.map(({ commit }) => commit)).toEqual(historyOf(remote).slice(0, 100));
    await tools.patch_file.execute({ path: FILE, search: 'let total = 1', replace: 'let total = 2' });
    expect(git(remote, 'show', `main:${FILE}`)).toContain('let total = 2');
    expect(historyOf(rootDir)).toEqual(historyOf(remote));
  });
});
