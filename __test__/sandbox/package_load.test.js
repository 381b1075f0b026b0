import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { FORMATS } from '../../tools/package_jobs/formats.mjs';
import { OTHERS } from '../../tools/package_jobs/others.mjs';
import { VALUES } from '../../tools/package_jobs/values.mjs';
import { tempRoot } from '../helpers/temp_root.js';

/** Packages whose load takes longer than the CPU time of a tool. */
const SLOW = {
  mathjs: '15.2.0',
  'highlight.js': '11.12.0',
  'llama-tokenizer-js': '1.2.2',
  'date-holidays': '3.37.0',
  mammoth: '1.13.0',
  typescript: '6.0.3',
};
const JOBS = { ...VALUES, ...FORMATS, ...OTHERS };
/** Takes more CPU time than `SHORT_MS` on any machine. */
const SPIN = 'let n = 1; for (let i = 0; i < 1e8; i++) n = (n * 31 + i) | 0;';
const SHORT_MS = 5;
const LONG_MS = 600_000;

/**
 * An application with packages, as files by name, and a function that starts kernels on its root.
 * @param {Record<string, string>} packages
 */
async function application(packages) {
  const folder = await tempRoot();
  for (const [name, code] of Object.entries(packages)) {
    await mkdir(join(folder, 'node_modules', name), { recursive: true });
    await writeFile(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ name, main: 'a.js' }));
    await writeFile(join(folder, 'node_modules', name, 'a.js'), code);
  }
  /** @param {import('../../index.js').SandboxConfigInput} sandbox */
  return async (sandbox) => {
    const configFile = join(folder, 'tgp.config.json');
    await writeFile(configFile, JSON.stringify({ allowedImports: Object.keys(packages), sandbox }));
    const kernel = new TGP({ configFile });
    onTestFinished(() => kernel.shutdown());
    /** @param {string} content @param {string} [path] */
    const forge = async (content, path = 'tools/t.ts') => {
      await tgpTools(kernel).write_file.execute({ path, content });
      return () => kernel.exec(path);
    };
    return { kernel, forge };
  };
}

it.each(Object.keys(SLOW))('%s works in every run and after a restart, under the default limits', async (name) => {
  const installed = installedPackages('slow', SLOW);
  const [imports = '', expression = ''] = JOBS[name] ?? [];
  const content = `${imports};\nexport default async () => ${expression};\n`;
  const job = join(installed, `${name}.mjs`);
  await writeFile(job, content);
  const expected = await (await import(/* @vite-ignore */ pathToFileURL(job).href)).default();
  const configFile = join(installed, `${name}.config.json`);
  const rootDir = join(await tempRoot(), '.tgp');
  await writeFile(configFile, JSON.stringify({ rootDir, allowedImports: [name], fs: { allowedDirs: [] } }));
  for (const runs of [3, 1]) {
    const kernel = new TGP({ configFile });
    onTestFinished(() => kernel.shutdown());
    await tgpTools(kernel).write_file.execute({ path: 'tools/job.ts', content });
    for (let run = 0; run < runs; run++) {
      const { result, stats, logs } = await kernel.exec('tools/job.ts');
      expect(result).toEqual(JSON.parse(JSON.stringify(expected)));
      expect(stats.packageLoadMs).toBeGreaterThan(0);
      expect(logs).toEqual([]);
    }
    await kernel.shutdown();
  }
});

