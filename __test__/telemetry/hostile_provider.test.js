import { context, metrics, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ToolError } from '../../dist/boundary/errors.js';
import { createTelemetry } from '../../dist/telemetry/telemetry.js';
import { CALL, memoryLog, traceOf, unredacted } from './traces.js';

/** @type {() => never} */
const fails = () => {
  throw new Error('The collector is on fire.');
};

const later = () => Promise.reject(new Error('The collector is on fire.'));

/** A span without effects; `own` replaces methods. @param {Record<string, unknown>} [own] */
function span(own = {}) {
  const none = () => {};
  return { isRecording: () => true, setAttributes: none, setAttribute: none, setStatus: none, end: none, ...own };
}

/** @type {Record<string, any>} */
const PROVIDERS = {
  'whose getTracer throws': { getTracer: fails },
  'whose startSpan throws': { getTracer: () => ({ startSpan: fails }) },
  'whose startSpan returns null': { getTracer: () => ({ startSpan: () => null }) },
  'whose isRecording throws': { getTracer: () => ({ startSpan: () => span({ isRecording: fails }) }) },
  'whose setAttributes throws': { getTracer: () => ({ startSpan: () => span({ setAttributes: fails }) }) },
  'whose setStatus throws': { getTracer: () => ({ startSpan: () => span({ setStatus: fails }) }) },
  'whose end throws': { getTracer: () => ({ startSpan: () => span({ end: fails }) }) },
  'whose end rejects': {
    getTracer: () => ({ startSpan: () => span({ end: later }) }),
  },
  'whose span methods reject': {
    getTracer: () => ({ startSpan: () => span({ setAttributes: later, setStatus: later, end: later }) }),
  },
  'whose tracer throws at every access': {
    getTracer: () => new Proxy({}, { get: fails, getPrototypeOf: fails, has: fails }),
  },
};

const good = { getTracer: () => ({ startSpan: () => span() }) };

/** @type {Record<string, any>} */
const MANAGERS = {
  'whose active throws': { active: fails },
  'whose with does not call the work': { with: () => {} },
  'whose with throws before the work': { with: fails },
  'whose with throws after the work': {
    with: (/** @type {any} */ _, /** @type {() => void} */ work) => {
      work();
      fails();
    },
  },
  'whose with calls the work twice': {
    with: (/** @type {any} */ _, /** @type {() => void} */ work) => {
      work();
      work();
    },
  },
};

/**
 * @param {any} provider
 * @param {any} [manager]
 */
async function outcomes(provider, manager) {
  trace.setGlobalTracerProvider(provider);
  if (manager) context.setGlobalContextManager({ active: () => ROOT_CONTEXT, disable: () => {}, ...manager });
  onTestFinished(() => {
    trace.disable();
    context.disable();
    metrics.disable();
  });
  const { log, lines } = memoryLog();
  const telemetry = createTelemetry({ contents: true }, log, unredacted);
  let done = 0;
  const error = new ToolError('It broke.', { details: { line: 1, trace: traceOf() } });
  const value = await telemetry.run(CALL, 'a-1', async () => {
    done += 1;
    return { result: 7, trace: traceOf() };
  });
  const failed = telemetry.run(CALL, 'a-2', async () => {
    done += 1;
    throw error;
  });
  await expect(failed).rejects.toBe(error);
  await new Promise((later) => setImmediate(later));
  expect(value).toEqual({ result: 7 });
  expect(error.details).toEqual({ line: 1 });
  expect(done).toBe(2);
  return lines;
}

describe('a provider', () => {
  test.each(Object.keys(PROVIDERS))('%s changes no outcome, and is logged once', async (name) => {
    const lines = await outcomes(PROVIDERS[name]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('OpenTelemetry failed');
  });
});

describe('a context manager', () => {
  test.each(Object.keys(MANAGERS))('%s changes no outcome, and work is done once', async (name) => {
    expect((await outcomes(good, MANAGERS[name])).length).toBeLessThanOrEqual(1);
  });
});

test.each([
  ['getMeter that throws', { getMeter: fails }],
  ['createCounter that throws', { getMeter: () => ({ createCounter: fails, createHistogram: fails }) }],
  [
    'counters that reject',
    { getMeter: () => ({ createCounter: () => ({ add: later }), createHistogram: () => ({ record: later }) }) },
  ],
  [
    'counters that throw',
    { getMeter: () => ({ createCounter: () => ({ add: fails }), createHistogram: () => ({ record: fails }) }) },
  ],
])('a meter provider with %s changes no outcome, and is logged once', async (_, provider) => {
  metrics.setGlobalMeterProvider(/** @type {any} */ (provider));
  expect(await outcomes(good)).toHaveLength(1);
});
