/**
 * `npm run load`: an application under load, through the public API only. Writes `docs/load.md` and the figures as JSON. Exit
 * code 1: this build violates a guarantee or fails a scenario. 2: wrong usage. 3: the other commit cannot be built.
 */

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { endWithUsage, readOptions } from '../../tools/options.mjs';
import { captureIn, ROOT, StepFailed } from '../../tools/process.mjs';
import { loadPerCore, warnings, watchIdle } from '../compare/machine.mjs';
import { UsageError } from '../compare/options.mjs';
import { buildCommit, buildCurrentTree, commitOf, commitTitle, currentTitle } from '../compare/trees.mjs';
import { fresh } from '../results.mjs';
import { runJob } from './job_process.mjs';
import { loadPage, verdict } from './report.mjs';
import { SCENARIOS } from './scenarios.mjs';

/** @typedef {import('./report.mjs').Side} Side */

const USAGE = `Usage: npm run load -- [--minutes N] [--against <git ref> | --package <folder>] [--only name,name] [--page <file>] [--json <file>]

  --minutes N          for each build, 15 by default; all but some starts and checks scales with it
  --against <git ref>  the same run with the build of another commit, which is made if it must be
  --package <folder>   the same run with the build of another clone
  --only name,name     only these scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}
  --page <file>        the report, docs/load.md by default
  --json <file>        the figures, target/load/load.json by default`;
const FULL_MINUTES = 15;
/** The additional time of a scenario for starts, checks and the slowest answers. */
const SLACK_MS = 600_000;

const text = /** @type {const} */ ('string');
const { values } = readOptions(
  {
    options: {
      minutes: { type: text, default: String(FULL_MINUTES) },
      against: { type: text },
      package: { type: text },
      only: { type: text, default: '' },
      page: { type: text, default: join(ROOT, 'docs', 'load.md') },
      json: { type: text, default: join(ROOT, 'target', 'load', 'load.json') },
    },
  },
  USAGE,
);
const minutes = Number(values.minutes);
if (!(minutes > 0)) endWithUsage(USAGE, `--minutes is not valid: ${values.minutes}. Use a number above 0.`);
if (values.against !== undefined && values.package !== undefined)
  endWithUsage(USAGE, '--against and --package exclude each other.');
const only = values.only.split(',').filter(Boolean);
const unknown = only.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
if (unknown.length > 0) endWithUsage(USAGE, `There is no scenario ${unknown.join(', ')}.`);
const scenarios = SCENARIOS.filter(({ name }) => only.length === 0 || only.includes(name));

try {
  process.exitCode = await load();
} catch (error) {
  if (error instanceof UsageError) endWithUsage(USAGE, error.message);
  if (!(error instanceof StepFailed)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 3;
}

async function load() {
  const { trees, builds } = buildTrees();
  const idle = await watchIdle();
  const { machine, versions } = fresh(false);
  /** @type {import('./report.mjs').LoadRun} */
  const run = {
    date: new Date().toISOString(),
    minutes,
    builds,
    machine,
    versions,
    warnings: [
      ...warnings(idle, loadPerCore()),
      ...(minutes < FULL_MINUTES
        ? [
            `in fewer than ${FULL_MINUTES} minutes there are fewer tools, events, runs and writes than the page describes`,
          ]
        : []),
    ],
    scenarios: [],
  };
  for (const scenario of scenarios) {
    const { name, title, about } = scenario;
    /** @type {Partial<Record<Side, import('./report.mjs').Outcome>>} */
    const outcomes = {};
    for (const [side, tree] of Object.entries(trees)) {
      const outcome = await measure(tree, scenario);
      outcomes[/** @type {Side} */ (side)] = outcome;
      const end = outcome.failure ?? outcome.skipped ?? `${outcome.figures?.length} figures`;
      process.stdout.write(`${name}, ${side}: ${outcome.seconds.toFixed(0)} s, ${end}\n`);
    }
    run.scenarios.push({ name, title, about, outcomes });
    // A long run that is interrupted keeps its results.
    write(values.json, `${JSON.stringify(run, undefined, 1)}\n`);
  }
  write(values.page, loadPage(run));
  const { violated, unknown: failed } = verdict(run, 'now');
  for (const line of violated) process.stdout.write(`broken: ${line}\n`);
  for (const line of failed) process.stdout.write(`failed: ${line}\n`);
  process.stdout.write(`Report: ${values.page}\nFigures: ${values.json}\n`);
  return violated.length + failed.length === 0 ? 0 : 1;
}

/** The other build is measured first. This tree is rebuilt for newer sources only when compared with another commit. */
function buildTrees() {
  const builds = { now: currentTitle() };
  if (values.package !== undefined) {
    const before = resolve(values.package);
    return { trees: { before, now: ROOT }, builds: { ...builds, before: titleOf(before) } };
  }
  if (values.against === undefined) return { trees: { now: ROOT }, builds };
  const commit = commitOf(values.against);
  const now = buildCurrentTree();
  return { trees: { before: buildCommit(commit), now }, builds: { ...builds, before: commitTitle(commit) } };
}

/** The commit of a clone, or the folder where there is none. @param {string} tree */
function titleOf(tree) {
  if (!existsSync(join(tree, 'package.json')))
    throw new UsageError(`--package is not valid: ${tree} has no package.json.`);
  return existsSync(join(tree, '.git')) ? captureIn(tree, 'git', ['log', '-1', '--format=%h %s']).trim() : tree;
}

/**
 * @param {string} tree
 * @param {import('./scenarios.mjs').Scenario} scenario
 * @returns {Promise<import('./report.mjs').Outcome>}
 */
async function measure(tree, { job, seconds: full, settings, prepare }) {
  const folder = mkdtempSync(join(tmpdir(), 'tgp-load-'));
  const started = performance.now();
  const took = () => (performance.now() - started) / 1000;
  try {
    const prepared = prepare?.(folder);
    if (prepared !== undefined && 'skipped' in prepared) return { skipped: prepared.skipped, seconds: took() };
    const scale = minutes / FULL_MINUTES;
    const seconds = full * scale;
    const options = { waitMs: 1000 * seconds + SLACK_MS, env: prepared?.env };
    const figures = await runJob(tree, job, { ...settings, folder, seconds, scale }, options);
    return { figures, seconds: took() };
  } catch (error) {
    return { failure: /** @type {Error} */ (error).message, seconds: took() };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** @param {string} file @param {string} content */
function write(file, content) {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, content);
}
