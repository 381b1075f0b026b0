import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startProgram } from './run_program.js';
import { tempRoot } from './temp_root.js';

/**
 * @typedef {object} Probe
 * @property {{ code: string, message: string, details?: unknown } | null} error of the boot
 * @property {string[]} warnings
 * @property {string[]} files of the root
 * @property {unknown} value what `work` returned
 * @property {number} peakMb of the host, above its idle memory
 * @property {number} ms from the call of `boot()` to its end
 */

const PROGRAM = `
  const { readFileSync, writeFileSync } = await import('node:fs');
  const { config, idleRoot, result } = JSON.parse(readFileSync(process.env.PROBE, 'utf8'));
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const idle = new TGP({ config: { rootDir: idleRoot, sandbox: { warm: 0 } }, logger: silent });
  await idle.boot();
  await idle.shutdown();
  const kilobytes = (name) => Number(new RegExp(name + ':\\\\s+(\\\\d+)').exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  writeFileSync('/proc/self/clear_refs', '5');
  const before = kilobytes('VmRSS');
  const warnings = [];
  const kernel = new TGP({ config, logger: { ...silent, warn: (text) => warnings.push(text) } });
  const start = performance.now();
  const error = await kernel.boot().then(() => null, ({ code, message, details }) => ({ code, message, details }));
  const ms = Math.round(performance.now() - start);
  const tools = tgpTools(kernel);
  const files = error ? [] : await kernel.vfs.listFiles('.', true);
  const work = new (Object.getPrototypeOf(async () => {}).constructor)('kernel', 'tools', 'TGP', 'tgpTools', process.env.WORK ?? '');
  const value = error ? null : await work(kernel, tools, TGP, tgpTools).catch(({ code, message }) => ({ code, message }));
  await kernel.shutdown();
  const peakMb = Math.round((kilobytes('VmHWM') - before) / 1024);
  writeFileSync(result, JSON.stringify({ error, warnings, files, value: value ?? null, peakMb, ms }));
`;

/**
 * Boots a kernel in a separate process and returns a report; throws if that process died.
 * @param {object} config
 * @param {{ env?: NodeJS.ProcessEnv, work?: string }} [options] `work`: code to run with `kernel` and `tools` after the boot
 * @returns {Promise<Probe>}
 */
export async function probe(config, { env = {}, work = '' } = {}) {
  const folder = await tempRoot();
  const result = join(folder, 'result.json');
  const input = { config: { sandbox: { warm: 0 }, ...config }, idleRoot: join(folder, 'idle'), result };
  writeFileSync(join(folder, 'probe.json'), JSON.stringify(input));
  const { child, ended } = startProgram(folder, PROGRAM, { ...env, PROBE: join(folder, 'probe.json'), WORK: work });
  const [, { exitCode, signal, stderr }] = await Promise.all([text(child.stdout), ended]);
  if (exitCode !== 0 && process.env.PROBE_LOG) {
    const { expect } = await import('vitest');
    const { appendFileSync } = await import('node:fs');
    appendFileSync(
      process.env.PROBE_LOG,
      `${expect.getState().currentTestName} | DIED ${signal ?? exitCode} ${stderr.slice(-200)}\n`,
    );
  }
  if (exitCode !== 0) throw new Error(`The host died (${signal ?? exitCode}): ${stderr.slice(-500)}`);
  const { readFileSync } = await import('node:fs');
  const report = JSON.parse(readFileSync(result, 'utf8'));
  if (process.env.PROBE_LOG) {
    const { expect } = await import('vitest');
    const { appendFileSync } = await import('node:fs');
    const { ms, peakMb, error, warnings } = report;
    const message = (error?.message ?? warnings[0] ?? '').slice(0, 90);
    appendFileSync(
      process.env.PROBE_LOG,
      `${expect.getState().currentTestName} | ${ms} ms | ${peakMb} MB | ${error?.code ?? 'booted'} ${message}\n`,
    );
  }
  return report;
}
