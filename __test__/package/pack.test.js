import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hostPlatform } from '../../scripts/platform.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const platform = hostPlatform();
const MINUTES = 60_000;

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

/**
 * @param {string} folder
 * @param {string} destination
 * @returns {Promise<string>} the tarball
 */
async function pack(folder, destination) {
  const { stdout } = await exec('npm', ['pack', '--json', '--pack-destination', destination], { cwd: folder });
  // A list in some versions of npm, an object by package name in others.
  const [packed] = /** @type {any[]} */ (Object.values(JSON.parse(stdout)));
  return join(destination, packed.filename);
}

/** An application that has installed the two packages from their tarballs. */
async function application() {
  const folder = await tempRoot();
  const tarballs = join(folder, 'tarballs');
  const app = join(folder, 'app');
  await mkdir(tarballs);
  await mkdir(app);
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true }\n');
  const main = await pack(ROOT, tarballs);
  const native = await pack(join(ROOT, 'npm', platform.name), tarballs);
  await exec('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', main, native], { cwd: app });
  return { app, installed: join(app, 'node_modules', '@tgp') };
}

test(
  'the packed packages work in an empty project, by import and by require',
  async () => {
    const { app, installed } = await application();

    const worker = await stat(join(installed, `core-${platform.name}`, platform.worker));
    expect(worker.mode & 0o111, 'the worker may be run').toBe(0o111);

    const scripts = { 'esm.mjs': ESM, 'cjs.cjs': CJS, 'mixed.mjs': MIXED };
    for (const [name, source] of Object.entries(scripts)) {
      await rm(join(app, '.tgp'), { recursive: true, force: true });
      await writeFile(join(app, name), source);
      const { stdout, stderr } = await exec(process.execPath, [name], { cwd: app });
      expect(stderr, name).toBe('');
      expect(JSON.parse(stdout), name).toMatchObject({ report: { success: true, result: 42 }, late: 'ERR_SHUTDOWN' });
    }

    const { stdout: version } = await exec(join(app, 'node_modules', '.bin', 'tgp'), ['--version'], { cwd: app });
    const { version: packed } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    expect(version.trim()).toBe(packed);

    await rm(join(app, '.tgp'), { recursive: true, force: true });
    await exec(join(app, 'node_modules', '.bin', 'tgp'), ['init', '--yes'], { cwd: app });
    for (const type of ['commonjs', 'module']) {
      const manifest = JSON.parse(await readFile(join(app, 'package.json'), 'utf8'));
      await writeFile(join(app, 'package.json'), JSON.stringify({ ...manifest, type }));
      const { stdout } = await exec(join(app, '.tgp', 'bin', 'tgp'), ['list'], { cwd: app });
      expect(stdout, type).toContain('tools/examples/greet.ts');
    }
  },
  5 * MINUTES,
);
