import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { otherNodes } from '../../tools/other_nodes.mjs';
import { howOften } from '../helpers/how_often.js';
import { tempRoot } from '../helpers/temp_root.js';

const run = promisify(execFile);
const SHORT_PROCESSES = howOften({ usual: 10, long: 200 });
const ABRUPT_EXITS = howOften({ usual: 12, long: 100 });
const INDEX = new URL('../../index.js', import.meta.url).href;

/** A program that forges a tool, runs it and prints the result. */
const program = (root, { isolation = 'process', shutdown = true, timer = '' } = {}) => `
  const { TGP, tgpTools } = await import(${JSON.stringify(INDEX)});
  const kernel = new TGP({ config: { rootDir: ${JSON.stringify(root)}, sandbox: { isolation: '${isolation}' } } });
  ${timer}
  await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content: 'export default (a: { n: number }) => a.n + 1' });
  const { result } = await kernel.exec('tools/t.ts', { n: 1 });
  ${shutdown ? 'await kernel.shutdown();' : ''}
  console.log(result);
`;

const evaluate = (code) => ['--input-type=module', '-e', code];

describe('the addon', () => {
  it('runs in Node 20, 22 and 24', async () => {
    for (const node of [process.execPath, ...otherNodes()]) {
      for (const isolation of ['process', 'thread']) {
        const { stdout } = await run(node, evaluate(program(await tempRoot(), { isolation })));
        expect(stdout.trim(), `${node} ${isolation}`).toBe('2');
      }
    }
  });

  it('does not keep the process alive without a shutdown', async () => {
    const { stdout } = await run(process.execPath, evaluate(program(await tempRoot(), { shutdown: false })), {
      timeout: 100_000,
    });
    expect(stdout.trim()).toBe('2');
  });

  it('runs in Workers that start and terminate', async () => {
    const root = await tempRoot();
    const code = (index) =>
      `(async () => { ${program(join(root, String(index)), { isolation: index % 2 ? 'thread' : 'process' }).replace('console.log(result)', "require('node:worker_threads').parentPort.postMessage(result)")} })()`;
    const results = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const worker = new Worker(code(index), { eval: true });
        const [result] = await once(worker, 'message');
        await worker.terminate();
        return result;
      }),
    );
    expect(results).toEqual(Array(8).fill(2));
  });

  it('survives Workers that are terminated at any moment', async () => {
    const root = await tempRoot();
    for (let index = 0; index < 12; index++) {
      const worker = new Worker(
        `(async () => { ${program(join(root, String(index)), { isolation: index % 2 ? 'thread' : 'process' })} })()`,
        { eval: true, stdout: true },
      );
      await new Promise((done) => setTimeout(done, index * 15));
      await worker.terminate();
    }
  });
});

describe('many short processes', () => {
  it('load, run and exit with code 0', async () => {
    const root = await tempRoot();
    let next = 0;
    const failures = [];
    const lane = async () => {
      while (next < SHORT_PROCESSES) {
        const index = next++;
        const isolation = index % 4 === 0 ? 'thread' : 'process';
        const code = program(join(root, String(index)), { isolation, shutdown: index % 2 === 0 });
        await run(process.execPath, evaluate(code)).catch((error) =>
          failures.push({ index, code: error.code, signal: error.signal, stderr: error.stderr }),
        );
      }
    };
    await Promise.all([lane(), lane(), lane()]);
    expect(failures).toEqual([]);
  }, 300_000);

  it('exit with their own exit code at any moment', async () => {
    const root = await tempRoot();
    let next = 0;
    const ends = [];
    const lane = async () => {
      while (next < ABRUPT_EXITS) {
        const index = next++;
        const timer = `setTimeout(() => process.exit(7), ${index * Math.ceil(300 / ABRUPT_EXITS)});`;
        const isolation = index % 2 ? 'thread' : 'process';
        const child = spawn(
          process.execPath,
          evaluate(`${program(join(root, String(index)), { isolation, timer })}\nawait new Promise(() => {});`),
          { stdio: 'ignore' },
        );
        const [code, signal] = await once(child, 'exit');
        ends.push(`${code} ${signal}`);
      }
    };
    await Promise.all([lane(), lane(), lane()]);
    expect(ends).toEqual(Array(ABRUPT_EXITS).fill('7 null'));
  });
});

describe('a host that is killed', () => {
  it('ends its workers', async () => {
    const root = await tempRoot();
    const code = `${program(root, { shutdown: false })}
      const { tgpTools: tools } = await import(${JSON.stringify(INDEX)});
      await tools(kernel).write_file.execute({ path: 'tools/loop.ts', content: 'while (true) {}' });
      kernel.exec('tools/loop.ts', {}, { timeoutMs: 60000 }).catch(() => {});
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, evaluate(code), { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    const children = () =>
      readdirSync('/proc').filter((pid) => {
        try {
          return (
            /^\d+$/.test(pid) &&
            readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tgp-sandbox') &&
            readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1] === String(child.pid)
          );
        } catch {
          return false;
        }
      });
    await new Promise((done) => setTimeout(done, 300));
    const orphans = children();
    expect(orphans.length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const alive = () =>
      orphans.filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('tgp-sandbox');
        } catch {
          return false;
        }
      });
    for (let i = 0; i < 3_000 && alive().length > 0; i++) await new Promise((done) => setTimeout(done, 10));
    expect(alive()).toEqual([]);
  });
});
