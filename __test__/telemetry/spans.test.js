import { trace } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { TGPError, ToolError } from '../../dist/boundary/errors.js';
import { createTelemetry } from '../../dist/telemetry/telemetry.js';
import { msOf, recordSpans, treeOf } from './recorder.js';
import { CALL, memoryLog, traceOf, unredacted } from './traces.js';

/** Hides keys as the kernel does. @param {string} text */
const hidesKeys = (text) => text.replace(/ghp_\w+/g, '[hidden]');

const ID = 'aaaaaaaa-1';
const ERROR_STATUS = 2;

/**
 * @param {Parameters<typeof createTelemetry>[0]} [options]
 * @param {Parameters<typeof recordSpans>[0]} [sdk]
 */
function setUp(options, sdk) {
  const recorded = recordSpans(sdk);
  const { log, lines } = memoryLog();
  return { ...recorded, lines, telemetry: createTelemetry(options, log, hidesKeys) };
}

/** @param {ReturnType<typeof setUp>['spans']} spans */
function byName(spans) {
  return Object.fromEntries(spans().map((span) => [span.name, span]));
}

test('a run is one span, with its phases and nested host calls below', async () => {
  const { telemetry, spans } = setUp();
  const value = await telemetry.run(CALL, ID, async () => ({ result: 1, trace: traceOf() }));
  expect(value).toEqual({ result: 1 });
  expect(treeOf(spans())).toEqual([
    'execute_tool exec_tool',
    '  compile',
    '  queue',
    '  run',
    '    host_call exec_sql',
    '    host_call exec_tool',
    '      host_call fetch',
  ]);
  const named = byName(spans);
  expect(named['execute_tool exec_tool']).toMatchObject({ kind: 0, status: { code: 0 } });
  expect(named['execute_tool exec_tool'].attributes).toEqual({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'exec_tool',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'call-7',
    'gen_ai.conversation.id': 's1',
    'tgp.actor': 'agent',
    'tgp.path': 'tools/report.ts',
    'tgp.effect': 'run',
    'tgp.ledger.call': ID,
    'tgp.ledger.after': 41,
  });
  expect(named['host_call fetch'].attributes).toEqual({ 'tgp.ledger.call': 'aaaaaaaa-4', 'tgp.effect': 'net' });
  expect(named['host_call exec_tool'].attributes).toMatchObject({ 'tgp.path': 'tools/b.ts' });
});

test('a run without a call id takes it from the trace', async () => {
  const { telemetry, spans } = setUp();
  await telemetry.run(CALL, undefined, async () => ({ trace: traceOf() }));
  expect(byName(spans)['execute_tool exec_tool'].attributes['tgp.ledger.call']).toBe(ID);
  expect(treeOf(spans())).toContain('      host_call fetch');
});

test('no child span begins before its call or ends after it', async () => {
  const { telemetry, spans } = setUp();
  await telemetry.run(CALL, ID, async () => ({ trace: traceOf() }));
  const [own, ...parts] = [...spans()].reverse();
  for (const { startTime, endTime } of parts) {
    expect(msOf(startTime)).toBeGreaterThanOrEqual(msOf(own.startTime));
    expect(msOf(endTime)).toBeLessThanOrEqual(msOf(own.endTime));
  }
});

test('the span is a child of the active span, and the parent of spans that its work creates', async () => {
  const { telemetry, spans, tracer } = setUp();
  await tracer.startActiveSpan('ai.toolCall', async (span) => {
    await telemetry.call({ tool: 'read_file' }, ID, async () => {
      await null;
      tracer.startSpan('of the application').end();
    });
    span.end();
  });
  expect(treeOf(spans())).toEqual(['ai.toolCall', '  execute_tool read_file', '    of the application']);
});

test('a call without a description has no span', async () => {
  const { telemetry, spans } = setUp();
  expect(await telemetry.call(undefined, undefined, async () => 1)).toBe(1);
  expect(spans()).toEqual([]);
});

test('telemetry: false reports nothing, and requests no trace', async () => {
  const { telemetry, spans } = setUp(false);
  expect(telemetry.isOn()).toBe(false);
  expect(await telemetry.run(CALL, ID, async (tracing) => tracing)).toBe('untraced');
  expect(spans()).toEqual([]);
});

test('a sampler that drops everything gets no span, and the result has no trace', async () => {
  const sampler = { shouldSample: () => ({ decision: 0 }), toString: () => 'none' };
  const { telemetry, spans } = setUp({}, { sampler });
  expect(await telemetry.run(CALL, ID, async () => ({ trace: traceOf() }))).toEqual({});
  expect(spans()).toEqual([]);
});