describe('the load of a package', () => {
  it('is not CPU time of the tool, however its source names the package', async () => {
    const start = await application({ slow: `${SPIN} module.exports = n;` });
    const { forge } = await start({ timeoutMs: SHORT_MS, packageLoadMs: LONG_MS });
    for (const content of [
      "import n from 'slow';\nexport default () => n;\n",
      "export default () => require('slow');\n",
      "export default async () => (await import('slow')).default;\n",
    ]) {
      const run = await forge(content);
      for (let count = 0; count < 2; count++) {
        const { result, stats } = await run();
        expect(result).toEqual(expect.any(Number));
        expect(stats.packageLoadMs).toBeGreaterThan(SHORT_MS);
      }
    }
    const run = await forge(`import 'slow';\nexport default () => { ${SPIN} return n };\n`);
    await expect(run()).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
      message: expect.stringContaining('sandbox.timeoutMs'),
    });
  });

  it('is the evaluation alone: functions that the tool calls later are charged to the tool', async () => {
    const start = await application({ lazy: `exports.work = () => { ${SPIN} return n };` });
    const { forge } = await start({ timeoutMs: SHORT_MS, packageLoadMs: LONG_MS });
    for (const content of [
      "import { work } from 'lazy';\nexport default () => work();\n",
      "import { work } from 'lazy';\nexport default () => Promise.resolve().then(work);\n",
    ]) {
      await expect((await forge(content))()).rejects.toMatchObject({
        code: 'ERR_ISOLATE_TIMEOUT',
        message: expect.stringContaining('sandbox.timeoutMs'),
      });
    }
  });

  it('gives the tool time for calls of a large package, the same in every run', async () => {
    const spin = SPIN.replace('1e8', '1e7');
    const start = await application({
      large: `exports.text = '${'-'.repeat(20_000)}'; exports.work = () => { ${spin} return n };`,
    });
    const { forge } = await start({ timeoutMs: SHORT_MS });
    const run = await forge("import { work } from 'large';\nexport default () => work();\n");
    for (let count = 0; count < 3; count++) expect((await run()).stats.cpuMs).toBeGreaterThan(SHORT_MS);
  });

  it('ends at packageLoadMs, in every run alike, with a message that names the packages', async () => {
    const start = await application({ endless: 'for (;;);', fine: 'module.exports = 1' });
    const sandbox = { packageLoadMs: 50 };
    const content = "import fine from 'fine';\nimport 'endless';\nexport default () => fine;\n";
    for (const runs of [2, 1]) {
      const { kernel, forge } = await start(sandbox);
      const run = await forge(content);
      for (let count = 0; count < runs; count++) {
        const error = await run().catch((error) => error);
        expect(error.code).toBe('ERR_ISOLATE_TIMEOUT');
        expect(error.message).toMatch(/loading its packages \(.*endless.*\) took more than the 50 ms.*packageLoadMs/);
      }
      await kernel.shutdown();
    }
  });

  it('is CPU time of the tool once the tool has run, which may have changed what the package calls', async () => {
    const start = await application({
      calls: 'module.exports = [1].map((n) => n);',
      throws: `${SPIN} throw new Error('no');`,
    });
    const { kernel, forge } = await start({ timeoutMs: SHORT_MS, packageLoadMs: 2000 });
    await forge('Array.prototype.map = () => { for (;;); };\nexport const changed = true;\n', 'tools/lib/change.ts');
    const changes = 'Array.prototype.map = () => { for (;;); };';
    for (const content of [
      `${changes}\nexport default () => require('calls' + '');\n`,
      `${changes}\nexport default async () => await import(['calls'][0]!);\n`,
      "import './lib/change';\nexport default () => require(['calls'][0]);\n",
      "export default () => { for (;;) try { require('throws') } catch {} };\n",
      "export default () => { for (;;) try { require('throws' + '') } catch {} };\n",
    ]) {
      const error = await (await forge(content))().catch((error) => error);
      expect(error).toMatchObject({
        code: 'ERR_ISOLATE_TIMEOUT',
        message: expect.stringContaining('sandbox.timeoutMs'),
      });
      const { cpuMs, packageLoadMs = 0 } = error.details.stats;
      expect(cpuMs, content).toBeLessThan(SHORT_MS + 500);
      if (!content.includes("require('throws')")) expect(packageLoadMs, content).toBe(0);
    }
    await kernel.shutdown();
  });

  it('comes before the first line of the tool, in the order of the imports', async () => {
    const record = (/** @type {string} */ name) =>
      `(globalThis.order ??= []).push('${name}'); exports.name = '${name}';`;
    const start = await application({
      one: record('one'),
      two: record('two'),
      three: record('three'),
      fails: `${record('fails')} throw new RangeError('not here');`,
      calls: 'module.exports = [1].map((n) => n + 1);',
    });
    const { forge } = await start({});
    const lib = "import { name } from 'two';\n(globalThis as any).order.push('lib');\nexport const used = name;\n";
    await forge(lib, 'tools/lib.ts');
    const lines = [
      "import { used } from './lib';",
      "import { name } from 'one';",
      "(globalThis as any).order.push('tool');",
      'export default async () => {',
      "  const outcomes = [0, 1].map(() => { try { return require('fails') } catch (error: any) { return error.name } });",
      "  const { name: late } = await import('three');",
      '  return [used, name, late, outcomes, (globalThis as any).order];',
      '};',
    ];
    const { result } = await (await forge(lines.join('\n')))();
    expect(result).toEqual([
      'two',
      'one',
      'three',
      ['RangeError', 'RangeError'],
      ['two', 'one', 'fails', 'three', 'lib', 'tool', 'fails'],
    ]);
    const changed = "Array.prototype.map = () => ['changed'] as any;\nexport default () => require('calls');\n";
    expect((await (await forge(changed))()).result).toEqual([2]);
  });

  it('does not extend wallMs', async () => {
    const start = await application({ endless: 'for (;;);' });
    const { forge } = await start({ packageLoadMs: LONG_MS, wallMs: 500 });
    const run = await forge("import 'endless';\nexport default () => 1;\n");
    await expect(run()).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
      message: expect.stringContaining('sandbox.wallMs'),
    });
  });

  it('has one budget for all runs nested in one run', async () => {
    const start = await application({ slow: `${SPIN} module.exports = n;` });
    const { kernel, forge } = await start({ packageLoadMs: 1000 });
    await forge("import 'slow';\nexport default () => 1;\n", 'tools/inner.ts');
    const run = await forge(
      "export default async () => { for (let n = 0; n < 200; n++) await tgp.exec_tool('tools/inner.ts', {}); };\n",
    );
    const error = await run().catch((error) => error);
    expect(error).toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
      message: expect.stringMatching(/tools\/inner\.ts timed out.*all nested runs of one tool.*packageLoadMs/),
    });
    expect((await kernel.exec('tools/inner.ts')).result).toBe(1);
  });

  it('is logged if it takes more than half of the limit', async () => {
    const start = await application({ slow: `${SPIN} module.exports = n;` });
    const content = "import n from 'slow';\nexport default () => n;\n";
    const first = await start({ packageLoadMs: LONG_MS });
    const { stats, logs } = await (await first.forge(content))();
    expect(logs).toEqual([]);
    await first.kernel.shutdown();
    const packageLoadMs = Math.ceil((stats.packageLoadMs ?? 0) * 1.4);
    const { forge } = await start({ packageLoadMs });
    const run = await forge(content);
    // The same load may also take more than the limit, or less than half of it.
    await expect
      .poll(() => run().then(({ logs }) => logs, String), { timeout: 20_000 })
      .toEqual([{ level: 'warn', message: expect.stringContaining(`more than half of the ${packageLoadMs} ms`) }]);
  });
});
