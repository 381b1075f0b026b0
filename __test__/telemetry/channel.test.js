import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { ToolError } from '../../dist/boundary/errors.js';
import { createTelemetry } from '../../dist/telemetry/telemetry.js';
import { CALL, memoryLog, traceOf, unredacted } from './traces.js';

/** @returns {any[]} */
function collectMessages() {
  /** @type {unknown[]} */
  const messages = [];
  const listener = (/** @type {unknown} */ message) => {
    messages.push(message);
  };
  subscribe('tgp:call', listener);
  onTestFinished(() => {
    unsubscribe('tgp:call', listener);
  });
  return messages;
}

test('subscribers get a message at the end of each call', async () => {
  const telemetry = createTelemetry({}, memoryLog().log, unredacted);
  expect(telemetry.isOn()).toBe(false);
  const messages = collectMessages();
  expect(telemetry.isOn()).toBe(true);
  const trace = traceOf();
  await telemetry.run(CALL, 'aaaaaaaa-1', async () => ({ trace }));
  expect(messages[0].end).toBeGreaterThanOrEqual(trace.phases[2]?.end);
  expect(messages).toEqual([
    {
      tool: 'exec_tool',
      call: 'aaaaaaaa-1',
      ok: true,
      start: expect.any(Number),
      end: expect.any(Number),
      path: 'tools/report.ts',
      effect: 'run',
      session: 's1',
      actor: 'agent',
      toolCall: 'call-7',
      after: 41,
      phases: trace.phases,
      calls: trace.calls,
    },
  ]);
});

test('a failure has its code; contents are included only if enabled', async () => {
  const messages = collectMessages();
  for (const contents of [false, true]) {
    const telemetry = createTelemetry({ contents }, memoryLog().log, unredacted);
    await telemetry.call(CALL, 'a-1', () => Promise.reject(new ToolError('Bern?'))).catch(() => {});
    await telemetry.call(CALL, 'a-2', async () => ['Bern']);
  }
  const [failed, done, failedWithContents, doneWithContents] = messages;
  expect(failed).toMatchObject({ ok: false, code: 'ERR_TOOL_THROWN' });
  expect(JSON.stringify([failed, done])).not.toContain('Bern');
  expect(failedWithContents).toMatchObject({ message: 'Bern?' });
  expect(doneWithContents).toMatchObject({ arguments: '{"city":"Bern","api_key":"[hidden]"}', result: '["Bern"]' });
});