describe('failures', () => {
  test('a failed run has its code; the error is the same, without the trace', async () => {
    const { telemetry, spans } = setUp();
    const calls = [{ call: 'b-2', parent: ID, tool: 'fetch', effect: 'net', start: 0, end: 0, code: 'ERR_FETCH' }];
    const error = new ToolError('Bern is unknown.', { details: { line: 3, trace: traceOf({ calls }) } });
    const failed = telemetry.run(CALL, ID, async () => {
      throw error;
    });
    await expect(failed).rejects.toBe(error);
    expect(error.details).toEqual({ line: 3 });
    const named = byName(spans);
    expect(named['execute_tool exec_tool']).toMatchObject({
      status: { code: ERROR_STATUS },
      attributes: { 'error.type': 'ERR_TOOL_THROWN', 'tgp.ledger.after': 41 },
    });
    expect(named['host_call fetch']).toMatchObject({
      status: { code: ERROR_STATUS },
      attributes: { 'error.type': 'ERR_FETCH' },
    });
    expect(JSON.stringify(spans().map(({ attributes, status, events }) => [attributes, status, events]))).not.toContain(
      'Bern',
    );
  });

  test('a denial has verdict and rule', async () => {
    const { telemetry, spans } = setUp();
    const details = { verdict: 'deny', rule: 'no-payments' };
    const denied = new TGPError(/** @type {any} */ ('ERR_DENIED'), 'Payments need a person.', { details });
    await expect(telemetry.call(CALL, ID, () => Promise.reject(denied))).rejects.toBe(denied);
    expect(spans()[0]?.attributes).toMatchObject({
      'error.type': 'ERR_DENIED',
      'tgp.verdict': 'deny',
      'tgp.rule': 'no-payments',
    });
  });

  test.each([
    ['undefined', undefined],
    ['a text', 'no'],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          get() {
            throw new Error('no');
          },
          has() {
            throw new Error('no');
          },
        },
      ),
    ],
  ])('%s is rethrown as it is', async (_, thrown) => {
    const { telemetry, spans } = setUp({ contents: true });
    let caught;
    await telemetry
      .call(CALL, ID, async () => {
        throw thrown;
      })
      .catch((error) => {
        caught = error;
      });
    expect(caught).toBe(thrown);
    expect(spans()[0]?.attributes['error.type']).toBe('_OTHER');
  });

  test('work that throws synchronously is a rejection', async () => {
    const { telemetry, spans } = setUp();
    const failed = telemetry.call(CALL, ID, () => {
      throw new ToolError('at once');
    });
    await expect(failed).rejects.toThrow('at once');
    expect(spans()).toHaveLength(1);
  });
});

describe('contents', () => {
  const secret = `ghp_${'a1'.repeat(15)}`;
  const run = async (/** @type {any} */ options) => {
    const { telemetry, spans } = setUp(options);
    await telemetry.run(CALL, ID, async () => ({ result: { note: `key ${secret}` }, trace: traceOf() }));
    await telemetry.call(CALL, ID, () => Promise.reject(new ToolError(`Bern ${secret}`))).catch(() => {});
    return spans();
  };

  test('are not included by default', async () => {
    const text = JSON.stringify((await run({})).map(({ attributes, status, events }) => [attributes, status, events]));
    for (const word of ['Bern', 'hunter2', secret, 'note']) expect(text).not.toContain(word);
  });

  test('are included if enabled, without secrets', async () => {
    const [done, failed] = (await run({ contents: true })).filter(({ name }) => name.startsWith('execute_tool'));
    expect(done?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"city":"Bern","api_key":"[hidden]"}',
      'gen_ai.tool.call.result': '{"result":{"note":"key [hidden]"}}',
    });
    expect(failed?.status).toEqual({ code: ERROR_STATUS, message: 'Bern [hidden]' });
  });
});

describe('inconsistent traces', () => {
  const odd = (/** @type {any} */ calls) => ({ trace: traceOf({ calls }) });
  const call = (/** @type {string} */ id, /** @type {string} */ parent) => ({
    ...{ call: id, parent, tool: id, effect: 'read', start: Date.now(), end: Date.now() },
  });

  test('calls with an unknown parent are children of the run', async () => {
    const { telemetry, spans } = setUp();
    await telemetry.run(CALL, ID, async () => odd([call('x', 'gone')]));
    expect(treeOf(spans())).toContain('    host_call x');
  });

  test('cyclic parents do not loop', async () => {
    const { telemetry, spans, lines } = setUp();
    await telemetry.run(CALL, ID, async () => odd([call('x', 'y'), call('y', 'x'), call('z', 'z')]));
    expect(spans().map(({ name }) => name)).toContain('host_call z');
    expect(lines).toEqual([]);
  });

  test('a run with very many host calls has a thousand spans, and the number of omitted ones', async () => {
    const { telemetry, spans } = setUp();
    const many = Array.from({ length: 1_500 }, (_, at) => call(`c${at}`, at === 0 ? ID : `c${at - 1}`));
    await telemetry.run(CALL, ID, async () => ({ trace: traceOf({ calls: many, leftOut: 7 }) }));
    expect(spans()).toHaveLength(1_000 + 4);
    expect(byName(spans)['execute_tool exec_tool'].attributes['tgp.calls.left_out']).toBe(507);
  });
});

test('a provider that is registered later, or again, is found', async () => {
  const { log } = memoryLog();
  const telemetry = createTelemetry(undefined, log, unredacted);
  await telemetry.call(CALL, ID, async () => 1);
  const first = recordSpans();
  await telemetry.call(CALL, ID, async () => 1);
  trace.disable();
  await telemetry.call(CALL, ID, async () => 1);
  const second = recordSpans();
  await telemetry.call(CALL, ID, async () => 1);
  expect([first.spans().length, second.spans().length]).toEqual([1, 1]);
});
