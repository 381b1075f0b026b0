/** Runs of package jobs in tools: in the first run of a root, in the second run, and after a restart. */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TGP, tgpTools } from '../index.js';

/**
 * @typedef {{ name: string, version: string, instead?: string, content: string, args?: object, imports: string[], expected: unknown }} PackageJob
 *   `content`: the tool; `imports`: the packages that it imports; `expected`: its result in Node
 * @typedef {{ name: string, version: string, instead?: string, kilobytes?: number, loadMs?: number, cpuMs?: number,
 *   failure?: string, raised?: string }} Row `failure`: under the default limits; `raised`: under the raised ones
 * @typedef {{ result?: unknown, failure?: string, loadMs?: number, cpuMs?: number }} Outcome
 */

const TOOL = 'tools/job.ts';
/** Limits above the needs of all jobs. */
const RAISED = { timeoutMs: 10_000, packageLoadMs: 10_000, wallMs: 30_000, memoryMb: 512 };

/**
 * The outcomes of a job under the default limits and the raised ones.
 * @param {string} folder where the packages are installed; the root is made in it
 * @param {string} origin that tools may fetch from
 * @param {PackageJob} job
 * @returns {Promise<Row>}
 */
export async function tried(folder, origin, job) {
  const stored = join(folder, '.tgp', '.git', 'tgp');
  rmSync(join(folder, '.tgp'), { recursive: true, force: true });
  const byDefault = await threeStarts(folder, origin, job, {});
  rmSync(join(stored, 'bytecode'), { recursive: true, force: true });
  const raised = await threeStarts(folder, origin, job, RAISED);
  const { name, version, instead } = job;
  const { loadMs, cpuMs } = Object.values(raised).at(-1) ?? {};
  const figures = { kilobytes: bundleKilobytes(join(stored, 'bundles')), loadMs, cpuMs };
  const failures = { failure: failureOf(byDefault, job.expected), raised: failureOf(raised, job.expected) };
  return { name, version, ...(instead && { instead }), ...figures, ...failures };
}

/**
 * @param {string} folder
 * @param {string} origin
 * @param {PackageJob} job
 * @param {object} sandbox limits
 */
async function threeStarts(folder, origin, job, sandbox) {
  const configFile = join(folder, 'tgp.config.json');
  writeFileSync(configFile, JSON.stringify({ allowedImports: job.imports, allowedFetchUrls: [origin], sandbox }));
  const [first = {}, second = {}] = await run(configFile, job, 2);
  const [restarted = {}] = await run(configFile, job, 1);
  return { first, second, restarted };
}

/**
 * The outcomes of so many runs in one new kernel.
 * @param {string} configFile
 * @param {PackageJob} job
 * @param {number} count
 * @returns {Promise<Outcome[]>}
 */
async function run(configFile, { content, args }, count) {
  const kernel = new TGP({ configFile });
  const outcomes = [];
  try {
    await kernel.boot();
    await tgpTools(kernel).write_file.execute({ path: TOOL, content });
    for (let index = 0; index < count; index += 1) {
      outcomes.push(await kernel.exec(TOOL, args, { validate: false }).then(succeeded, failed));
    }
  } catch (error) {
    outcomes.push(failed(/** @type {Error} */ (error)));
  } finally {
    await kernel.shutdown();
  }
  return outcomes;
}

/** @param {import('../index.js').ExecResult} done @returns {Outcome} */
const succeeded = ({ result, stats }) => ({
  result,
  loadMs: Math.ceil(stats.packageLoadMs ?? 0),
  cpuMs: Math.ceil(stats.cpuMs),
});

/** @param {Error & { code?: string }} error @returns {Outcome} */
const failed = ({ code = '', message }) => ({ failure: `${code} ${message}`.trim() });

/**
 * What failed, and in which starts unless in all.
 * @param {Record<string, Outcome>} starts
 * @param {unknown} expected
 */
function failureOf(starts, expected) {
  const failures = Object.entries(starts).flatMap(([start, { failure, result }]) => {
    if (failure !== undefined) return [{ start, failure }];
    if (isDeepStrictEqual(result, expected)) return [];
    return [{ start, failure: `gives ${JSON.stringify(result)}, in Node ${JSON.stringify(expected)}` }];
  });
  const [one] = failures;
  if (one === undefined || failures.length === Object.keys(starts).length) return one?.failure;
  return `${failures.map(({ start }) => start).join(' and ')}: ${one.failure}`;
}

/** @param {string} stored the folder of the bundles */
function bundleKilobytes(stored) {
  if (!existsSync(stored)) return 0;
  const codes = readdirSync(stored).map((file) => JSON.parse(readFileSync(join(stored, file), 'utf8')).code);
  return Math.ceil(codes.join('').length / 1024);
}
