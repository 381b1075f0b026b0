/** Common small problems of the command line. */

import { execFile, spawn } from 'node:child_process';
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { RESOLVED } from '../../dist/kernel/config/config.js';
import { TGP } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INDEX = new URL('../../index.js', import.meta.url).href;

describe('tgp completion', () => {
  test('completes commands and their options in bash', async () => {
    const { stdout } = await runCli(await tempRoot(), ['completion', 'bash']);
    const completions = async (/** @type {string[]} */ ...words) => {
      const line = words.map((word) => JSON.stringify(word)).join(' ');
      const script = `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _tgp; echo "\${COMPREPLY[@]}"`;
      return (await exec('bash', ['-c', script])).stdout.trim();
    };
    expect(await completions('tgp', 'do')).toBe('doctor');
    expect(await completions('tgp', 'check', '--f')).toBe('--fix');
    expect(await completions('tgp', 'exec', '--timeout')).toBe('--timeout-ms');
  });

  test('supports zsh and fish, and refuses other shells', async () => {
    const folder = await tempRoot();
    expect((await runCli(folder, ['completion', 'zsh'])).stdout).toContain("'exec:run a tool: the result");
    expect((await runCli(folder, ['completion', 'fish'])).stdout).toContain('-a doctor');
    const { code, stderr } = await runCli(folder, ['completion', 'tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('bash, zsh, fish');
  });
});

test('tgp list works inside the workspace', async () => {
  const folder = await tempRoot();
  await runCli(folder, ['init', '--yes']);
  for (const inner of ['.tgp', '.tgp/tools']) {
    const { code, stdout } = await runCli(join(folder, inner), ['list']);
    expect(stdout, inner).toContain('tools/examples/greet.ts');
    expect(code).toBe(0);
  }
});

test('a second boot of a loaded configuration can still use its database', async () => {
  const folder = await tempRoot();
  await writeFile(join(folder, 'root'), 'no folder');
  let ended = 0;
  const sql = {
    connect: async () => ({ query: async () => ({ rows: [], rowCount: 0 }), release() {} }),
    query: async () => ({ rows: [] }),
    end: async () => {
      ended += 1;
    },
  };
  const file = join(folder, 'tgp.config.mjs');
  const resolved = { config: { rootDir: './root' }, application: { sql }, baseDir: folder, warnings: [], file };
  const kernel = new TGP(/** @type {any} */ ({ [RESOLVED]: resolved }));
  await expect(kernel.boot()).rejects.toThrow();
  await rm(join(folder, 'root'));
  await kernel.boot();
  expect(ended).toBe(0);
  await kernel.shutdown();
  expect(ended).toBe(1);
});

test.each([
  ['npm@11.0.0', 'npm i @tgp/core ai', 'npx tgp doctor'],
  ['pnpm@10.0.0', 'pnpm add @tgp/core ai', 'pnpm exec tgp doctor'],
  ['yarn@1.22.22', 'yarn add @tgp/core ai', 'yarn tgp doctor'],
  ['yarn@4.5.0', 'yarn add @tgp/core ai', 'yarn tgp doctor'],
  ['bun@1.2.0', 'bun add @tgp/core ai', 'bun x tgp doctor'],
])('tgp init prints the commands for %s', async (packageManager, add, doctor) => {
  const folder = await tempRoot();
  await writeFile(join(folder, 'package.json'), JSON.stringify({ packageManager }));
  const { next } = (await runCli(folder, ['init', '--json'])).json();
  expect(next).toContain(add);
  expect(next).toContain(doctor);
});

test.each([
  ['Next.js', { next: '16.0.0' }, 'app/api/agent/route.js', 'tgp.config.ts'],
  ['NestJS', { '@nestjs/core': '11.0.0' }, 'src/tgp/tgp.module.ts', 'tgp.config.mjs'],
])('tgp init for %s: the agent requires a token, and the database is read-only', async (_name, uses, file, config) => {
  const folder = await tempRoot();
  await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies: { ...uses, pg: '8' } }));
  const { next } = (await runCli(folder, ['init', '--json'])).json();
  expect(next.join('\n')).toContain('Set TGP_AGENT_TOKEN');
  const source = await readFile(join(folder, file), 'utf8');
  expect(source).toContain('isAllowed(');
  expect(source).toMatch(/createSqlTools\((?:this\.)?kernel\)/);
  expect(await readFile(join(folder, config), 'utf8')).toMatch(/sql: \{ source: new Pool\(.+\), readOnly: true \}/);
  expect(source.indexOf('kernel.boot()'), 'the kernel boots before it makes the system prompt').toBeGreaterThan(0);
  expect(source.indexOf('kernel.boot()')).toBeLessThan(source.indexOf('getSystemPrompt()'));
  const check = /function isAllowed[\s\S]*?\n}/
    .exec(source)?.[0]
    .replace(/: (?:string \| null \| undefined|boolean)/g, '');
  const isAllowed = new Function('timingSafeEqual', 'process', `${check}; return isAllowed;`);
  const allows = (/** @type {NodeJS.ProcessEnv} */ env, /** @type {string | null} */ header) =>
    isAllowed(timingSafeEqual, { env })(header);
  expect(allows({}, null)).toBe(false);
  expect(allows({}, 'Bearer ')).toBe(false);
  expect(allows({ TGP_AGENT_TOKEN: 'right' }, 'Bearer wrong')).toBe(false);
  expect(allows({ TGP_AGENT_TOKEN: 'right' }, 'Bearer right')).toBe(true);
});

test.each(/** @type {const} */ (['esm', 'cjs']))(
  'the error of an application bundled as %s without "external" names the option',
  async (format) => {
    const folder = await tempRoot();
    await mkdir(join(folder, 'node_modules', '@tgp'), { recursive: true });
    await symlink(ROOT, join(folder, 'node_modules', '@tgp', 'core'));
    const source =
      "import { TGP } from '@tgp/core'; new TGP({ config: { rootDir: './.tgp' } }).boot().catch(({ code, message }) => console.log(code, message));";
    await writeFile(join(folder, 'app.mjs'), source);
    const outfile = join(folder, 'dist', `app.${format === 'esm' ? 'mjs' : 'cjs'}`);
    const entryPoints = [join(folder, 'app.mjs')];
    await build({ entryPoints, outfile, bundle: true, platform: 'node', format, logLevel: 'silent' });
    const { stdout } = await exec(process.execPath, [outfile], { cwd: folder });
    expect(stdout).toContain('ERR_IO');
    expect(stdout).toContain('--external:@tgp/core');
  },
);

test('the next host removes temporary files of a host that was killed', async () => {
  const temporary = await tempRoot();
  const program = `
    const { TGP, createMemoryVFS } = await import(${JSON.stringify(INDEX)});
    const kernel = new TGP({ vfs: createMemoryVFS() });
    await kernel.boot();
    console.log('up');
    if (process.argv[1] === 'stay') setInterval(() => {}, 1000); else await kernel.shutdown();`;
  const run = (/** @type {string} */ mode) =>
    spawn(process.execPath, ['--input-type=module', '-e', program, '--', mode], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const [killed, living] = [run('stay'), run('stay')];
  await Promise.all([once(killed.stdout, 'data'), once(living.stdout, 'data')]);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect((await readdir(temporary)).length).toBe(2);
  const next = run('end');
  await once(next, 'close');
  const left = await readdir(temporary);
  expect(left).toHaveLength(1);
  expect(left[0]).toContain(`-${living.pid}-`);
  living.kill('SIGKILL');
  await once(living, 'close');
});
