import { expect, test } from 'vitest';
import { createTelemetry } from '../../dist/telemetry/telemetry.js';
import { hostCost, MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { tempRoot } from '../helpers/temp_root.js';
import { recordSpans } from './recorder.js';
import { memoryLog, traceOf, unredacted } from './traces.js';

const MAX_PATH_CHARS = 4_200;
const MAX_MESSAGE_CHARS = 4 << 20;
const MAX_TEXT_CHARS = 1_100;

/** As one JSON text, this would exceed the longest JavaScript string. */
const READS = 600;

/** @param {number} timeoutMs @param {string} body */
async function costOfRun(timeoutMs, body) {
  const setup = `
    import { subscribe } from 'node:diagnostics_channel';
    const seen = { runs: 0, calls: 0, longest: 0, chars: 0, leftOut: 0 };
    subscribe('tgp:call', (message) => {
      if (message.tool !== 'exec_tool') return;
      seen.runs += 1;
      seen.calls += message.calls?.length ?? 0;
      seen.leftOut += message.leftOut ?? 0;
      seen.chars = Math.max(seen.chars, JSON.stringify(message).length);
      for (const { path } of message.calls ?? []) seen.longest = Math.max(seen.longest, path?.length ?? 0);
    });
    const kernel = new TGP({ config: { rootDir: './.tgp', sandbox: { timeoutMs: ${timeoutMs}, wallMs: 60000 } } });
    await tgpTools(kernel).write_file.execute({ path: 'tools/long.ts', content: ${JSON.stringify(body)} });
    await kernel.exec('tools/long.ts', { reads: 0 });`;
  const work = `
    const run = kernel.exec('tools/long.ts', { reads: ${READS} });
    const ended = await run.then(({ result }) => result, (error) => error.code);
    return { ended, seen };`;
  return hostCost(await tempRoot(), setup, work, 'await kernel.shutdown();');
}

const READER = `const path = 'x'.repeat(1 << 20);
let failed = 0;
for (let read = 0; read < args.reads; read++) {
  try { await tgp.read_file(path); } catch { failed++; }
}
return failed;`;

test('a tool that reads paths of 1 MB neither crashes the host nor fills its memory', async () => {
  const { value, extraMb } = await costOfRun(30_000, READER);
  expect(value.ended).toBe(READS);
  expect(value.seen.runs).toBe(2);
  expect(value.seen.calls + value.seen.leftOut).toBe(READS);
  expect(value.seen.calls).toBeGreaterThan(100);
  expect(value.seen.longest).toBeLessThan(MAX_PATH_CHARS);
  expect(value.seen.chars).toBeLessThan(MAX_MESSAGE_CHARS);
  expect(extraMb).toBeLessThan(MAX_EXTRA_MB);
});

test('at the default time limit such a tool does not fill the memory either', async () => {
  const { value, extraMb } = await costOfRun(50, READER);
  expect(['ERR_ISOLATE_TIMEOUT', READS]).toContain(value.ended);
  expect(value.seen.longest).toBeLessThan(MAX_PATH_CHARS);
  expect(extraMb).toBeLessThan(MAX_EXTRA_MB);
});

test('every attribute of a span is short, whatever its source', async () => {
  const { spans } = recordSpans();
  const telemetry = createTelemetry(undefined, memoryLog().log, unredacted);
  const long = 'x'.repeat(3 << 20);
  const caller = { session: long, model: long, agent: long, id: long };
  const call = { tool: `exec_tool${long}`, caller, path: long, effect: 'run', toolCall: long };
  const trace = { ...traceOf(), calls: [{ ...traceOf().calls[0], tool: long, path: long }] };
  await telemetry.run(/** @type {any} */ (call), undefined, async () => ({ trace }));
  const error = Object.assign(new Error(long), { code: long });
  await expect(telemetry.call(call, long, () => Promise.reject(error))).rejects.toBe(error);
  expect(spans().length).toBeGreaterThan(2);
  for (const { name, attributes, status } of spans()) {
    for (const text of [name, status.message ?? '', ...Object.values(attributes).map(String)]) {
      expect(text.length).toBeLessThan(MAX_TEXT_CHARS);
    }
  }
});
