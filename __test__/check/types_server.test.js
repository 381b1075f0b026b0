import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TypeChecker } from '../../dist/types_check/type_checker.js';
import { hostCost, MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const path = 'tools/t.ts';
const GOOD = '/** Doubles. */\nexport default (args: { n: number }): number => args.n * 2;\n';
const NOTICE = { notice: expect.stringMatching(/^Types were not checked: /) };

/** @param {string} text */
const sourcesOf = (text) => ({
  files: [{ path, text }],
  packages: [],
  severity: /** @type {const} */ ('error'),
  ignoredLines: [],
});

const serversOf = (pid) =>
  spawnSync('pgrep', ['-P', String(pid), '-f', 'callbacks'], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .filter(Boolean);

/** Types whose evaluation does not end, or takes far too long. */
const BOMBS = {
  'all permutations of many words': `type P<T extends string, U = T> = [T] extends [never] ? "" : U extends U ? \`\${U}\${P<Exclude<T, U>>}\` : never;\nexport default (a: P<"a"|"b"|"c"|"d"|"e"|"f"|"g"|"h"|"i"|"j"|"k"|"l">): number => a;`,
  'a union of unions': `type D = 0|1|2|3|4|5|6|7|8|9;\ntype S = \`\${D}\${D}\${D}\${D}\`;\ntype T = { [K in S]: { [J in S]: \`\${K}\${J}\` } };\nexport default (a: T[S][S]): number => a;`,
  'counting by tuples':
    'type N<L extends number, A extends unknown[] = []> = A["length"] extends L ? A : N<L, [...A, ...A, 1]>;\nexport default (a: N<99999999>): number => a;',
  'a recursive type that grows':
    'type G<T> = { a: G<[T, T]>; b: T };\ndeclare const x: G<1>; declare const y: G<2>;\nexport default (): number => { const z: typeof x = y; return z; };',
  'infinite recursion':
    'type R<T> = T extends [infer A, ...infer B] ? R<[...B, A, A]> : never;\nexport default (a: R<[1, 2, 3]>): number => a;',
};

describe('a type bomb', () => {
  it.each(Object.entries(BOMBS))('%s ends with a finding or a notice, and the next check works', async (_, bomb) => {
    const checker = new TypeChecker(process.cwd(), [], { startMs: 20_000, checkMs: 5_000 });
    onTestFinished(() => checker.stop());
    const outcome = await checker.check(sourcesOf(bomb));
    expect('notice' in outcome || outcome.diagnostics.length > 0).toBe(true);
    expect(JSON.stringify(outcome).length).toBeLessThan(300_000);
    expect(await checker.check(sourcesOf(GOOD))).toEqual({ diagnostics: [] });
  });

  it('does not exceed the memory limit of the type checker', async () => {
    const checker = new TypeChecker(process.cwd(), [], { startMs: 20_000, checkMs: 4_000 });
    onTestFinished(() => checker.stop());
    const checked = checker.check(sourcesOf(BOMBS['all permutations of many words']));
    let [peak, isOver] = [0, false];
    const done = checked.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      for (const pid of serversOf(process.pid)) {
        const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
      }
    }
    expect(await done).toEqual(NOTICE);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(600);
  });
});

/** An application whose type checker is a script. */
async function applicationWith(script) {
  const app = await tempRoot();
  const platform = `@typescript/typescript-${process.platform}-${process.arch}`;
  const lib = join(app, 'node_modules', platform, 'lib');
  await mkdir(lib, { recursive: true });
  await mkdir(join(app, 'node_modules/typescript'), { recursive: true });
  for (const name of ['typescript', platform]) {
    await writeFile(join(app, 'node_modules', name, 'package.json'), JSON.stringify({ name, version: '7.0.0' }));
  }
  await writeFile(join(lib, 'tsc'), `#!${process.execPath} --max-old-space-size=64\n${script}`, { mode: 0o755 });
  return { app, program: join(lib, 'tsc') };
}

const PRELUDE = `
const send = (value) => { const text = typeof value === 'string' ? value : JSON.stringify(value);
  process.stdout.write('Content-Length: ' + Buffer.byteLength(text) + '\\r\\n\\r\\n' + text); };
process.stdin.on('data', () => {}); process.stdin.on('end', () => process.exit());
`;
const forever = (line) => `${PRELUDE} const go = () => { while (${line}); process.stdout.once('drain', go); }; go();`;

const MALFUNCTIONS = {
  'floods its output without a header': forever("process.stdout.write('x'.repeat(1 << 16))"),
  'announces a longer message than it sends': `${PRELUDE} process.stdout.write('Content-Length: 999999999999\\r\\n\\r\\n');`,
  'announces an invalid length': `${PRELUDE} process.stdout.write('Content-Length: x\\r\\n\\r\\n{}');`,
  'sends invalid JSON': `${PRELUDE} send('{{{{');`,
  'sends null': `${PRELUDE} send('null');`,
  'sends deeply nested JSON': `${PRELUDE} send('['.repeat(1 << 20));`,
  'answers a request that was not sent': forever(
    "send({ id: 7, result: 'x' }) ?? process.stdout.writableLength < (1 << 20)",
  ),
  'requests files endlessly': forever(
    "send({ id: 1, method: 'readFile', params: '/etc/passwd' }) ?? process.stdout.writableLength < (1 << 20)",
  ),
  'calls an unknown method': `${PRELUDE} send({ id: 1, method: 'writeFile', params: '/tmp/x' });`,
  'sends an invalid argument': `${PRELUDE} send({ id: 1, method: 'readFile', params: { toString: 1 } });`,
  'floods its standard error': `${PRELUDE} setInterval(() => process.stderr.write('x'.repeat(1 << 20)), 1);`,
  'answers with null': `${PRELUDE} let id = 0; setInterval(() => send({ id: ++id, result: null }), 20);`,
  'closes its output': `${PRELUDE} process.stdout.end(); setInterval(() => {}, 1000);`,
  'exits at once': 'process.exit(1);',
  'closes its input': 'process.stdin.pause(); process.stdin.destroy(); setInterval(() => {}, 1000);',
};

describe('a malfunctioning type checker', () => {
  it('yields a notice each time, costs no host memory, and is ended', async () => {
    const costs = Object.entries(MALFUNCTIONS).map(async ([name, script]) => {
      const { app, program } = await applicationWith(script);
      const checker = JSON.stringify(new URL('../../dist/types_check/type_checker.js', import.meta.url).href);
      const setup = `const { TypeChecker } = await import(${checker});
        const checker = new TypeChecker(${JSON.stringify(app)}, [], { startMs: 1000, checkMs: 1000 }, ${JSON.stringify(program)});`;
      const work = `return checker.check(${JSON.stringify(sourcesOf(GOOD))});`;
      const { value, extraMb } = await hostCost(app, setup, work, 'checker.stop();');
      expect(value, name).toEqual(NOTICE);
      expect(extraMb, name).toBeLessThan(MAX_EXTRA_MB);
    });
    await Promise.all(costs);
  });
});

describe('the process of the type checker', () => {
  it('has no environment variables and no file access', async () => {
    const seen = join(await tempRoot(), 'seen.json');
    const { app, program } = await applicationWith(
      `require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ env: process.env, args: process.argv, cwd: process.cwd() }));`,
    );
    process.env.TGP_TEST_SECRET = 'hunter2';
    onTestFinished(() => {
      delete process.env.TGP_TEST_SECRET;
    });
    const checker = new TypeChecker(app, [], { startMs: 60_000, checkMs: 60_000 }, program);
    expect(await checker.check(sourcesOf(GOOD))).toEqual(NOTICE);
    checker.stop();
    const { env, cwd } = JSON.parse(await readFile(seen, 'utf8'));
    expect(
      Object.keys(env).filter((key) => !['GOMEMLIMIT', 'GOMAXPROCS', 'PWD', '_', 'SHLVL', 'OLDPWD'].includes(key)),
    ).toEqual([]);
    expect(cwd).not.toContain(app);
  });

  it('ends with its host, even during a check', async () => {
    const folder = await tempRoot();
    const checker = JSON.stringify(new URL('../../dist/types_check/type_checker.js', import.meta.url).href);
    const { child, ended } = startProgram(
      folder,
      `const { TypeChecker } = await import(${checker});
       const checker = new TypeChecker(${JSON.stringify(process.cwd())}, []);
       console.log('begun');
       await checker.check(${JSON.stringify(sourcesOf(BOMBS['all permutations of many words']))});`,
    );
    await once(child.stdout, 'data');
    await expect.poll(() => serversOf(child.pid).length).toBe(1);
    const [server] = serversOf(child.pid);
    await new Promise((resolve) => setTimeout(resolve, 500));
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => existsSync(`/proc/${server}`)).toBe(false);
  });
});
