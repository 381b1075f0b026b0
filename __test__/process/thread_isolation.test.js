import { describe, expect, it } from 'vitest';
import { runProgram, startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** The start of a program that runs tools on its own threads. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  const warnings = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (message) => { warnings.push(message) } };
  const make = (name, isolation) => new TGP({ logger, config: { rootDir: name, sandbox: { isolation, workers: 1, timeoutMs: 5000 } } });
  const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) * 1024;
  const run = async (kernel, content) => {
    await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content });
    return kernel.exec('tools/t.ts').then(({ result }) => result, ({ code }) => code);
  };
`;

describe("isolation: 'thread'", () => {
  it('logs one warning with the risks per process, at the first boot that uses it', async () => {
    const warnings = await runProgram(
      await tempRoot(),
      `${PROGRAM}
      const kernels = [make('a', 'process'), make('b', 'thread'), make('c', 'thread')];
      const logged = [];
      for (const kernel of kernels) { await kernel.boot(); logged.push(warnings.filter((line) => line.includes('threads of this process'))) }
      for (const kernel of kernels) await kernel.shutdown();
      console.log(JSON.stringify(logged));`,
    );
    const [none, first, again] = warnings;
    expect(none).toEqual([]);
    expect(first).toEqual([
      expect.stringMatching(/isolation is 'thread'.*ends this process.*keeps a core busy.*'process', the default/),
    ]);
    expect(again).toEqual(first);
  });

  it('ends the host if a run crashes, as the warning says', async () => {
    const { ended } = startProgram(
      await tempRoot(),
      `${PROGRAM} await run(make('a', 'thread'), 'return Array.prototype.sort.call({ length: 2 ** 31 })'); console.log('alive');`,
    );
    const { exitCode, signal } = await ended;
    expect([exitCode, signal]).not.toEqual([0, null]);
  });
});

/** A string of half a gigabyte that takes no memory until it is flattened or copied. */
const HUGE = "'x'.repeat(2 ** 29 - 100)";
const COPIED = {
  URL: `new URL('http://a/' + ${HUGE})`,
  'URL as a base': `new URL('a', 'http://a/' + ${HUGE})`,
  URLSearchParams: `new URLSearchParams(${HUGE})`,
  'URLSearchParams of many parts': "new URLSearchParams('&'.repeat(3e7))",
  'URLSearchParams to text':
    "(() => { const p = new URLSearchParams(); for (let i = 0; i < 50; i++) p.append('a', 'é'.repeat(1e6)); return p.toString() })()",
  atob: `atob(${HUGE})`,
  btoa: `btoa(${HUGE})`,
  TextEncoder: `new TextEncoder().encode(${HUGE})`,
  'the name of an encoding': `new TextDecoder(${HUGE})`,
  'bytes that are not UTF-8': "new TextDecoder('latin1').decode(new Uint8Array(3e7).fill(200))",
  require: `require('./' + ${HUGE})`,
};
/** The log contains only the length of such a string, not a copy. */
const LOGGED = {
  'console.log': `console.log(${HUGE})`,
  'console.log of wide characters': "console.log('語'.repeat(4e7))",
};

describe.runIf(process.platform === 'linux')('THREAT: memory of native functions outside the heap', () => {
  it('is limited by memoryMb, on host threads too', async () => {
    const { codes, grown } = await runProgram(
      await tempRoot(),
      `${PROGRAM}
      const kernel = make('a', 'thread');
      await run(kernel, 'return 1');
      const before = peak();
      const codes = {};
      for (const [name, source] of Object.entries(${JSON.stringify({ ...COPIED, ...LOGGED })})) codes[name] = await run(kernel, \`return typeof (\${source})\`);
      const grown = peak() - before;
      await kernel.shutdown();
      console.log(JSON.stringify({ codes, grown }));`,
    );
    const expected = (/** @type {object} */ sources, /** @type {string} */ code) =>
      Object.keys(sources).map((name) => [name, code]);
    expect(codes).toEqual(
      Object.fromEntries([...expected(COPIED, 'ERR_ISOLATE_MEMORY'), ...expected(LOGGED, 'undefined')]),
    );
    expect(grown).toBeLessThan(200 << 20);
  });

  it('allows strings of ordinary size', async () => {
    const lengths = await runProgram(
      await tempRoot(),
      `${PROGRAM}
      const kernel = make('a', 'thread');
      const lengths = await run(kernel, \`const text = 'x'.repeat(5e6); return [new URL('http://a/' + text).href.length, new URLSearchParams({ text }).toString().length,
        atob(btoa(text)).length, new TextDecoder('latin1').decode(new TextEncoder().encode(text)).length, String(console.log(text))]\`);
      await kernel.shutdown();
      console.log(JSON.stringify(lengths));`,
    );
    expect(lengths).toEqual([5e6 + 9, 5e6 + 5, 5e6, 5e6, 'undefined']);
  });
});
