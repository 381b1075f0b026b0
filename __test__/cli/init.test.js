import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { examineNextConfig } from '../../dist/cli/doctor/doctor_config.js';
import { nestModule, nextRoute, script } from '../../dist/cli/init/agent_templates.js';
import { driverOf } from '../../dist/cli/init/databases.js';
import { configText } from '../../dist/cli/init/templates.js';
import { TGP } from '../../index.js';
import { installedPackages } from '../../tools/installed_packages.mjs';
import { CLI, runCli } from '../../tools/run_cli.mjs';
import { find } from '../helpers/doctor_report.js';
import { strictPrograms } from '../helpers/strict_typescript.js';
import { tempRoot } from '../helpers/temp_root.js';

const MINUTES = 60_000;
const PACKAGES_HERE = fileURLToPath(new URL('../../node_modules', import.meta.url));
const PACKAGES = {
  '@nestjs/common': '11.1.6',
  '@types/pg': '8.15.5',
  'reflect-metadata': '0.2.2',
  rxjs: '7.8.2',
  ai: '6.0.326',
  zod: '4.6.7',
};

/**
 * A folder with these files.
 * @param {Record<string, string>} files
 */
async function application(files) {
  const folder = await tempRoot();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const read = (/** @type {string[]} */ ...path) => readFile(join(...path), 'utf8');

describe('tgp init', () => {
  test('sets up an empty folder, and reports the created files', async () => {
    const folder = await application({});
    const { code, stdout, stderr } = await runCli(folder, ['init']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const root = ['.git', 'tools/examples/greet.ts', 'meta.json', 'bin/tgp'].map((file) => `.tgp/${file}`);
    for (const file of ['tgp.config.ts', ...root, '.gitignore', 'agent.mjs']) {
      expect(stdout).toContain(`created  ${file}`);
      expect(await stat(join(folder, file))).toBeTruthy();
    }
    expect(await read(folder, '.gitignore')).toBe('/.tgp/\n');
    expect((await stat(join(folder, '.tgp/bin/tgp'))).mode & 0o111).toBe(0o111);
    const git = (/** @type {string[]} */ ...args) =>
      execFileSync('git', ['-C', join(folder, '.tgp'), ...args], { encoding: 'utf8' });
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s')).toBe('Forge: tools/examples/greet.ts\n');

    const ran = await runCli(folder, [
      'exec',
      'examples/greet',
      '--yes',
      '-a',
      '{"names":["Ada"],"greeting":"Hello"}',
      '--json',
    ]);
    expect(ran.json()).toMatchObject({ success: true, result: ['Hello, Ada!'] });
  });

  test('changes nothing when it runs again, even if its files were edited', async () => {
    const folder = await application({ 'package.json': '{"name":"app"}' });
    await runCli(folder, ['init', '--yes']);
    await writeFile(join(folder, 'tgp.config.ts'), "export default { rootDir: './.tgp' };\n");
    await writeFile(join(folder, '.tgp/bin/tgp'), 'mine');
    const before = await snapshot(folder);
    const { code, ...again } = await runCli(folder, ['init', '--yes', '--json']);
    expect(code).toBe(0);
    expect(again.json().files.every(({ effect }) => effect === 'kept')).toBe(true);
    expect(await snapshot(folder)).toEqual(before);
  });

  test('extends existing files without other changes', async () => {
    const manifest =
      '{\n\t"name": "app",\n\t"scripts": {\n\t\t"start": "node ."\n\t},\n\t"dependencies": { "pg": "8" }\n}\n';
    const folder = await application({
      'package.json': manifest,
      '.gitignore': 'dist',
      'pnpm-lock.yaml': '',
      'tgp.config.json': '{"rootDir":"agent/root"}',
    });
    const { json } = await runCli(folder, ['init', '--json']);
    const report = json();
    expect(report).toMatchObject({ framework: 'plain', packageManager: 'pnpm', databases: ['pg'] });
    expect(report.files).toContainEqual({ file: 'tgp.config.json', effect: 'kept' });
    expect(report.next[0]).toBe('pnpm add @tgp/core ai');
    const agent = await read(folder, 'agent.mjs');
    expect(agent).toContain('new TGP({ sql: { source: db, ...access } })');
    expect(agent).toContain('const access = { readOnly: true };');
    expect(agent).toContain('createSqlTools(db, access)');
    expect(agent).toContain('await db.end()');
    expect(await read(folder, '.gitignore')).toBe('dist\n/agent/root/\n');
    expect(await read(folder, 'package.json')).toContain(
      '\t"scripts": {\n\t\t"start": "node .",\n\t\t"tgp": "tgp"\n\t}',
    );
    expect(await readdir(join(folder, 'agent/root'))).toEqual(expect.arrayContaining(['.git', 'bin', 'tools']));
  });

  /** @type {[string, Record<string, string>, string, string][]} */
  const kinds = [
    ['plain Node', {}, 'tgp.config.mjs', 'agent.mjs'],
    ['Express', { express: '5' }, 'tgp.config.mjs', 'agent.mjs'],
    ['Next.js', { next: '16' }, 'tgp.config.ts', 'app/api/agent/route.js'],
    ['NestJS', { '@nestjs/core': '11' }, 'tgp.config.mjs', 'src/tgp/tgp.module.ts'],
  ];
  test.each(kinds)(
    '%s: the database is in the config, for the agent and for the command line',
    async (_, more, config, agent) => {
      const dependencies = { ...more, 'better-sqlite3': '12' };
      const folder = await application({ 'package.json': JSON.stringify({ dependencies }) });
      // The driver is not installed yet.
      const report = (await runCli(folder, ['init', '--json'])).json();
      expect(report.next).toContain(`Set DATABASE_FILE: ${config} reads it.`);
      expect(await read(folder, config)).toContain('readOnly: true');
      const text = await read(folder, agent);
      expect(text).toContain('createSqlTools(');
      expect(text).not.toContain('better-sqlite3');
      await symlink(PACKAGES_HERE, join(folder, 'node_modules'));
      const rows = '/** Counts. */\nexport default async (): Promise<unknown> => tgp.exec_sql("SELECT 7 AS seven");\n';
      await writeFile(join(folder, '.tgp/tools/rows.ts'), rows);
      const env = { DATABASE_FILE: join(folder, 'shop.db') };
      const ran = (await runCli(folder, ['exec', 'rows', '--yes', '--json'], { env })).json();
      expect(ran).toMatchObject({ success: true, result: [{ seven: 7 }] });
      const { checks } = (await runCli(folder, ['doctor', '--json'], { env })).json();
      expect(checks.find(({ name }) => name === 'Database')).toMatchObject({ status: 'ok' });
    },
  );

  test('gives a Next.js application a route', async () => {
    const folder = await application({
      'package.json': '{"dependencies":{"next":"16.0.0","ai":"6.0.0"},"devDependencies":{"typescript":"5"}}',
      'src/app/page.tsx': '',
    });
    const report = (await runCli(folder, ['init', '--json'])).json();
    expect(report.framework).toBe('next');
    expect(report.files).toContainEqual({ file: 'src/app/api/agent/route.ts', effect: 'created' });
    expect(report.files).toContainEqual({ file: 'next.config.ts', effect: 'created' });
    expect(await examineNextConfig(folder)).toEqual({ status: 'ok', detail: 'next.config.ts uses withTGP' });
    const route = await read(folder, 'src/app/api/agent/route.ts');
    expect(route, 'Next.js refuses both with cacheComponents').not.toMatch(/export const (?:runtime|dynamic)/);
    const cached = "import { withTGP } from '@tgp/core/next';\nexport default withTGP({ cacheComponents: true });\n";
    await writeFile(join(folder, 'next.config.ts'), cached);
    expect(await examineNextConfig(folder)).toMatchObject({ status: 'ok' });
    await writeFile(join(folder, 'src/app/api/agent/route.ts'), `export const runtime = 'nodejs';\n${route}`);
    expect(await examineNextConfig(folder)).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('src/app/api/agent/route.ts exports "runtime"'),
    });
    await writeFile(join(folder, 'next.config.ts'), "export default { serverExternalPackages: ['@tgp/core'] };");
    expect(await examineNextConfig(folder)).toMatchObject({ status: 'warning' });
    await rm(join(folder, 'next.config.ts'));
    const { code, stdout } = await runCli(folder, ['doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain('✗ Next.js');
  });

  test('gives a NestJS application a module', async () => {
    const folder = await application({ 'package.json': '{"dependencies":{"@nestjs/core":"11.0.0"}}' });
    const report = (await runCli(folder, ['init', '--json'])).json();
    expect(report.framework).toBe('nest');
    expect(report.files).toContainEqual({ file: 'src/tgp/tgp.module.ts', effect: 'created' });
    expect(report.files).toContainEqual({ file: 'tgp.config.mjs', effect: 'created' });
    expect(report.next.join('\n')).toContain("TgpModule.forRoot({ configFile: './tgp.config.mjs' })");
    expect(report.next.join('\n')).toContain('app.enableShutdownHooks();');
  });

  test('the config beside a compiled application is not TypeScript, which would move the output of tsc', async () => {
    const folder = await application({ 'package.json': '{}', 'tsconfig.json': '{}', 'src/index.ts': '' });
    const report = (await runCli(folder, ['init', '--json'])).json();
    expect(report.files).toContainEqual({ file: 'tgp.config.mjs', effect: 'created' });
  });

  test('tsc that comes later compiles the application, in its place', async () => {
    for (const manifest of [{ dependencies: { '@tgp/core': '0.1.0', ai: '6' } }, { devDependencies: { tsx: '4' } }]) {
      const folder = await application({ 'package.json': JSON.stringify(manifest) });
      await runCli(folder, ['init', '--yes']);
      await mkdir(join(folder, 'src'));
      await writeFile(join(folder, 'src/index.ts'), 'export const one: number = 1;\n');
      const compilerOptions = { rootDir: 'src', outDir: 'dist', module: 'nodenext', strict: true, types: [] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      execFileSync(join(PACKAGES_HERE, '.bin/tsc'), ['-p', '.'], { cwd: folder, stdio: 'pipe' });
      expect(await readdir(join(folder, 'dist'))).toContain('index.js');
    }
  });

  test('doctor reports a config file that tsc compiles too', async () => {
    const folder = await application({ 'tgp.config.ts': 'export default {};\n', 'src/index.ts': 'export {};\n' });
    const configOf = async (/** @type {string} */ tsconfig) => {
      await writeFile(join(folder, 'tsconfig.json'), tsconfig);
      return find((await runCli(folder, ['doctor', '--json'])).json(), 'Config');
    };
    expect(await configOf('{ "compilerOptions": { "rootDir": "src" } }')).toMatchObject({
      status: 'warning',
      remedy: expect.stringContaining('tgp.config.mjs'),
    });
    for (const fine of ['{ "compilerOptions": { "noEmit": true } }', '{ "include": ["src"] }']) {
      expect(await configOf(fine)).toMatchObject({ status: 'ok', detail: 'tgp.config.ts' });
    }
  });

  test('doctor reports a missing package, and a test runner that would run the tests of tools', async () => {
    const folder = await application({
      'package.json': '{"dependencies":{"ai":"6"},"devDependencies":{"vitest":"4"}}',
      'vitest.config.js': 'export default {};\n',
    });
    await runCli(folder, ['init', '--yes']);
    const env = { AI_GATEWAY_API_KEY: '' };
    const examine = async () => find((await runCli(folder, ['doctor', '--json'], { env })).json(), 'Agent');
    expect(await examine()).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('agent.mjs imports @tgp/core and ai, which are not installed'),
      remedy: expect.stringContaining('npm i @tgp/core ai'),
    });
    await mkdir(join(folder, 'node_modules/@tgp'), { recursive: true });
    await symlink(join(PACKAGES_HERE, '..'), join(folder, 'node_modules/@tgp/core'));
    await symlink(join(PACKAGES_HERE, 'ai'), join(folder, 'node_modules/ai'));
    const noted = await examine();
    expect(noted).toMatchObject({ status: 'warning' });
    expect(noted.detail).toContain('AI_GATEWAY_API_KEY is not set here');
    expect(noted.detail).toContain('.tgp is not excluded from the test runner');
    await writeFile(join(folder, '.env'), 'AI_GATEWAY_API_KEY=x\n');
    await writeFile(join(folder, 'vitest.config.js'), "export default { test: { exclude: ['.tgp/**'] } };\n");
    expect(await examine()).toEqual({ name: 'Agent', status: 'ok', detail: 'agent.mjs' });
    await rm(join(folder, 'agent.mjs'));
    expect(await examine(), 'the application has an agent of its own').toBeUndefined();
  });

  test('offers @tgp/memory only if the registry has it', async () => {
    for (const status of [200, 404]) {
      const { url, seen } = await registry(status);
      const folder = await application({});
      const { next } = (await runCli(folder, ['init', '--json'], { env: { npm_config_registry: url } })).json();
      const offers = next.filter((/** @type {string} */ step) => step.includes('@tgp/memory'));
      expect(offers).toEqual(
        status === 200 ? ['Optional, to find tools by meaning as well as by words: npm i @tgp/memory'] : [],
      );
      expect(seen).toEqual([expect.stringMatching(/^HEAD \/@tgp%2fmemory\/\d+\.\d+\.\d+/)]);
    }
  });

  test('keeps the tests of tools out of the test runner of the application', async () => {
    const folder = await application({ 'package.json': '{"devDependencies":{"vitest":"4","jest":"30"}}' });
    const { next } = (await runCli(folder, ['init', '--json'])).json();
    expect(next.join('\n')).toContain("set test.exclude to [...configDefaults.exclude, '.tgp/**']");
    expect(next.join('\n')).toContain("set testPathIgnorePatterns to ['/node_modules/', '/.tgp/']");
    await symlink(PACKAGES_HERE, join(folder, 'node_modules'));
    await writeFile(join(folder, 'mine.test.js'), "import { test } from 'vitest';\ntest('mine', () => {});\n");
    await mkdir(join(folder, '.tgp/tools'), { recursive: true });
    await writeFile(
      join(folder, '.tgp/tools/a.test.ts'),
      "import { test } from '@tgp/std/test';\ntest('its', () => {});\n",
    );
    const config =
      "import { configDefaults } from 'vitest/config';\nexport default { test: { exclude: [...configDefaults.exclude, '.tgp/**'] } };\n";
    await writeFile(join(folder, 'vitest.config.mjs'), config);
    const vitest = [join(PACKAGES_HERE, 'vitest/vitest.mjs'), 'run', '--no-color'];
    const printed = execFileSync(process.execPath, vitest, { cwd: folder, encoding: 'utf8' });
    expect(printed).toMatch(/Test Files\s+1 passed/);
  });

  test('prints commands that run without a terminal', async () => {
    const folder = await application({});
    const { next } = (await runCli(folder, ['init', '--json'])).json();
    const line = next.find((/** @type {string} */ step) => step.startsWith('npx tgp exec '));
    const command = line.replace('npx tgp', `'${process.execPath}' '${CLI}'`);
    expect(JSON.parse(execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' }))).toEqual(['Hello, Ada!']);
  });

  test('names missing type packages, and where to add another database layer', async () => {
    const next = '"next":"16.0.0","ai":"6.0.0","@tgp/core":"0.1.0"';
    const typed = await application({
      'package.json': `{"dependencies":{${next},"pg":"8"},"devDependencies":{"typescript":"5"}}`,
    });
    expect((await runCli(typed, ['init', '--json'])).json().next[0]).toBe('npm i -D @types/pg');
    const layered = await application({ 'package.json': `{"dependencies":{${next},"@prisma/client":"7"}}` });
    const report = (await runCli(layered, ['init', '--json'])).json();
    expect(report.databases).toEqual(['@prisma/client']);
    expect(report.next[0]).toBe(
      'In tgp.config.ts, add your Prisma client as sql: { source: it, readOnly: true }, and in app/api/agent/route.js add ...createSqlTools(kernel) to the tools; without readOnly tools may write.',
    );
  });

  test('does not change an unusual Next.js config, and prints what to add', async () => {
    const unusual = 'module.exports = a;\nmodule.exports = wrap(module.exports);\n';
    const folder = await application({ 'package.json': '{"dependencies":{"next":"16"}}', 'next.config.js': unusual });
    const report = (await runCli(folder, ['init', '--json'])).json();
    expect(report.files).toContainEqual({ file: 'next.config.js', effect: 'kept' });
    expect(report.next).toContain("  import { withTGP } from '@tgp/core/next';");
    expect(await read(folder, 'next.config.js')).toBe(unusual);
  });

  test('writes nothing if a file has the path of the root', async () => {
    const folder = await application({ '.tgp': 'no folder' });
    const { code, stderr } = await runCli(folder, ['init', '--yes']);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/\.tgp is a file, but the root .* Nothing was written/);
    expect(await readdir(folder)).toEqual(['.tgp']);
    const error = await new TGP({ config: { rootDir: join(folder, '.tgp') } }).boot().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_CONFIG', details: { key: 'rootDir' } });
    expect(error.message).toMatch(/rootDir is not a folder: a file has this path/);
  });

  test('writes nothing when package.json cannot be read', async () => {
    const folder = await application({ 'package.json': '{' });
    const { code, stderr } = await runCli(folder, ['init']);
    expect(code).toBe(1);
    expect(stderr).toContain('package.json');
    expect(await readdir(folder)).toEqual(['package.json']);
  });
});

test(
  'generated files compile in strict TypeScript, with every database driver and without',
  async () => {
    const folder = installedPackages('tgp-frameworks', PACKAGES);
    /** @type {Record<string, string>} */
    const sources = {};
    /** @type {Record<string, string>} */
    const routes = {};
    for (const database of ['none', 'pg', 'postgres', 'mysql2', 'better-sqlite3']) {
      const driver = driverOf([database]);
      expect(driver?.name ?? 'none').toBe(database);
      routes[`config_${database}.ts`] = configText(driver);
      const config = `config_${database}.ts`;
      for (const place of driver
        ? [driver, /** @type {const} */ ('in the config')]
        : [/** @type {const} */ ('nowhere')]) {
        const choices = /** @type {const} */ ({ language: 'ts', config, database: place, up: './' });
        const name = `${database}_${typeof place === 'string' ? 'config' : 'agent'}`;
        routes[`route_${name}.ts`] = nextRoute(choices);
        sources[`module_${name}.ts`] = nestModule(choices);
        sources[`script_${name}.mts`] = script(choices);
        expect(nextRoute({ ...choices, language: 'js' })).not.toContain(': Request');
      }
    }
    expect(await strictPrograms(folder, 'templates', sources, { experimentalDecorators: true })).toBe('');
    // The settings of Next.js.
    const bundled = { module: 'ESNext', moduleResolution: 'Bundler' };
    expect(await strictPrograms(folder, 'routes', routes, bundled)).toBe('');
  },
  3 * MINUTES,
);

/**
 * A registry that answers every request with a status.
 * @param {number} status
 */
async function registry(status) {
  /** @type {string[]} */
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.writeHead(status).end();
  });
  await /** @type {Promise<void>} */ (new Promise((done) => server.listen(0, '127.0.0.1', done)));
  onTestFinished(() => void server.close());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, seen };
}

/**
 * All files of a folder with their content, except those of Git.
 * @param {string} folder
 */
async function snapshot(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'));
  return Promise.all(files.map(async ({ parentPath, name }) => [join(parentPath, name), await read(parentPath, name)]));
}
