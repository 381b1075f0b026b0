/**
 * The jobs of a comparison for one build. They use only the API that every build has: `new TGP`, `tgpTools`, `kernel.exec`,
 * `write_file`, `check_tool` and functions of the application.
 */

import { threadCpuMs, treeMemory, treeProportionalMemory } from '../../tools/process_tree.mjs';
import { createKernelOf } from '../tree_kernel.mjs';
import { CALLS, LANES, TURN } from './metrics.mjs';

/** @typedef {import('../tree_kernel.mjs').Api} Api */
/** @typedef {Record<string, number[]>} Values of each metric */

const NEXT = 'tools/next.ts';
const PING = 'tools/ping.ts';
const TOOLS = {
  [NEXT]: 'export default (args: { n: number }) => args.n + 1',
  [PING]: `let n = 0; for (let i = 0; i < ${CALLS}; i++) n += (await tgp.ping(i)) === i ? 1 : 0; return n`,
};
const SANDBOX = { isolation: /** @type {const} */ ('process'), workers: 2, warm: 2, timeoutMs: 5000 };
/** Warm-up runs before the first measurement, in which Node compiles the host's code. */
const WARMUP_RUNS = 400;
/** Warm-up calls of other kinds. */
const WARMUP_CALLS = 2;
/** The pause before a batch, in which a sandbox can prepare. */
const PAUSE_MS = 15;

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** @template T @param {() => Promise<T>} work @returns {Promise<number>} milliseconds */
async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** @param {number} revision */
function source(revision) {
  const part = (/** @type {number} */ index) => `
type Row${index} = { id: string; total: number; tags: string[] };

/** Part ${index}. */
const part${index} = (rows: Row${index}[], least: number): Record<string, number> =>
  rows
    .filter((row) => row.total >= least)
    .reduce<Record<string, number>>((sums, row) => ({ ...sums, [row.id]: (sums[row.id] ?? 0) + row.total }), {});
`;
  return `${Array.from({ length: 11 }, (_, index) => part(index)).join('')}
/** Revision ${revision}. */
export default function main(args: { rows: Row0[]; least: number }): Record<string, number> {
  return part0(args.rows, args.least);
}
`;
}

