import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findApi } from '../../js/telemetry/api.js';
import { createTelemetry } from '../../js/telemetry/telemetry.js';
import { tempRoot } from '../helpers/temp_root.js';
import { ASKED, asItIs, keptLog } from './traces.js';

const run = promisify(execFile);
const MODULE = new URL('../../js/telemetry/telemetry.js', import.meta.url).href;
const MAX_US = 1;

/** A call in a process of its own, after `first`; it prints what became of it. @param {string} first */
async function inProcess(first) {
  const program = `
    import Module from 'node:module';
    const lines = [];
    const keep = (line) => lines.push(line);
    const { createTelemetry } = await import('${MODULE}');
    const telemetry = createTelemetry({}, { debug: keep, info: keep, warn: keep, error: keep }, (text) => text);
    ${first}
    const value = await telemetry.run({ tool: 'exec_tool' }, 'a-1', async (tracing) => ({ result: tracing }));
    const loaded = Object.keys(Module._cache).filter((file) => file.includes('@opentelemetry'));
    console.log(JSON.stringify({ isOn: telemetry.isOn(), value, loaded, lines }));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: await tempRoot() });
  return JSON.parse(stdout);
}

test('without a provider the package of OpenTelemetry is not even loaded', async () => {
  expect(await inProcess('')).toEqual({ isOn: false, value: { result: 'untraced' }, loaded: [], lines: [] });
});

test('where the package is not installed, calls go on without it', async () => {
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

test('a copy of the package that does not know the provider is passed over', async () => {
  expect(findApi('trace', {}, [process.cwd(), await tempRoot()])).toBeUndefined();
  expect(findApi('metrics', {}, [process.cwd()])).toBeUndefined();
});

test('telemetry without subscribers costs less than a microsecond per call', async () => {
  const telemetry = createTelemetry({}, keptLog().log, asItIs);
  const work = async () => 1;
  const told = () => telemetry.call(ASKED, 'a-1', work);
  const cost = Math.min(...(await rounds(told))) - Math.min(...(await rounds(work)));
  expect(cost).toBeLessThan(MAX_US);
});

/**
 * Microseconds for one, in each of many rounds: some of them are short enough to be left alone by the rest of the machine.
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
