/** OpenTelemetry metrics of calls and runs. */

import { dropOldest } from '../boundary/drop_oldest.js';
import { packageVersion } from '../boundary/package_version.js';
import { PerProvider } from './api.js';
import { attempt } from './attempt.js';
import { ATTRIBUTES, METRICS, SCOPE } from './names.js';

/**
 * @typedef {import('./call_message.js').CallMessage} CallMessage
 * @typedef {'call' | 'run'} Kind
 * @typedef {import('./api.js').Fail} Fail
 * @typedef {{ name: string, unit: string, description: string }} Metric
 * @typedef {(value: number, attributes: Record<string, string>) => void} Measure
 * @typedef {Record<keyof typeof METRICS, Measure>} Instruments
 */

/** Maximum number of tools that are remembered as run. */
const MAX_KNOWN = 10_000;
const MS_PER_S = 1_000;
/** Histogram buckets in seconds: a warm run takes less than a millisecond, a long one minutes. */
const BOUNDARIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export class Metrics {
  /** @type {PerProvider<Instruments>} */
  #instruments;
  /** @type {Set<string>} */
  #known = new Set();

  /** @param {Fail} fail */
  constructor(fail) {
    this.#instruments = new PerProvider('metrics', (api) =>
      attempt(fail, () => instruments(api.metrics.getMeter(SCOPE, packageVersion()), fail)),
    );
  }

  /**
   * @param {Kind} kind
   * @param {CallMessage} call
   */
  record(kind, call) {
    const isReuse = kind === 'run' && call.path !== undefined && this.#isKnown(call.path);
    const made = this.#instruments.get();
    if (made) record(made, kind, call, isReuse);
  }

  /**
   * Whether the tool was run before. Marks it as run.
   * @param {string} path
   */
  #isKnown(path) {
    if (this.#known.has(path)) return true;
    dropOldest(this.#known, MAX_KNOWN);
    this.#known.add(path);
    return false;
  }
}

/**
 * @param {import('@opentelemetry/api').Meter} meter
 * @param {Fail} fail
 * @returns {Instruments}
 */
function instruments(meter, fail) {
  /** @type {(metric: Metric) => Measure} */
  const counter = ({ name, ...options }) => {
    const made = meter.createCounter(name, options);
    return (value, attributes) => attempt(fail, () => made.add(value, attributes));
  };
  /** @type {(metric: Metric) => Measure} */
  const duration = ({ name, ...options }) => {
    const made = meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: BOUNDARIES } });
    return (value, attributes) => attempt(fail, () => made.record(value, attributes));
  };
  return {
    runs: counter(METRICS.runs),
    failures: counter(METRICS.failures),
    queueDuration: duration(METRICS.queueDuration),
    runDuration: duration(METRICS.runDuration),
    workerDeaths: counter(METRICS.workerDeaths),
    toolsReused: counter(METRICS.toolsReused),
  };
}

/**
 * Paths, sessions and ids are not attributes, because their number is unbounded.
 * @param {Instruments} made
 * @param {Kind} kind
 * @param {CallMessage} call
 * @param {boolean} isReuse
 */
function record(made, kind, { tool, code, phases = [] }, isReuse) {
  const named = { [ATTRIBUTES.tool]: tool };
  if (code !== undefined) made.failures(1, { ...named, [ATTRIBUTES.error]: code });
  if (kind === 'call') return;
  made.runs(1, named);
  if (isReuse) made.toolsReused(1, named);
  if (code === 'ERR_ISOLATE_CRASHED') made.workerDeaths(1, named);
  for (const { name, start, end } of phases) {
    const seconds = Math.max(0, end - start) / MS_PER_S;
    if (name === 'queue') made.queueDuration(seconds, named);
    if (name === 'run') made.runDuration(seconds, named);
  }
}
