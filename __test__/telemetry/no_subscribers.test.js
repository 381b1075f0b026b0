import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findApi } from '../../dist/telemetry/api.js';
import { createTelemetry } from '../../dist/telemetry/telemetry.js';
import { tempRoot } from '../helpers/temp_root.js';
import { CALL, memoryLog, unredacted } from './traces.js';

const run = promisify(execFile);
const MODULE = new URL('../../dist/telemetry/telemetry.js', import.meta.url).href;
const MAX_US = 1;

/** Runs `setup` and one call in a separate process, and returns what that process reports. @param {string} setup */
async function inProcess(setup) {
  const program = `
    import Module from 'node:module';
    const lines = [];
    const keep = (line) => lines.push(line);
    const { createTelemetry } = await import('${MODULE}');
    const telemetry = createTelemetry({}, { debug: keep, info: keep, warn: keep, error: keep }, (text) => text);
    ${setup}
    const value = await telemetry.run({ tool: 'exec_tool' }, 'a-1', async (tracing) => ({ result: tracing }));
    const loaded = Object.keys(Module._cache).filter((file) => file.includes('@opentelemetry'));
    console.log(JSON.stringify({ isOn: telemetry.isOn(), value, loaded, lines }));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: await tempRoot() });
  return JSON.parse(stdout);
}

test('without a provider OpenTelemetry is not loaded', async () => {
  expect(await inProcess('')).toEqual({ isOn: false, value: { result: 'untraced' }, loaded: [], lines: [] });
});

test('calls work where the package is not installed', async () => {
  const hidden = `
    const resolve = Module._resolveFilename;
    Module._resolveFilename = (name, ...rest) => {
      if (name.startsWith('@opentelemetry/')) throw Object.assign(new Error('none'), { code: 'MODULE_NOT_FOUND' });
      return resolve.call(Module, name, ...rest);
    };
    globalThis[Symbol.for('opentelemetry.js.api.1')] = { version: '1.9.0', trace: {}, metrics: {} };
  `;
  expect(await inProcess(hidden)).toEqual({ isOn: true, value: { result: 'traced' }, loaded: [], lines: [] });
});

test('a copy of the package without the provider is skipped', async () => {
  expect(findApi('trace', {}, [process.cwd(), await tempRoot()])).toBeUndefined();
  expect(findApi('metrics', {}, [process.cwd()])).toBeUndefined();
});

test('telemetry without subscribers costs less than a microsecond per call', async () => {
  const telemetry = createTelemetry({}, memoryLog().log, unredacted);
  const work = async () => 1;
  const reported = () => telemetry.call(CALL, 'a-1', work);
  const cost = Math.min(...(await rounds(reported))) - Math.min(...(await rounds(work)));
  expect(cost).toBeLessThan(MAX_US);
});

/**
 * Microseconds per call in each of many rounds, which are short so that some of them run without an interruption.
 * @param {() => Promise<unknown>} one
 */
async function rounds(one) {
  const each = [];
  const CALLS = 1_000;
  for (let round = 0; round < 300; round++) {
    const start = performance.now();
    for (let call = 0; call < CALLS; call++) await one();
    each.push(((performance.now() - start) * 1_000) / CALLS);
  }
  return each;
}
