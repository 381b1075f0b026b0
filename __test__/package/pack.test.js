import { execFile } from 'node:child_process';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hostPlatform } from '../../tools/platform.mjs';
import { PLATFORM_PACKAGE, packedApplication } from '../helpers/packed_application.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const platform = hostPlatform();
const MINUTES = 60_000;
const IS_WINDOWS = process.platform === 'win32';

/**
 * Runs a command of an application by its file, which is a script for a shell on Windows.
 * @param {string} app
 * @param {string} file
 * @param {string[]} args
 */
function command(app, file, ...args) {
  return exec(IS_WINDOWS ? `"${join(app, file)}"` : join(app, file), args, { cwd: app, shell: IS_WINDOWS });
}

/** Forges and runs a tool in an empty folder, with nothing but the installed package. */
const BODY = `
const kernel = new TGP();
const tools = tgpTools(kernel);
const path = 'tools/math/double.ts';
await tools.write_file.execute({ path, content: 'export default (args: { n: number }): number => args.n * 2' });
const report = await tools.exec_tool.execute({ path, args: { n: 21 } });
await kernel.shutdown();
const late = await kernel.exec(path).catch((error) => error);
process.stdout.write(JSON.stringify({ report, late: late instanceof TGPError && late.code }));
`;
const ESM = `import { TGP, TGPError, tgpTools } from '@tgp/core';\n${BODY}`;
const CJS = `const { TGP, TGPError, tgpTools } = require('@tgp/core');\n(async () => {${BODY}})();\n`;
const MIXED = `
import { createRequire } from 'node:module';
import { TGPError, tgpTools } from '@tgp/core';
const { TGP } = createRequire(import.meta.url)('@tgp/core');
${BODY}`;

test(
  'the packed packages work in an empty project, by import and by require',
  async () => {
    const app = await packedApplication({ files: { 'package.json': '{ "name": "app", "private": true }\n' } });

    const worker = await stat(join(app, 'node_modules', PLATFORM_PACKAGE, platform.worker));
    // Windows decides by the file name what is executable.
    if (!IS_WINDOWS) expect(worker.mode & 0o111, 'the worker is executable').toBe(0o111);

    const scripts = { 'esm.mjs': ESM, 'cjs.cjs': CJS, 'mixed.mjs': MIXED };
    for (const [name, source] of Object.entries(scripts)) {
      await rm(join(app, '.tgp'), { recursive: true, force: true });
      await writeFile(join(app, name), source);
      const { stdout, stderr } = await exec(process.execPath, [name], { cwd: app });
      expect(stderr, name).toBe('');
      expect(JSON.parse(stdout), name).toMatchObject({ report: { success: true, result: 42 }, late: 'ERR_SHUTDOWN' });
    }

    for (const load of ["require('@tgp/core/mcp')", "await import('@tgp/core/mcp')"]) {
      const code = `(async () => (${load}).createMcpServer(new (require('@tgp/core').TGP)()).catch((error) => console.log(error.message)))()`;
      const { stdout } = await exec(process.execPath, ['-e', code], { cwd: app });
      expect(stdout, load).toContain('npm install @modelcontextprotocol/sdk');
    }

    for (const load of ["require('@tgp/core/next')", "await import('@tgp/core/next')"]) {
      const code = `(async () => console.log(JSON.stringify((${load}).withTGP({}).outputFileTracingIncludes['/**'])))()`;
      const { stdout } = await exec(process.execPath, ['-e', code], { cwd: app });
      expect(JSON.parse(stdout), load).toContain(`node_modules/${PLATFORM_PACKAGE}/*`);
    }

    const { stdout: version } = await command(app, join('node_modules', '.bin', 'tgp'), '--version');
    const { version: packed } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(version.trim()).toBe(packed);

    await rm(join(app, '.tgp'), { recursive: true, force: true });
    await command(app, join('node_modules', '.bin', 'tgp'), 'init', '--yes');
    for (const type of ['commonjs', 'module']) {
      const manifest = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
      await writeFile(join(app, 'package.json'), JSON.stringify({ ...manifest, type }));
      const shim = join('.tgp', 'bin', 'tgp');
      const { stdout } = await (IS_WINDOWS
        ? exec(process.execPath, [shim, 'list'], { cwd: app })
        : command(app, shim, 'list'));
      expect(stdout, type).toContain('tools/examples/greet.ts');
    }
  },
  5 * MINUTES,
);

/** The types that a module of a strict application finds. */
const TYPED = `
import { SandboxConfigSchema, TGP, TGPError, tgpTools, type ExecResult, type TGPOptions } from '@tgp/core';
import { createMcpServer } from '@tgp/core/mcp';
import { withTGP } from '@tgp/core/next';
const options: TGPOptions = { config: { sandbox: { timeoutMs: 100 } } };
const kernel = new TGP(options);
export const ran: Promise<ExecResult<number>> = kernel.exec<number>('tools/a.ts');
export const read: Promise<string> = tgpTools(kernel).read_file.execute({ path: 'tools/a.ts' });
export const code = (error: unknown) => (error instanceof TGPError ? error.code : undefined);
export const config: { output: string } = withTGP({ output: 'standalone' });
export const closed: Promise<void> = createMcpServer(kernel).then((server) => server.close());
export const limit: number = SandboxConfigSchema.parse({}).wallMs;
// @ts-expect-error an unknown key does not compile
export const wrong: TGPOptions = { config: { sandbox: { timeout: 100 } } };
// @ts-expect-error has no default
export const seed: number = SandboxConfigSchema.parse({}).seed;
`;
const MODULES = ['module.mts', 'script.cts', 'script.ts'];
const TYPESCRIPT_7 = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const TYPESCRIPT_6 = join('node_modules', 'typescript', 'bin', 'tsc');
/** For resolution alone: TypeScript 6 takes long to check declarations. */
const NODE10 = ['commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0', '--skipLibCheck'];

test(
  'the packed types serve ES modules and CommonJS modules',
  async () => {
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const { '@modelcontextprotocol/sdk': sdk } = devDependencies;
    const dependencies = { typescript: '6.0.3', '@modelcontextprotocol/sdk': sdk };
    const app = await packedApplication({
      files: {
        'package.json': JSON.stringify({ name: 'app', private: true, dependencies }),
        ...Object.fromEntries(MODULES.map((name) => [name, TYPED])),
      },
    });
    for (const args of [
      [TYPESCRIPT_7, '--module', 'nodenext', ...MODULES],
      [TYPESCRIPT_7, '--module', 'node16', ...MODULES],
      [TYPESCRIPT_6, '--module', ...NODE10, 'script.ts'],
    ]) {
      // Errors in declarations count too: these are ours.
      const flags = ['--strict', '--noEmit', '--target', 'es2023', '--lib', 'es2023,dom,esnext.disposable'];
      const { stdout } = await exec(process.execPath, [...args, ...flags], { cwd: app }).catch((error) => error);
      expect.soft(stdout, args.join(' ')).toBe('');
    }
  },
  3 * MINUTES,
);
