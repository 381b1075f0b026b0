import { expect, test } from 'vitest';
import { IsolateCrashedError } from '../../dist/boundary/errors.js';
import { createTelemetry } from '../../dist/telemetry/telemetry.js';
import { recordMetrics } from './recorder.js';
import { CALL, memoryLog, traceOf, unredacted } from './traces.js';

const tool = { 'gen_ai.tool.name': 'exec_tool' };

test('runs, failures, durations, worker deaths and reuse are counted by tool and code', async () => {
  const read = recordMetrics();
  const telemetry = createTelemetry({}, memoryLog().log, unredacted);
  expect(telemetry.isOn()).toBe(true);
  const run = (/** @type {() => Promise<any>} */ work, path = 'tools/a.ts') =>
    telemetry.run({ ...CALL, path }, 'a-1', work).catch(() => {});
  await run(async () => ({ trace: traceOf() }));
  await run(async () => ({ trace: traceOf() }));
  await run(async () => ({ trace: traceOf() }), 'tools/b.ts');
  await run(() => Promise.reject(new IsolateCrashedError('It is gone.', { details: { trace: traceOf() } })));
  const missing = Object.assign(new IsolateCrashedError('It is gone.'), { code: 'ERR_NOT_FOUND' });
  await telemetry.call({ tool: 'read_file' }, 'a-2', () => Promise.reject(missing)).catch(() => {});
  expect(await read()).toEqual({
    'tgp.runs': [{ ...tool, value: 4 }],
    'tgp.failures': [
      { ...tool, 'error.type': 'ERR_ISOLATE_CRASHED', value: 1 },
      { 'gen_ai.tool.name': 'read_file', 'error.type': 'ERR_NOT_FOUND', value: 1 },
    ],
    'tgp.queue.duration': [{ ...tool, value: 4 }],
    'tgp.run.duration': [{ ...tool, value: 4 }],
    'tgp.worker.deaths': [{ ...tool, value: 1 }],
    'tgp.tools.reused': [{ ...tool, value: 2 }],
  });
});
