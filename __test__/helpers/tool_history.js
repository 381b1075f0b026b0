/** A repository of tools with a long history, made by `git fast-import`: the same commits for the same sizes and seed. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HistoryModel } from './history_model.js';
import { LiveFiles } from './live_files.js';
import { textOf } from './tool_texts.js';

export const AUTHORS = ['Ada Moor', 'Ben Okafor', 'Chen Li', 'Dora Weiß', 'Emil Roth'];
const START = 1_700_000_000;
/** Commits of a side branch, those beside it, and their merge. */
const MERGE_COMMITS = 6;

/**
 * @typedef {import('./history_model.js').HistoryCommit} HistoryCommit
 * @typedef {import('./live_files.js').Edit} Edit
 *
 * @typedef {object} HistorySizes
 * @property {number} [tools] tools of the newest commit, about; modules and tests are added to them
 * @property {number} [commits] exactly
 * @property {number} [seed]
 * @property {string} [base] the folder of the tools
 * @property {number} [dense] modules that import each other, all of them
 */

/** Writes commits to `git fast-import`, and keeps their facts. */
class Importer {
  /** @type {HistoryCommit[]} */
  commits = [];
  #choices;
  #stdin;

  /**
   * @param {import('node:stream').Writable} stdin
   * @param {ReturnType<typeof import('./tool_texts.js').choices>} choices
   */
  constructor(stdin, choices) {
    this.#stdin = stdin;
    this.#choices = choices;
  }

  /**
   * @param {string} subject
   * @param {Edit[]} edits against the first parent
   * @param {{ branch?: string, parents?: number[], changes?: Edit[] }} [place]
   */
  async commit(subject, edits, { branch = 'main', parents, changes = edits } = {}) {
    const index = this.commits.length;
    const from = parents ?? (index === 0 ? [] : [index - 1]);
    const author = this.#choices.one(AUTHORS);
    const time = START + index * 60;
    const person = `${author} <${author.split(' ')[0]?.toLowerCase()}@example.org> ${time} +0000\n`;
    const links = from.map((parent, at) => `${at === 0 ? 'from' : 'merge'} :${parent + 1}\n`).join('');
    const lines = edits.flatMap(({ status, path, from, file }) => [
      ...(from === undefined ? [] : [`D ${from}\n`]),
      status === 'deleted' ? `D ${path}\n` : `M 100644 inline ${path}\n${data(textOf(file))}`,
    ]);
    const head = `commit refs/heads/${branch}\nmark :${index + 1}\nauthor ${person}committer ${person}`;
    this.commits.push({
      index,
      hash: '',
      author,
      time,
      subject,
      parents: from,
      delta: edits.flatMap(deltaOf),
      changes: changes.map(({ status, path, from, pure }) => ({ status, path, from, pure })),
    });
    if (!this.#stdin.write(`${head}${data(subject)}${links}${lines.join('')}\n`)) await once(this.#stdin, 'drain');
    return index;
  }
}

/** @param {string} text */
const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;

/** @param {Edit} edit @returns {HistoryCommit['delta']} */
function deltaOf({ status, path, from, file }) {
  if (status === 'deleted') return [[path, null]];
  const facts = {
    kind: file.kind,
    imports: file.imports.map((to) => to.path),
    calls: file.calls.map((to) => to.path),
    description: file.description,
  };
  return from === undefined
    ? [[path, facts]]
    : [
        [from, null],
        [path, facts],
      ];
}

/**
 * Two lines of development and their merge. Each changes other files, and every second time also the same file, which the
 * merge resolves to a third text.
 * @param {Importer} importer
 * @param {LiveFiles} files
 * @param {boolean} conflicts
 */
async function branchAndMerge(importer, files, conflicts) {
  const base = importer.commits.length - 1;
  const [a, b, c, d, both] = files.some(5);
  if (!(a && b && c && d && both)) throw new Error('There are too few tools for a branch.');
  const side = { branch: 'side' };
  const first = await importer.commit('Side: first', files.edit(a), { ...side, parents: [base] });
  const left = await importer.commit('Main: first', files.edit(b), { parents: [base] });
  const second = [...files.edit(c), ...(conflicts ? files.edit(both) : [])];
  const next = await importer.commit('Side: second', second, { ...side, parents: [first] });
  const beside = [...files.edit(d), ...(conflicts ? files.edit(both) : [])];
  const right = await importer.commit('Main: second', beside, { parents: [left] });
  const added = files.add();
  const last = await importer.commit(`Side: add ${added[0]?.path}`, added, { ...side, parents: [next] });
  const resolved = conflicts ? files.edit(both) : [];
  const taken = [a, c].map((file) => ({ status: /** @type {const} */ ('modified'), path: file.path, file }));
  const edits = [...taken, ...added, ...resolved];
  await importer.commit('Merge branch side', edits, { parents: [right, last], changes: resolved });
}

/**
 * @param {Importer} importer
 * @param {LiveFiles} files
 * @param {{ tools: number, commits: number }} sizes
 */
async function writeCommits(importer, files, { tools, commits }) {
  const growing = Math.ceil(commits * 0.6);
  const merges = 3 + Math.floor(commits / 1000);
  const mergeEvery = Math.floor(commits / (merges + 1));
  let merged = 0;
  while (importer.commits.length < commits) {
    const at = importer.commits.length;
    if (at >= mergeEvery * (merged + 1) && commits - at >= MERGE_COMMITS && files.count() >= 5) {
      await branchAndMerge(importer, files, merged % 2 === 0);
      merged++;
      continue;
    }
    const wanted = Math.min(tools, Math.ceil((tools * at) / growing));
    const { subject, edits } = files.next(wanted);
    await importer.commit(subject, edits);
  }
}

/**
 * Makes the repository, checked out, and returns what is true of it.
 * @param {string} folder is made
 * @param {HistorySizes} [sizes]
 */
export async function toolHistory(folder, { tools = 60, commits = 300, seed = 1, base = 'tools', dense = 0 } = {}) {
  mkdirSync(folder, { recursive: true });
  const run = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', folder, ...args], { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  run('init', '-q', '-b', 'main');
  const marks = join(folder, '.git', 'generated-marks');
  const git = spawn('git', ['-C', folder, 'fast-import', '--quiet', `--export-marks=${marks}`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(git, 'exit');
  const files = new LiveFiles({ base, folders: Math.max(4, Math.ceil(tools / 50)), seed });
  const importer = new Importer(git.stdin, files.choices);
  await importer.commit('Begin', files.begin(dense));
  await writeCommits(importer, files, { tools, commits });
  git.stdin.end();
  const [code] = await exited;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
  for (const line of readFileSync(marks, 'utf8').trim().split('\n')) {
    const [mark = '', hash = ''] = line.slice(1).split(' ');
    const commit = importer.commits[Number(mark) - 1];
    if (commit !== undefined) commit.hash = hash;
  }
  rmSync(marks);
  run('branch', '-q', '-D', 'side');
  run('reset', '-q', '--hard', 'main');
  return new HistoryModel(folder, importer.commits);
}
