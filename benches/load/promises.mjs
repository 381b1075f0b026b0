/** Compares acknowledged calls with the stored data: the ledger, Git (read by the `git` program), and the database. */

import { execFileSync } from 'node:child_process';

/** @typedef {import('./workspace.mjs').Api} Api */
/** @typedef {{ path: string, content: string, commit?: string }} Write */

const PAGE = 10_000;
const MAX_OUTPUT = 1 << 30;
/** The placeholder of a value that did not fit into the ledger. */
const LEFT_OUT = '[left out: ';

/**
 * The calls in a ledger, by the number in their arguments.
 * @param {InstanceType<Api['TGP']>} kernel
 */
export async function ledgerCalls(kernel) {
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @type {Set<number>} */
  const finished = new Set();
  let [reportedLost, leftOut, after] = [0, 0, 0];
  for (;;) {
    const events = await kernel.ledger.query({ after, limit: PAGE });
    for (const event of events) {
      const number = event.type === 'CALL' ? numberOf(event.args) : undefined;
      if (number !== undefined && event.call !== undefined) numbers.set(event.call, number);
      if (event.type === 'SESSION' && event.state === 'lost') reportedLost += Number(event.events);
      if (event.type !== 'RESULT') continue;
      const finishedNumber = numbers.get(event.call ?? '');
      if (finishedNumber === undefined) continue;
      finished.add(finishedNumber);
      if (String(event.result).startsWith(LEFT_OUT)) leftOut++;
    }
    const last = events.at(-1);
    if (last === undefined) return { finished, reportedLost, leftOut };
    after = last.seq;
  }
}

/** The id of a run, or `#id` in a search or in the text of a tool. @param {any} args */
function numberOf(args) {
  if (typeof args?.id === 'number') return args.id;
  const found = /#(\d+)/.exec(String(args?.query ?? args?.content ?? ''));
  return found === null ? undefined : Number(found[1]);
}

/** @param {string} repository @param {string[]} args @param {string} [input] */
function git(repository, args, input) {
  return execFileSync('git', ['-C', repository, ...args], { input, maxBuffer: MAX_OUTPUT });
}

/**
 * Writes that are not in the history of a branch, or whose commit does not have their text.
 * @param {string} repository
 * @param {string} branch
 * @param {Write[]} writes
 */
export function missingWrites(repository, branch, writes) {
  const history = new Set(git(repository, ['rev-list', branch]).toString().split('\n'));
  const texts = blobsOf(
    repository,
    writes.map(({ commit, path }) => `${commit}:${path}`),
  );
  return writes.filter(({ commit = '', content }, at) => !history.has(commit) || texts[at] !== content);
}

/**
 * Writes whose text differs from the branch at their path. Each write has its own path.
 * @param {string} repository
 * @param {string} branch
 * @param {Write[]} writes
 */
export function missingFiles(repository, branch, writes) {
  const texts = blobsOf(
    repository,
    writes.map(({ path }) => `${branch}:${path}`),
  );
  return writes.filter(({ content }, at) => texts[at] !== content);
}

/**
 * @param {string} repository
 * @param {string[]} names
 * @returns {(string | undefined)[]}
 */
function blobsOf(repository, names) {
  if (names.length === 0) return [];
  const output = git(repository, ['cat-file', '--batch'], `${names.join('\n')}\n`);
  let at = 0;
  return names.map(() => {
    const end = output.indexOf('\n', at);
    const size = / blob (\d+)$/.exec(output.subarray(at, end).toString())?.[1];
    const from = end + 1;
    at = size === undefined ? from : from + Number(size) + 1;
    return size === undefined ? undefined : output.subarray(from, from + Number(size)).toString();
  });
}

/**
 * Rows that are missing in the table `rows`.
 * @param {Api} api
 * @param {string} file of SQLite
 * @param {number[]} ids
 */
export async function missingRows({ createSqlTools, sqlite }, file, ids) {
  const source = sqlite(file);
  /** @type {Set<number>} */
  const there = new Set();
  for (let after = -1; ; ) {
    const sql = 'SELECT id FROM rows WHERE id > ? ORDER BY id LIMIT 500';
    const rows = await createSqlTools(source).exec_sql.execute({ sql, params: [after] }, { maxChars: 1_000_000 });
    for (const { id } of rows) there.add(id);
    if (rows.length === 0) break;
    after = rows.at(-1).id;
  }
  await source.close?.();
  return ids.filter((id) => !there.has(id));
}
