/**
 * The jobs of a soak: each kind has a weight, an action, and the codes it may end with. Two kernels share the work: one runs
 * tools, queries a database and watches a policy file; the other writes tools and pushes them.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqlTools, sqlite, TGP, tgpTools } from '../index.js';
import { BOMBS } from '../tools/bombs.mjs';

/**
 * @typedef {() => number} Random between 0 and 1
 * @typedef {object} Job
 * @property {number} weight how often it comes, against the others
 * @property {string[]} codes errors that are a right answer
 * @property {(random: Random) => Promise<void>} run rejects with the kernel's error
 */

/** Every kind of job that there is. @type {string[]} */
export const KINDS = ['good', 'bomb', 'large', 'deep', 'query', 'insert', 'denied', 'find', 'write', 'reload'];

const GOOD = '/** Adds. */\nexport default (args: { n: number }) => args.n + 1\n';
const QUERY =
  "/** Counts. */\nexport default async (args: { least: number }) => (await tgp.exec_sql('SELECT count(*) AS n FROM items WHERE price >= ?', [args.least]))[0].n\n";
const LARGE = "/** Says much. */\nexport default (args: { n: number }) => 'x'.repeat(args.n)\n";
const DEEP =
  '/** Goes down. */\nexport default (args: { n: number }) => { const down = (n: number): number => (n === 0 ? 0 : 1 + down(n - 1)); return down(args.n) }\n';
/** Runs of a killed worker fail with this code. */
const KILLED = ['ERR_ISOLATE_CRASHED'];
const PATHS = 24;
/** When a changed policy must be in force. */
const RELOAD_MS = 10_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** @param {number} round */
const policy = (round) =>
  `version: 1\ndefault: allow\nrules:\n  - { id: private, deny: [read_file], paths: ["private/**"], reason: "Round ${round}." }\n`;

/**
 * Both kernels, each in its own folder, and all jobs.
 * @param {string} folder
 */
