/** The metrics of a comparison. Every figure is a cost: less is better, and a ratio new / base above 1 is worse. */

/**
 * @typedef {'cold' | 'warm' | 'rows' | 'lanes' | 'host_call' | 'memory' | 'write' | 'check'} JobName
 * @typedef {{ key: string, job: JobName, title: string, unit: string }} Metric
 * @typedef {{ full: number, quick: number, slices: 1 | 2 }} Amount what one slice of a job does, and how many slices a side has in a round
 */

/** Concurrent runs. */
export const LANES = 16;
/** Runs per batch; there is a pause before each batch. */
export const TURN = 25;
/** Calls of the application's function in one run. */
export const CALLS = 300;

/**
 * In this order in each round: memory is taken before writes and checks start processes of their own.
 * @type {Record<JobName, Amount>}
 */
export const JOBS = {
  cold: { full: 1, quick: 1, slices: 2 },
  warm: { full: 8, quick: 4, slices: 2 },
  rows: { full: 600, quick: 300, slices: 2 },
  lanes: { full: 1500, quick: 600, slices: 2 },
  host_call: { full: 3, quick: 2, slices: 2 },
  memory: { full: 5000, quick: 2000, slices: 1 },
  write: { full: 15, quick: 8, slices: 2 },
  check: { full: 10, quick: 4, slices: 2 },
};

/** @type {Metric[]} */
export const METRICS = [
  { key: 'cold_start', job: 'cold', title: 'cold start: new process to first result', unit: 'ms' },
  { key: 'warm_run', job: 'warm', title: `warm run, turns of ${TURN}`, unit: 'ms' },
  { key: 'row_run', job: 'rows', title: 'run in a row, back to back', unit: 'ms' },
  { key: 'host_cpu', job: 'rows', title: 'host CPU per run', unit: 'ms' },
  { key: 'main_thread_cpu', job: 'rows', title: "CPU of Node's main thread per run", unit: 'ms' },
  { key: 'worker_cpu', job: 'rows', title: 'worker CPU per run', unit: 'ms' },
  { key: 'throughput', job: 'lanes', title: `time per run, ${LANES} at once`, unit: 'ms' },
  { key: 'host_call', job: 'host_call', title: "call of the application's function", unit: 'ms' },
  { key: 'host_rss', job: 'memory', title: 'host memory, resident', unit: 'MB' },
  { key: 'host_pss', job: 'memory', title: 'host memory, proportional', unit: 'MB' },
  { key: 'worker_rss', job: 'memory', title: 'worker memory, resident', unit: 'MB' },
  { key: 'worker_pss', job: 'memory', title: 'worker memory, proportional', unit: 'MB' },
  { key: 'write', job: 'write', title: 'write_file with its commit', unit: 'ms' },
  { key: 'check', job: 'check', title: 'check_tool after a change', unit: 'ms' },
];

/** The jobs of these metrics, in order. @param {Metric[]} metrics @returns {JobName[]} */
export function jobsOf(metrics) {
  return /** @type {JobName[]} */ (Object.keys(JOBS)).filter((name) => metrics.some(({ job }) => job === name));
}
