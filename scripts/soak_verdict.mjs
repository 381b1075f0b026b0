/** The guarantees checked by a soak, and their verdicts. */

import { percentile, slope } from '../tools/statistics.mjs';
import { lineChart } from '../tools/svg.mjs';

/** @typedef {import('./soak_watch.mjs').Seen} Seen */
/** @typedef {{ promise: string, kept: boolean, found: string }} Finding */

/** The allowed growth of memory in the second half: a constant for garbage collection, or a share. A short soak is all warm-up. */
const GROWTH_MB = 32;
const SHORT_SECONDS = 60;
const SHORT_GROWTH_MB = 96;
const GROWTH_SHARE = 0.1;
/** The allowed number of temporary files: sockets, logs, locks. */
const LOOSE_FILES = 8;

/**
 * @param {Seen} record
 * @returns {Finding[]}
 */
export function verdict(record) {
  const { samples, done, died, broken, before, after, kills } = record;
  const unexpected = done.filter(({ outcome }) => outcome.startsWith('unexpected'));
  const grown = growth(record);
  const [early, late] = halves(samples).map((half) =>
    percentile(
      half.map(({ files }) => files),
      0.5,
    ),
  );
  return [
    {
      promise: 'the host survives',
      kept: died === undefined,
      found: died ?? `${done.length} calls, ${kills} workers killed`,
    },
    {
      promise: 'every call ends as expected, errors with a matching code',
      kept: unexpected.length === 0 && done.length > 0,
      found:
        unexpected.length === 0
          ? `${done.length} answers`
          : `${unexpected.length}: ${unexpected
              .slice(0, 5)
              .map(({ job, outcome }) => `${job} ${outcome}`)
              .join(' | ')}`,
    },
    {
      promise: 'memory of the host is flat in the second half',
      kept: grown.mb <= grown.allowed,
      found: `${grown.mb.toFixed(1)} MB more (${grown.perMinute.toFixed(1)} MB a minute), allowed ${grown.allowed.toFixed(0)} MB`,
    },
    {
      promise: 'no descriptors leak',
      kept: (late ?? 0) <= (early ?? 0) + LOOSE_FILES && (after?.files ?? 0) <= (before?.files ?? 0) + LOOSE_FILES,
      found: `${early} in the first half, ${late} in the second, ${after?.files} at the end`,
    },
    {
      promise: 'no process is left behind',
      kept: after !== undefined && after.processes.length === 0,
      found: `${after?.processes.length ?? 'unknown'} left`,
    },
    {
      promise: 'acknowledged data exists: the ledger verifies, every push is at the remote',
      kept: broken.length === 0 && died === undefined,
      found: broken.join('; ') || 'complete',
    },
  ];
}

/** @template T @param {T[]} values @returns {[T[], T[]]} */
function halves(values) {
  const middle = Math.floor(values.length / 2);
  return [values.slice(0, middle), values.slice(middle)];
}

/** @param {Seen} record */
function growth({ samples }) {
  const [, second] = halves(samples);
  const perSecond = slope(second.map(({ at, hostMb }) => [at, hostMb]));
  const time = (second.at(-1)?.at ?? 0) - (second[0]?.at ?? 0);
  const base =
    percentile(
      second.map(({ hostMb }) => hostMb),
      0.5,
    ) || 0;
  return {
    mb: perSecond * time,
    perMinute: 60 * perSecond,
    allowed: Math.max(time < SHORT_SECONDS / 2 ? SHORT_GROWTH_MB : GROWTH_MB, GROWTH_SHARE * base),
  };
}

/**
 * Duration and outcomes of each kind of call.
 * @param {Seen} record
 */
export function byKind({ done }) {
  const kinds = [...new Set(done.map(({ job }) => job))].sort();
  return kinds.map((kind) => {
    const own = done.filter(({ job }) => job === kind);
    const times = own.map(({ ms }) => ms);
    const ends = [...new Set(own.map(({ outcome }) => outcome.split(':')[0] ?? ''))].map(
      (end) => `${end} ${own.filter(({ outcome }) => outcome.split(':')[0] === end).length}`,
    );
    return {
      kind,
      calls: own.length,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      slowest: Math.max(...times),
      ends: ends.join(', '),
    };
  });
}

/** Seconds per point of a latency curve. */
const WINDOWS = 60;

/**
 * Memory, files and processes, and latency over time.
 * @param {Seen} record
 * @returns {Record<string, string>} by name of the file
 */
export function pictures(record) {
  const { samples, done } = record;
  const length = samples.at(-1)?.at ?? 0;
  const source = `${done.length} calls in ${length.toFixed(0)} s, ${record.kills} workers killed, Node ${process.versions.node}`;
  const x = { name: 'seconds', from: 0 };
  const curve = (/** @type {(sample: import('./soak_watch.mjs').Sample) => number} */ of) =>
    samples.map((sample) => /** @type {[number, number]} */ ([sample.at, of(sample)]));
  return {
    'soak_memory.svg': lineChart({
      title: 'Soak: memory',
      about: 'Resident, in MB.',
      source,
      x,
      y: { name: 'MB', from: 0 },
      series: {
        host: curve(({ hostMb }) => hostMb),
        'JavaScript heap': curve(({ heapMb }) => heapMb),
        'host and workers': curve(({ totalMb }) => totalMb),
      },
    }),
    'soak_files.svg': lineChart({
      title: 'Soak: descriptors and processes',
      about: 'Of the host; processes below it.',
      source,
      x,
      y: { name: 'count', from: 0 },
      series: { descriptors: curve(({ files }) => files), processes: curve(({ processes }) => processes) },
    }),
    'soak_latency.svg': lineChart({
      title: 'Soak: how long calls took, p99',
      about: 'Milliseconds, logarithmic.',
      source,
      x,
      y: { name: 'ms', scale: 'log' },
      series: latency(record, length),
    }),
  };
}

/** @param {Seen} record @param {number} length */
function latency({ done }, length) {
  const start = Math.min(...done.map(({ at }) => at));
  const window = Math.max(1, length / WINDOWS);
  /** @type {Record<string, [number, number][]>} */
  const series = {};
  for (const kind of ['good', 'bomb', 'query', 'write', 'denied']) {
    /** @type {Map<number, number[]>} */
    const windows = new Map();
    for (const { job, at, ms } of done) {
      if (job !== kind) continue;
      const place = Math.floor((at - start) / 1000 / window);
      windows.set(place, [...(windows.get(place) ?? []), ms]);
    }
    if (windows.size > 0)
      series[kind] = [...windows].map(([place, times]) => [place * window, Math.max(0.01, percentile(times, 0.99))]);
  }
  return series;
}
