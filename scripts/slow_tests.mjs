/** Test durations: printed at the end of `npm test`, and used by `npm run test:changed` for planning. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from '../tools/process.mjs';

/** @typedef {{ name: string, seconds: number }} Timing */

const SECONDS = join(ROOT, 'target', 'test_seconds.json');

/**
 * A Vitest reporter that records the duration of each file, with its imports and hooks. Files that did not run keep their
 * previous duration.
 */
export default class SlowTests {
  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    const { collectDuration, setupDuration, prepareDuration, duration } = module.diagnostic();
    this.#seconds[relative(ROOT, module.moduleId)] =
      Math.round((collectDuration + setupDuration + prepareDuration + duration) / 100) / 10;
  }

  onTestRunEnd() {
    mkdirSync(dirname(SECONDS), { recursive: true });
    writeFileSync(SECONDS, `${JSON.stringify({ ...readSeconds(), ...this.#seconds }, undefined, 1)}\n`);
  }

  /** @type {Record<string, number>} */
  #seconds = {};
}

/**
 * Seconds by test file, of the last runs on this machine.
 * @returns {Record<string, number>}
 */
export function readSeconds() {
  try {
    const noted = Object.entries(JSON.parse(readFileSync(SECONDS, 'utf8')));
    return Object.fromEntries(noted.filter(([path]) => existsSync(join(ROOT, path))));
  } catch {
    return {};
  }
}

/**
 * The slowest first.
 * @param {Timing[]} timings
 * @param {number} most
 */
export function slowest(timings, most) {
  return timings.toSorted((one, other) => other.seconds - one.seconds).slice(0, most);
}

/**
 * @param {string} xml nextest's report
 * @returns {Timing[]}
 */
export function timingsOfJunit(xml) {
  return [...xml.matchAll(/<testcase name="([^"]*)"[^>]*? time="([\d.]+)"/g)].map(([, name = '', seconds]) => ({
    name,
    seconds: Number(seconds),
  }));
}

/**
 * @param {string} title
 * @param {Timing[]} timings
 */
export function timingTable(title, timings) {
  const lines = timings.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
  return lines.length === 0 ? '' : `\n${title}\n${lines.join('\n')}\n`;
}
