/** Measurement rounds: both builds, each in a fresh process, run slices of each job in alternation. */

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { JOBS } from './metrics.mjs';
import { coldStart, JobFailed, ProbeProcess, prepareColdStart } from './probe_process.mjs';
import { median } from './ratio.mjs';

/**
 * @typedef {'base' | 'fresh'} Side
 * @typedef {import('./metrics.mjs').JobName} JobName
 * @typedef {Record<string, Record<Side, number[]>>} Figures of each metric, one for each round
 * @typedef {{ job: JobName, side: Side, why: string }} Failure
 */

/** @type {Side[]} */
export const SIDES = ['base', 'fresh'];

/**
 * The order of the builds: A B B A in one round, B A A B in the next, so that neither drift of the machine nor warm caches
 * favour one build.
 * @param {number} round
 * @param {1 | 2} slices of each side
 * @returns {Side[]}
 */
export function sliceOrder(round, slices) {
  const pair = round % 2 === 0 ? SIDES : [...SIDES].reverse();
  return slices === 1 ? pair : [...pair, ...[...pair].reverse()];
}

export class Rounds {
  /** @type {Figures} */
  figures = {};
  /** @type {Failure[]} */
  failures = [];
  /** The number of started rounds. */
  count = 0;

  /**
   * @param {Record<Side, string>} trees
   * @param {string} folder for temporary files
   * @param {boolean} quick
   */
  constructor(trees, folder, quick) {
    this.trees = trees;
    this.folder = folder;
    this.quick = quick;
    /** @type {Record<Side, string>} */
    this.roots = { base: join(folder, 'cold-base'), fresh: join(folder, 'cold-fresh') };
  }

  /** Each build creates its own folder for cold starts, because formats may differ. */
  async prepare() {
    for (const side of SIDES) {
      await opened(side, prepareColdStart(this.trees[side], this.folder, this.roots[side]));
    }
  }

  /** @param {JobName[]} jobs those that a build could not do are left out */
  async measure(jobs) {
    const round = this.count++;
    const place = mkdtempSync(join(this.folder, 'round-'));
    /** @type {Partial<Record<Side, ProbeProcess>>} */
    const probes = {};
    /** @type {Record<string, Partial<Record<Side, number[]>>>} */
    const values = {};
    try {
      if (jobs.some((job) => job !== 'cold')) {
        for (const side of sliceOrder(round, 1)) {
          probes[side] = await opened(side, ProbeProcess.open(this.trees[side], place));
        }
      }
      for (const job of jobs) {
        if (this.failures.some((failure) => failure.job === job)) continue;
        await this.#job(job, round, probes, values);
      }
    } finally {
      for (const side of SIDES) await probes[side]?.close();
      rmSync(place, { recursive: true, force: true });
    }
    for (const [metric, measured] of Object.entries(values)) {
      this.figures[metric] ??= { base: [], fresh: [] };
      for (const side of SIDES) this.figures[metric][side].push(median(measured[side] ?? []));
    }
  }

  /**
   * @param {JobName} job
   * @param {number} round
   * @param {Partial<Record<Side, ProbeProcess>>} probes
   * @param {Record<string, Partial<Record<Side, number[]>>>} values
   */
  async #job(job, round, probes, values) {
    const { full, quick, slices } = JOBS[job];
    for (const side of sliceOrder(round, slices)) {
      try {
        const measured = await this.#slice(job, side, probes[side], this.quick ? quick : full);
        for (const [metric, taken] of Object.entries(measured)) {
          const before = values[metric] ?? {};
          values[metric] = { ...before, [side]: [...(before[side] ?? []), ...taken] };
        }
      } catch (error) {
        if (!(error instanceof JobFailed)) throw error;
        this.failures.push({ job, side, why: error.message });
        return;
      }
    }
  }

  /**
   * @param {JobName} job
   * @param {Side} side
   * @param {ProbeProcess | undefined} probe
   * @param {number} amount
   * @returns {Promise<Record<string, number[]>>}
   */
  async #slice(job, side, probe, amount) {
    if (job === 'cold') return { cold_start: [await coldStart(this.trees[side], this.folder, this.roots[side])] };
    if (probe === undefined) throw new JobFailed('the process was not started');
    return probe.measure(job, amount);
  }
}

/**
 * @template T
 * @param {Side} side
 * @param {Promise<T>} opening
 */
async function opened(side, opening) {
  try {
    return await opening;
  } catch (error) {
    if (!(error instanceof JobFailed)) throw error;
    throw new JobFailed(`The ${side === 'base' ? 'base' : 'new build'} does not start: ${error.message}`);
  }
}
