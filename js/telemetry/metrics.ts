/** OpenTelemetry metrics of calls and runs. */

import type { Meter } from '@opentelemetry/api';
import { dropOldest } from '../boundary/drop_oldest.js';
import { packageVersion } from '../boundary/package_version.js';
import type { CallMessage } from '../types/telemetry.js';
import type { Fail } from './api.js';
import { PerProvider } from './api.js';
import { attempt } from './attempt.js';
import { ATTRIBUTES, METRICS, SCOPE } from './names.js';

/** What a measurement is about. */
export type Kind = 'call' | 'run';
type Metric = { name: string; unit: string; description: string };
type Measure = (value: number, attributes: Record<string, string>) => void;
type Instruments = Record<keyof typeof METRICS, Measure>;

/** Maximum number of tools that are remembered as run. */
const MAX_KNOWN = 10_000;
const MS_PER_S = 1_000;
/** Histogram buckets in seconds: a warm run takes less than a millisecond, a long one minutes. */
const BOUNDARIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export class Metrics {
  #instruments: PerProvider<Instruments>;
  #known = new Set<string>();

  constructor(fail: Fail) {
    this.#instruments = new PerProvider('metrics', (api) =>
      attempt(fail, () => instruments(api.metrics.getMeter(SCOPE, packageVersion()), fail)),
    );
  }

  record(kind: Kind, call: CallMessage) {
    const isReuse = kind === 'run' && call.path !== undefined && this.#isKnown(call.path);
    const made = this.#instruments.get();
    if (made) record(made, kind, call, isReuse);
  }

  /** Whether the tool was run before. Marks it as run. */
  #isKnown(path: string) {
    if (this.#known.has(path)) return true;
    dropOldest(this.#known, MAX_KNOWN);
    this.#known.add(path);
    return false;
  }
}

function instruments(meter: Meter, fail: Fail): Instruments {
  const counter = ({ name, ...options }: Metric): Measure => {
    const made = meter.createCounter(name, options);
    return (value, attributes) => attempt(fail, () => made.add(value, attributes));
  };
  const duration = ({ name, ...options }: Metric): Measure => {
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

/** Paths, sessions and ids are not attributes, because their number is unbounded. */
function record(made: Instruments, kind: Kind, { tool, code, phases = [] }: CallMessage, isReuse: boolean) {
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
