import { context, metrics, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ToolError } from '../../js/boundary/errors.js';
import { createTelemetry } from '../../js/telemetry/telemetry.js';
import { ASKED, asItIs, keptLog, traceOf } from './traces.js';

/** @type {() => never} */
const fails = () => {
  throw new Error('The collector is on fire.');
};

const later = () => Promise.reject(new Error('The collector is on fire.'));

/** A span that does nothing, but for what `own` does. @param {Record<string, unknown>} [own] */
function span(own = {}) {
  const none = () => {};
  return { isRecording: () => true, setAttributes: none, setAttribute: none, setStatus: none, end: none, ...own };
}

/** @type {Record<string, any>} */
const PROVIDERS = {
  'that gives no tracer': { getTracer: fails },
  'that begins no span': { getTracer: () => ({ startSpan: fails }) },
  'that gives nothing for a span': { getTracer: () => ({ startSpan: () => null }) },
  'that says nothing of recording': { getTracer: () => ({ startSpan: () => span({ isRecording: fails }) }) },
  'that takes no attributes': { getTracer: () => ({ startSpan: () => span({ setAttributes: fails }) }) },
  'that takes no status': { getTracer: () => ({ startSpan: () => span({ setStatus: fails }) }) },
  'that ends no span': { getTracer: () => ({ startSpan: () => span({ end: fails }) }) },
  'that ends spans later, and fails': {
    getTracer: () => ({ startSpan: () => span({ end: later }) }),
  },
  'that does everything later, and fails': {
    getTracer: () => ({ startSpan: () => span({ setAttributes: later, setStatus: later, end: later }) }),
  },
  'that cannot be looked at': {
    getTracer: () => new Proxy({}, { get: fails, getPrototypeOf: fails, has: fails }),
  },
};

const good = { getTracer: () => ({ startSpan: () => span() }) };

/** @type {Record<string, any>} */
const MANAGERS = {
  'that does not know where it is': { active: fails },
  'that does no work': { with: () => {} },
  'that fails before the work': { with: fails },
  'that fails after the work': {
    with: (/** @type {any} */ _, /** @type {() => void} */ work) => {
      work();
      fails();
    },
  },
  'that does the work twice': {
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
  const { log, lines } = keptLog();
  const telemetry = createTelemetry({ contents: true }, log, asItIs);
  let done = 0;
  const error = new ToolError('It broke.', { details: { line: 1, trace: traceOf() } });
  const value = await telemetry.run(ASKED, 'a-1', async () => {
    done += 1;
    return { result: 7, trace: traceOf() };
  });
  const failed = telemetry.run(ASKED, 'a-2', async () => {
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
  ['no meter', { getMeter: fails }],
  ['no counter', { getMeter: () => ({ createCounter: fails, createHistogram: fails }) }],
  [
    'counters that fail later',
    { getMeter: () => ({ createCounter: () => ({ add: later }), createHistogram: () => ({ record: later }) }) },
  ],
  [
    'counters that fail',
    { getMeter: () => ({ createCounter: () => ({ add: fails }), createHistogram: () => ({ record: fails }) }) },
  ],
])('a meter provider with %s changes no outcome, and is told of once', async (_, provider) => {
  metrics.setGlobalMeterProvider(/** @type {any} */ (provider));
  expect(await outcomes(good)).toHaveLength(1);
});
