/** The generated history that judges the graph, compared with the `git` command line. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { git } from '../helpers/git_remote.js';
import { trails } from '../helpers/history_model.js';
import { howOften } from '../helpers/how_often.js';
import { keptFolder } from '../helpers/kept_folder.js';
import { toolHistory } from '../helpers/tool_history.js';

const SIZES = { tools: howOften({ usual: 60, long: 1000 }), commits: howOften({ usual: 300, long: 5000 }), seed: 7 };
const STATUS = { A: 'added', M: 'modified', D: 'deleted', R: 'renamed' };

const folder = keptFolder();
/** @type {import('../helpers/history_model.js').HistoryModel} */
let history;
beforeAll(async () => {
  history = await toolHistory(join(folder(), 'repository'), SIZES);
});

/** @param {import('../helpers/history_model.js').Change[]} changes */
const texts = (changes) => changes.map(({ status, path, from }) => `${status} ${from ?? ''} ${path}`).sort();

/** The commits of `git log`, with their changes, oldest first. */
function logOfGit() {
  const options = ['--name-status', '-M50%', '-l0', '-c', '--reverse', '--topo-order', '--root'];
  const log = git(history.folder, 'log', ...options, '--format=%x01%H%x02%an%x02%at%x02%s%x02%P%x02');
  return log
    .split('\u0001')
    .slice(1)
    .map((text) => {
      const [hash = '', author, time, subject, parents = '', names = ''] = text.split('\u0002');
      const isMerge = parents.includes(' ');
      const changes = names
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const [letter = '', first = '', second] = line.split('\t');
          const status = isMerge ? 'modified' : STATUS[/** @type {keyof STATUS} */ (letter[0])];
          const renamed = second === undefined ? { path: first } : { path: second, from: first };
          return { status: /** @type {any} */ (status), ...renamed, similarity: Number(letter.slice(1)) };
        });
      return { hash, author, time: Number(time), subject, parents: parents.split(' ').filter(Boolean), changes };
    });
}

describe('a generated history', () => {
  test('has the commits, parents, authors and changes of git log', () => {
    const found = new Map(logOfGit().map((commit) => [commit.hash, commit]));
    expect(found.size).toBe(SIZES.commits);
    for (const { hash, author, time, subject, parents, changes } of history.commits) {
      const commit = found.get(hash);
      expect(commit).toMatchObject({ author, time, subject, parents: parents.map((at) => history.commit(at).hash) });
      expect(texts(commit?.changes ?? []), subject).toEqual(texts(changes));
    }
  });

  test('has renames whose similarity is 100 if the bytes are the same, and clear of the limits otherwise', () => {
    const found = logOfGit().flatMap(({ hash, changes }) => changes.map((change) => ({ hash, ...change })));
    const renames = history.renames();
    expect(renames.filter(({ pure }) => pure).length).toBeGreaterThan(3);
    expect(renames.filter(({ pure }) => !pure).length).toBeGreaterThan(3);
    for (const { from, to, pure, commit } of renames) {
      const rename = found.find(({ hash, path }) => hash === commit.hash && path === to);
      expect(rename?.from).toBe(from);
      if (pure) expect(rename?.similarity).toBe(100);
      else {
        expect(rename?.similarity).toBeGreaterThanOrEqual(58);
        expect(rename?.similarity).toBeLessThan(99);
      }
    }
  });

  test('has the files of git ls-tree as of any commit, also on a side branch', () => {
    const side = history.commits.findIndex(({ subject }) => subject.startsWith('Side: second'));
    const merge = history.commits.findIndex(({ parents }) => parents.length === 2);
    expect(Math.min(side, merge)).toBeGreaterThan(0);
    const spread = Array.from({ length: 12 }, (_, at) => Math.round((history.head * at) / 11));
    for (const at of new Set([...spread, side, merge - 1, merge])) {
      const listed = git(history.folder, 'ls-tree', '-r', '--name-only', history.commit(at).hash).split('\n');
      expect([...history.files(at).keys()].sort()).toEqual(listed.sort());
    }
  });

  test('has the imports and calls of the texts that are checked out', () => {
    const files = history.files();
    for (const [path, facts] of files) {
      if (facts.kind === 'data') continue;
      const text = readFileSync(join(history.folder, path), 'utf8');
      const found = [...text.matchAll(/^import .* from '(\.[^']*|\/lib\/[^']*)';$/gm)].map(([, name = '']) => {
        const plain = name.startsWith('/lib/') ? `tools${name.slice(4)}` : join(path, '..', name);
        return [plain, `${plain}.ts`, `${plain}/index.ts`].find((candidate) => files.has(candidate));
      });
      expect(found.sort(), path).toEqual([...facts.imports].sort());
      const calls = [...text.matchAll(/^ {2}await tgp\.exec_tool\('([^']+)'/gm)].map(([, name]) => name);
      expect(calls.sort(), path).toEqual([...facts.calls].sort());
    }
  });

  test('has what the queries need: restored paths, chains of renames, merges, a ring, comments that look like imports', () => {
    const added = history.changes().filter(({ status }) => status === 'added');
    expect(added.length).toBeGreaterThan(new Set(added.map(({ path }) => path)).size);
    const names = /** @type {[string, string][]} */ (history.renames().map(({ to, from }) => [to, from]));
    expect(names.some(([to]) => trails(names, to, 2, 2).length > 0)).toBe(true);
    const merges = history.commits.filter(({ parents }) => parents.length === 2);
    expect(merges.filter(({ changes }) => changes.length === 1).length).toBeGreaterThan(0);
    expect(merges.filter(({ changes }) => changes.length === 0).length).toBeGreaterThan(0);
    expect(new Set(trails(history.imports(), 'tools/ring/one.ts', 3, 3))).toEqual(new Set(['tools/ring/one.ts']));
    const texts = history.paths('tool').map((path) => readFileSync(join(history.folder, path), 'utf8'));
    expect(texts.some((text) => text.includes('// import {'))).toBe(true);
  });

  test('is the same for the same sizes and seed, and another for another seed', async () => {
    const small = { tools: 12, commits: 40, dense: 4 };
    const again = await Promise.all(
      [3, 3, 4].map((seed, at) => toolHistory(join(folder(), `again-${at}`), { ...small, seed })),
    );
    const [one, two, other] = again.map(({ commits }) => commits.at(-1)?.hash);
    expect(two).toBe(one);
    expect(other).not.toBe(one);
  });
});
