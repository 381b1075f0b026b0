import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { TGPError } from '../boundary/errors.js';
import { native } from '../boundary/native.js';
import { makeTempFolder, removeTempFolder } from '../files/temp_folder.js';
import { FILES } from '../kernel/agent_access.js';
import { TGP } from '../kernel/tgp.js';
import { database } from './doctor_database.js';
import { remote } from './doctor_remote.js';
import { ok, problem, warning } from './finding.js';
import { examineNextConfig } from './next_check.js';
import { fitted, json, line, styled, withProgress } from './screen.js';
import { locateRoot } from './workspace.js';

/**
 * @typedef {import('./finding.js').Finding} Finding
 * @typedef {Finding & { name: string }} Examined
 * @typedef {{ config?: string }} Options
 */

const run = promisify(execFile);
const OLDEST_NODE = 20;
const MARKS = { ok: '✓', warning: '!', problem: '✗' };
const COLOURS = /** @type {const} */ ({ ok: 'green', warning: 'yellow', problem: 'red' });

/** @type {Record<string, (options: Options) => Promise<Finding> | Finding>} */
const CHECKS = {
  Platform: () => ok(`${process.platform}-${process.arch}${glibc()}`),
  Node: () => {
    const version = process.versions.node;
    return Number.parseInt(version, 10) >= OLDEST_NODE
      ? ok(version)
      : problem(version, `Install Node ${OLDEST_NODE} or newer.`);
  },
  V8: () => ok(`${native().engineVersion()} in the sandbox, ${process.versions.v8} in Node`),
  Worker: worker,
  Walls: walls,
  Config: config,
  Workspace: workspace,
  Remote: remote,
  Database: database,
  'Next.js': async () => (await examineNextConfig(process.cwd())) ?? ok(''),
};

/**
 * Looks at everything the kernel needs. Changes nothing.
 * @param {Options & { format: import('./screen.js').Format }} options
 * @returns {Promise<number>} the exit code
 */
export async function doctor({ format, ...options }) {
  /** @type {Examined[]} */
  const examined = [];
  for (const [name, examine] of Object.entries(CHECKS)) {
    const finding = await withProgress(format, name, () => settled(examine, options));
    if (finding.detail === '') continue;
    examined.push({ name, ...finding });
    if (format === 'text') print({ name, ...finding });
  }
  const problems = examined.filter(({ status }) => status === 'problem').length;
  if (format === 'json') json({ healthy: problems === 0, checks: examined });
  else line(`\n${problems === 0 ? styled('green', 'Ready.') : styled('red', `${problems} to repair.`)}`);
  return problems === 0 ? 0 : 1;
}

/**
 * A check that fails has found a problem.
 * @param {(options: Options) => Promise<Finding> | Finding} examine
 * @param {Options} options
 * @returns {Promise<Finding>}
 */
async function settled(examine, options) {
  try {
    return await examine(options);
  } catch (error) {
    if (!(error instanceof TGPError)) throw error;
    return problem(error.code, error.message);
  }
}

/**
 * A worker process starts and runs a tool.
 * @returns {Promise<Finding>}
 */
async function worker() {
  return withScratchKernel(async (kernel) => {
    const started = performance.now();
    await kernel[FILES].write(
      'tools/sum.ts',
      'export default (args: { of: number[] }) => args.of.reduce((a, b) => a + b)',
    );
    const { result } = await kernel.exec('tools/sum.ts', { of: [20, 22] });
    const ms = Math.round(performance.now() - started);
    return result === 42
      ? ok(`started, ran a tool and committed it in ${ms} ms`)
      : problem('ran a tool to a wrong result', 'Install @tgp/core again: its files do not fit together.');
  });
}

/**
 * What the system holds around a worker.
 * @returns {Promise<Finding>}
 */
async function walls() {
  return withScratchKernel(async (kernel) => {
    const { isolation: _, ...holds } = await kernel.confinement();
    const detail = Object.entries(holds)
      .map(([name, hold]) => (hold === 'active' ? name : `${name} ${hold}`))
      .join(', ');
    const remedy = 'Use a Linux kernel with Landlock and seccomp, and a container that allows them.';
    return Object.values(holds).every((hold) => hold === 'active') ? ok(detail) : warning(detail, remedy);
  });
}

/**
 * A kernel in a folder that is gone afterwards.
 * @template T
 * @param {(kernel: TGP) => Promise<T>} work
 */
async function withScratchKernel(work) {
  const folder = makeTempFolder('tgp-doctor-');
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp') }, logger: silent });
  try {
    return await work(kernel);
  } finally {
    await kernel.shutdown();
    await removeTempFolder(folder);
  }
}

/**
 * @param {Options} options
 * @returns {Promise<Finding>}
 */
async function config({ config: named }) {
  const { file } = (await locateRoot({ config: named })).resolved;
  return ok(file === undefined ? 'none, every default is used' : relative(process.cwd(), file));
}

/**
 * @param {Options} options
 * @returns {Promise<Finding>}
 */
async function workspace(options) {
  const { root, name } = await locateRoot(options);
  if (!existsSync(join(root, '.git'))) {
    return warning(`${name} does not exist yet`, 'Run "tgp init", or let the first use of the kernel make it.');
  }
  const head = await readTextAtMost(join(root, '.git', 'HEAD')).catch(() => '');
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  if (branch === undefined) {
    return problem(
      `${name} is on no branch`,
      `Run "git -C ${name} switch main", or remove ${name} and run "tgp init".`,
    );
  }
  if (await isTrackedByApplication(root)) {
    const remedy = `Add /${name.replace(/^\.\//, '')}/ to .gitignore: it is a repository of its own.`;
    return warning(`${name} on branch ${branch}, not ignored by the repository around it`, remedy);
  }
  return ok(`${name} on branch ${branch}`);
}

/**
 * @param {string} root
 * @returns {Promise<boolean>} false as well where there is no `git` command to ask: the kernel itself needs none
 */
async function isTrackedByApplication(root) {
  const inside = await run('git', ['rev-parse', '--is-inside-work-tree']).catch(() => undefined);
  if (!inside) return false;
  return run('git', ['check-ignore', '-q', root]).then(
    () => false,
    (error) => error.code === 1,
  );
}

function glibc() {
  const { header } = /** @type {any} */ (process.report?.getReport() ?? {});
  return header?.glibcVersionRuntime === undefined ? '' : `, glibc ${header.glibcVersionRuntime}`;
}

/** @param {Examined} examined */
function print({ name, status, detail, remedy }) {
  const head = `${MARKS[status]} ${name.padEnd('Workspace'.length)}  `;
  line(`${styled(COLOURS[status], MARKS[status])}${head.slice(1)}${fitted(detail, head.length)}`);
  if (remedy !== undefined) line(`    ${fitted(remedy, '    '.length)}`);
}