export async function openJobs(folder) {
  const rootDir = join(folder, 'root');
  const [policyFile, remote] = [join(folder, 'tgp.policy.yaml'), join(folder, 'remote.git')];
  writeFileSync(policyFile, policy(0));
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  const bombs = placeTools(rootDir);
  const database = sqlite(join(folder, 'soak.db'));
  const running = new TGP({
    config: { rootDir, policy: policyFile, sandbox: { workers: 2, warm: 1 }, check: 'off' },
    sql: { source: database },
    logger: silent,
  });
  const writing = new TGP({
    config: { rootDir: join(folder, 'written'), git: { repo: remote }, sandbox: { workers: 1, warm: 0 } },
    logger: silent,
  });
  const owner = createSqlTools(database, { ddl: true }).exec_sql;
  await owner.execute({ sql: 'CREATE TABLE items (id INTEGER PRIMARY KEY, price INTEGER)' });
  await running.boot();
  await writing.boot();
  const [own, others] = [tgpTools(running), tgpTools(writing)];
  /** @type {Map<string, string>} what the remote must have in the end */
  const promised = new Map();
  /** @type {Map<string, Promise<void>>} */
  const turns = new Map();
  let round = 0;
  let written = 0;

  /** @param {string} path */
  const writeNext = async (path) => {
    const content = `/** Written as number ${++written}. */\nexport default () => ${written};\n`;
    const { persisted } = await others.write_file.execute({ path, content });
    if (persisted !== true) throw new Error(`A write was not pushed: ${persisted}`);
    promised.set(path, content);
  };
  /** The reason with which a call is currently denied. */
  const reason = async () => {
    const denied = await own.read_file.execute({ path: 'private/secret.ts' }).catch((error) => error);
    return String(denied?.details?.reason);
  };

  /** @type {Record<string, Job>} */
  const jobs = {
    good: {
      weight: 40,
      codes: KILLED,
      run: async (random) => {
        const n = Math.floor(random() * 1e6);
        const { result } = await running.exec('tools/good.ts', { n });
        same(result, n + 1);
      },
    },
    bomb: {
      weight: 8,
      codes: [...new Set(BOMBS.flatMap(({ codes }) => codes)), ...KILLED],
      run: async (random) => {
        const bomb = bombs[Math.floor(random() * bombs.length)];
        if (bomb) await running.exec(bomb.path, {}, { timeoutMs: bomb.timeoutMs ?? 50 });
        throw new Error('A bomb returned a value.');
      },
    },
    large: {
      weight: 4,
      codes: ['ERR_RESULT', 'ERR_ISOLATE_MEMORY', 'ERR_ISOLATE_TIMEOUT', 'ERR_TOOL_THROWN', ...KILLED],
      run: async (random) => {
        const n = Math.floor(random() * 4e7);
        const { result } = await running.exec('tools/large.ts', { n });
        same(String(result).length, n);
      },
    },
    deep: {
      weight: 4,
      codes: ['ERR_TOOL_THROWN', 'ERR_ISOLATE_TIMEOUT', 'ERR_ISOLATE_MEMORY', ...KILLED],
      run: async (random) => {
        const n = Math.floor(random() * 2e5);
        const { result } = await running.exec('tools/deep.ts', { n });
        same(result, n);
      },
    },
    query: {
      weight: 12,
      codes: KILLED,
      run: async (random) => {
        const { result } = await running.exec('tools/query.ts', { least: Math.floor(random() * 100) });
        if (typeof result !== 'number') throw new Error(`A count came back as ${typeof result}.`);
      },
    },
    insert: {
      weight: 4,
      codes: [],
      run: async (random) => {
        await owner.execute({ sql: 'INSERT INTO items (price) VALUES (?)', params: [Math.floor(random() * 100)] });
      },
    },
    denied: {
      weight: 6,
      codes: ['ERR_DENIED'],
      run: async () => {
        await own.read_file.execute({ path: 'private/secret.ts' });
        throw new Error('A denied read succeeded.');
      },
    },
    find: {
      weight: 6,
      codes: [],
      run: async () => {
        await running.find('add two numbers');
      },
    },
    write: {
      weight: 5,
      codes: ['ERR_GIT_CONFLICT'],
      run: async (random) => {
        const path = `tools/written/t${Math.floor(random() * PATHS)}.ts`;
        // In sequence for each file, so that the last text is known.
        const turn = (turns.get(path) ?? Promise.resolve()).catch(() => {}).then(() => writeNext(path));
        turns.set(path, turn);
        await turn;
      },
    },
    reload: {
      weight: 1,
      codes: [],
      run: async () => {
        // Every third file is invalid: the previous rules stay in force.
        writeFileSync(policyFile, ++round % 3 === 0 ? 'rules: [{ id: broken, deny: [everything] }]\n' : policy(round));
      },
    },
  };
  return {
    jobs,
    /** Shuts down and returns the violations found. */
    close: async () => {
      writeFileSync(policyFile, policy(++round));
      const since = performance.now();
      while ((await reason()) !== `Round ${round}.` && performance.now() - since < RELOAD_MS) await pause(50);
      const inForce = await reason();
      const verdict = await running.ledger.verify();
      await running.shutdown();
      await writing.shutdown();
      await database.close?.();
      return [
        ...(inForce === `Round ${round}.` ? [] : [`the last policy is not in force: ${inForce}`]),
        ...(verdict.ok ? [] : [`the ledger does not verify: ${verdict.problem?.message}`]),
        ...missing(remote, promised),
      ];
    },
  };
}

/** @param {unknown} found @param {unknown} expected */
function same(found, expected) {
  if (found !== expected) throw new Error(`${String(expected)} came back as ${String(found).slice(0, 80)}.`);
}

/** Tools of the kernel that runs them, put there before it boots. @param {string} rootDir */
function placeTools(rootDir) {
  mkdirSync(join(rootDir, 'tools', 'bombs'), { recursive: true });
  mkdirSync(join(rootDir, 'private'), { recursive: true });
  const tools = {
    'tools/good.ts': GOOD,
    'tools/query.ts': QUERY,
    'tools/large.ts': LARGE,
    'tools/deep.ts': DEEP,
    'private/secret.ts': GOOD,
  };
  for (const [path, text] of Object.entries(tools)) writeFileSync(join(rootDir, path), text);
  // Without bombs that take seconds by design, which would fill a short soak.
  const quick = BOMBS.filter(({ timeoutMs = 50 }) => timeoutMs <= 500);
  return quick.map(({ source, timeoutMs }, at) => {
    const path = `tools/bombs/b${at}.ts`;
    writeFileSync(join(rootDir, path), source);
    return { path, timeoutMs };
  });
}

/** @param {string} remote @param {Map<string, string>} promised */
function missing(remote, promised) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', remote, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    git('fsck', '--full', '--strict');
  } catch (error) {
    return [`the remote is damaged: ${String(error).split('\n')[0]}`];
  }
  return [...promised].flatMap(([path, content]) => {
    try {
      return git('show', `main:${path}`) === content ? [] : [`${path} is not at the remote as it was pushed last`];
    } catch {
      return [`${path} was reported as pushed, but is not at the remote`];
    }
  });
}