/** The shared state of one process: the kernel, and its number of runs. @param {Api} api */
async function openRuns(api) {
  const { kernel, close } = await createKernelOf(api, TOOLS, { sandbox: SANDBOX }, { ping: (n) => n });
  let done = 0;
  const run = async () => {
    const n = done++;
    const { result } = await kernel.exec(NEXT, { n });
    if (result !== n + 1) throw new Error(`${n} + 1 came back as ${result}`);
  };
  /** @param {number} count */
  const inLanes = async (count) => {
    let left = count;
    const lane = async () => {
      while (left-- > 0) await run();
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  };
  const ping = async () => {
    const { result } = await kernel.exec(PING);
    if (result !== CALLS) throw new Error(`${result} of ${CALLS} calls were answered`);
  };
  await inLanes(WARMUP_RUNS);
  return { run, inLanes, ping, done: () => done, close };
}

/** @typedef {Awaited<ReturnType<typeof openRuns>>} Runs */

/** @type {Record<'warm' | 'rows' | 'lanes' | 'host_call' | 'memory', (runs: Runs, amount: number) => Promise<Values>>} */
const RUN_JOBS = {
  warm: async ({ run }, turns) => {
    const values = [];
    for (let turn = 0; turn < turns; turn++) {
      await pause(PAUSE_MS);
      await run();
      for (let count = 1; count < TURN; count++) values.push(await timed(run));
    }
    return { warm_run: values };
  },
  rows: async ({ run }, count) => {
    const [cpu, threads] = [process.cpuUsage(), threadCpuMs(process.pid)];
    const values = [];
    for (let done = 0; done < count; done++) values.push(await timed(run));
    const [used, now] = [process.cpuUsage(cpu), threadCpuMs(process.pid)];
    return {
      row_run: values,
      host_cpu: [(used.user + used.system) / 1000 / count],
      main_thread_cpu: [(now.main - threads.main) / count],
      worker_cpu: [(now.workers - threads.workers) / count],
    };
  },
  lanes: async ({ inLanes }, count) => ({ throughput: [(await timed(() => inLanes(count))) / count] }),
  host_call: async ({ ping }, count) => {
    await ping();
    const values = [];
    for (let done = 0; done < count; done++) values.push((await timed(ping)) / CALLS);
    return { host_call: values };
  },
  memory: async ({ inLanes, done }, count) => {
    await inLanes(Math.max(0, count - done()));
    globalThis.gc?.();
    const [resident, proportional] = [treeMemory(process.pid), treeProportionalMemory(process.pid)];
    return {
      host_rss: [resident.host],
      host_pss: [proportional.host],
      worker_rss: [resident.workers],
      worker_pss: [proportional.workers],
    };
  },
};

/**
 * Times a call that follows a write of a new text, after some warm-up calls.
 * @param {Api} api
 * @param {NonNullable<import('../../index.js').TGPOptions['config']>} config
 * @param {(kernel: Awaited<ReturnType<typeof createKernelOf>>, revision: number) => Promise<number>} call
 */
async function openCalls(api, config, call) {
  const kernel = await createKernelOf(api, {}, config);
  let revision = 0;
  /** @param {number} count */
  const take = async (count) => {
    const values = [];
    for (let done = 0; done < count; done++) values.push(await call(kernel, revision++));
    return values;
  };
  await take(WARMUP_CALLS);
  return { take, close: kernel.close };
}

const PATH = 'tools/bench/hundred_lines.ts';

/** @param {Api} api */
const openWrites = (api) =>
  openCalls(api, {}, ({ write }, revision) =>
    timed(() => write('tools/written.ts', `export default () => ${revision};\n`)),
  );

/** @param {Api} api */
const openChecks = (api) =>
  openCalls(api, { check: 'off' }, async ({ write, check }, revision) => {
    await write(PATH, source(revision));
    const started = performance.now();
    const { valid, errors } = await check(PATH);
    if (!valid) throw new Error(`The tool is not valid: ${errors?.[0]}`);
    return performance.now() - started;
  });

/**
 * Each job opens its resources on first use.
 * @param {Api} api
 */
export function probeJobs(api) {
  /** @type {Map<string, Promise<{ close: () => Promise<void> }>>} */
  const opened = new Map();
  /**
   * @template {{ close: () => Promise<void> }} T
   * @param {string} name
   * @param {(api: Api) => Promise<T>} open
   * @returns {Promise<T>}
   */
  const get = (name, open) => {
    const found = opened.get(name) ?? open(api);
    opened.set(name, found);
    return /** @type {Promise<T>} */ (found);
  };
  const runJobs = Object.entries(RUN_JOBS).map(([name, job]) => [
    name,
    async (/** @type {number} */ amount) => job(await get('runs', openRuns), amount),
  ]);
  /** @type {Record<string, (amount: number) => Promise<Values>>} */
  const jobs = {
    ...Object.fromEntries(runJobs),
    write: async (amount) => ({ write: await (await get('writes', openWrites)).take(amount) }),
    check: async (amount) => ({ check: await (await get('checks', openChecks)).take(amount) }),
  };
  return {
    jobs,
    close: async () => {
      for (const each of opened.values()) await (await each).close();
    },
  };
}

/** A folder with a tool in it, for cold starts. @param {Api} api @param {string} rootDir */
export async function prepareRoot({ TGP, tgpTools }, rootDir) {
  const kernel = new TGP({ config: { rootDir } });
  await tgpTools(kernel).write_file.execute({ path: NEXT, content: TOOLS[NEXT] ?? '' });
  await kernel.shutdown();
}

/** The first run of a process. @param {Api} api @param {string} rootDir */
export async function firstRun({ TGP }, rootDir) {
  const kernel = new TGP({ config: { rootDir } });
  const { result } = await kernel.exec(NEXT, { n: 1 });
  if (result !== 2) throw new Error(`1 + 1 came back as ${result}`);
  return () => kernel.shutdown();
}
