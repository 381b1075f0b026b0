/** The real SDK of OpenTelemetry with everything kept in memory, registered for one test. */

import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';

/** @typedef {import('@opentelemetry/sdk-trace-base').ReadableSpan} ReadableSpan */

const NEVER_MS = 3_600_000;

/** @param {import('@opentelemetry/sdk-trace-base').TracerConfig} [options] */
export function recordSpans(options = {}) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ ...options, spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  onTestFinished(async () => {
    trace.disable();
    context.disable();
    await provider.shutdown();
  });
  return { spans: () => exporter.getFinishedSpans(), tracer: provider.getTracer('test') };
}

export function recordMetrics() {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: NEVER_MS });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  onTestFinished(async () => {
    metrics.disable();
    await provider.shutdown();
  });
  /** By name: the totals for each set of attributes. */
  return async () => {
    await provider.forceFlush();
    const found =
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    return Object.fromEntries(
      found.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints.map(({ attributes, value }) => ({
          ...attributes,
          value: typeof value === 'number' ? value : value.count,
        })),
      ]),
    );
  };
}

/**
 * Spans as an indented tree, siblings in the order of their start times, then of their names.
 * @param {ReadableSpan[]} spans
 * @returns {string[]}
 */
export function treeOf(spans) {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const above = (/** @type {ReadableSpan} */ span) => {
    const parent = span.parentSpanContext?.spanId;
    return parent !== undefined && ids.has(parent) ? parent : undefined;
  };
  /** @type {(parent: string | undefined, indent: string) => string[]} */
  const below = (parent, indent) =>
    spans
      .filter((span) => above(span) === parent)
      .sort((a, b) => msOf(a.startTime) - msOf(b.startTime) || a.name.localeCompare(b.name))
      .flatMap((span) => [`${indent}${span.name}`, ...below(span.spanContext().spanId, `${indent}  `)]);
  return below(undefined, '');
}

/** @param {import('@opentelemetry/api').HrTime} time */
export function msOf([seconds, nanos]) {
  return seconds * 1_000 + nanos / 1_000_000;
}
