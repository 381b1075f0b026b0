/**
 * Measures the first steps of a user: `npm run first-tool` packs the packages, serves them from a local registry, installs
 * @tgp/core with npm, pnpm, yarn and bun in empty folders with empty caches, and runs a program that forges and runs its first
 * tool. Third-party dependencies come from the configured npm registry.
 *
 *   --only npm,bun      only these         --packed DIR    use existing tarballs
 *   --write             writes the table to docs/first_tool.md
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../tools/markdown_table.mjs';
import { hostPlatform, PLATFORM_NAMES, packageJson } from '../tools/platform.mjs';
import { announce, captureIn, ROOT, StepFailed, whenStarted } from '../tools/process.mjs';
import { localRegistry } from './local_registry.mjs';
import { packCore, packed, packPlatform } from './release_packages.mjs';

/**
 * @typedef {{ name: string, version: string, install: number, forged: number, megabytes: number }} Timed in seconds
 * @typedef {{ name: string, skipped: string }} Skipped
 * @typedef {{ folder: string, cache: string, registry: string, upstream: string }} Place
 * @typedef {{ package: string, program: string, files?: (place: Place) => Record<string, string>, install: (place: Place) => string[], env?: (place: Place) => Record<string, string>, run?: (program: string) => string[] }} Manager
 * `program` is its file below node_modules; `install` its arguments; `run` the command for a script, if not plain Node
 */

const SECOND = 1000;
const COMMAND_TIMEOUT_MS = 15 * 60 * SECOND;
const PROGRAM = `import { TGP, tgpTools } from '@tgp/core';
const kernel = new TGP();
const tools = tgpTools(kernel);
const path = 'tools/math/double.ts';
const content = '/** Twice a number. */\\nexport default (args: { n: number }): number => args.n * 2;\\n';
await tools.write_file.execute({ path, content });
const { result } = await tools.exec_tool.execute({ path, args: { n: 21 } });
await kernel.shutdown();
console.log(result);
`;

/** @param {Place} place */
const npmrc = ({ registry, upstream }) => ({ '.npmrc': `registry=${upstream}\n@tgp:registry=${registry}\n` });
/** @param {Place} place @param {'node-modules' | 'pnp'} linker */
const yarnrc = ({ registry, upstream, cache }, linker) => ({
  '.yarnrc.yml': [
    `nodeLinker: ${linker}`,
    'enableTelemetry: false',
    'enableGlobalCache: false',
    `globalFolder: ${JSON.stringify(cache)}`,
    `cacheFolder: ${JSON.stringify(join(cache, 'files'))}`,
    'unsafeHttpWhitelist: ["127.0.0.1", "localhost"]',
    `npmRegistryServer: ${JSON.stringify(upstream)}`,
    `npmScopes: { tgp: { npmRegistryServer: ${JSON.stringify(registry)} } }`,
    '',
  ].join('\n'),
  'yarn.lock': '',
});

/** @type {Record<string, Manager>} */
const MANAGERS = {
  npm: {
    package: 'npm',
    program: 'npm/bin/npm-cli.js',
    files: npmrc,
    install: ({ cache }) => ['install', '@tgp/core', '--no-audit', '--no-fund', '--cache', cache],
  },
  pnpm: {
    package: 'pnpm@10',
    program: 'pnpm/bin/pnpm.cjs',
    files: npmrc,
    install: ({ cache }) => ['add', '@tgp/core', '--store-dir', cache],
  },
  'yarn 4, node_modules': {
    package: '@yarnpkg/cli-dist',
    program: '@yarnpkg/cli-dist/bin/yarn.js',
    files: (place) => yarnrc(place, 'node-modules'),
    install: () => ['add', '@tgp/core'],
  },
  'yarn 1': {
    package: 'yarn@1.22.22',
    program: 'yarn/bin/yarn.js',
    files: npmrc,
    install: ({ cache }) => ['add', '@tgp/core', '--cache-folder', cache],
  },
  "yarn 4, Plug'n'Play": {
    package: '@yarnpkg/cli-dist',
    program: '@yarnpkg/cli-dist/bin/yarn.js',
    files: (place) => yarnrc(place, 'pnp'),
    install: () => ['add', '@tgp/core'],
    run: (program) => [process.execPath, program, 'node', 'first.mjs'],
  },
  bun: {
    package: 'bun',
    program: '.bin/bun',
    files: npmrc,
    install: () => ['add', '@tgp/core'],
    env: ({ cache }) => ({ BUN_INSTALL_CACHE_DIR: cache }),
    run: (program) => [program, 'first.mjs'],
  },
};

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} folder
 * @param {Record<string, string>} [extra]
 * @returns {Promise<{ seconds: number, output: string }>}
 */
function timed(command, args, folder, extra) {
  const start = process.hrtime.bigint();
  // A script run by npm inherits npm settings that other managers reject.
  const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...plain, CI: '1', ...extra },
    timeout: COMMAND_TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((done, fail) => {
    child.on('error', (error) => fail(new StepFailed(error.message)));
    child.on('close', (code) => {
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      if (code === 0) done({ seconds, output });
      else fail(new StepFailed(output.trim().split('\n').slice(-25).join('\n') || `exit code ${code}`));
    });
  });
}

/** yarn's error if the registry lacks a package, even an optional one for another platform. */
const LACKING = /YN0082: │ (@?[^@\s]+)@npm:\S+ No candidates found|Couldn't find any versions for "([^"]+)"/;
/** The placeholder for such a package. */
const STAND_IN = 'npm:tslib@^2.0.0';

/**
 * Installs @tgp/core. Registry mirrors may lack packages for other platforms; all managers except yarn skip them.
 * @param {string[]} command
 * @param {Place} place
 * @param {Record<string, string> | undefined} env
 * @param {Record<string, string>} [resolutions]
 * @returns {Promise<number>} seconds
 */
async function installed(command, place, env, resolutions = {}) {
  const manifest = {
    name: 'app',
    private: true,
    type: 'module',
    ...(Object.keys(resolutions).length > 0 && { resolutions }),
  };
  writeFileSync(join(place.folder, 'package.json'), JSON.stringify(manifest));
  const [program = '', ...words] = command;
  try {
    return (await timed(program, words, place.folder, env)).seconds;
  } catch (error) {
    const [, ...named] = LACKING.exec(error instanceof StepFailed ? error.message : '') ?? [];
    const missing = named.find((name) => name !== undefined);
    if (missing === undefined || missing in resolutions) throw error;
    process.stdout.write(`The registry lacks ${missing}, which yarn requires; a placeholder is used.\n`);
    rmSync(place.cache, { recursive: true, force: true });
    return installed(command, place, env, { ...resolutions, [missing]: STAND_IN });
  }
}

/**
 * @param {string} name
 * @param {string} registry
 * @param {string} upstream
 * @returns {Promise<Timed | Skipped>}
 */
async function tryManager(name, registry, upstream) {
  const manager = /** @type {Manager} */ (MANAGERS[name]);
  const work = mkdtempSync(join(tmpdir(), 'tgp-first-'));
  try {
    announce(name);
    const home = join(work, 'manager');
    const place = { folder: join(work, 'app'), cache: join(work, 'cache'), registry, upstream };
    for (const folder of [home, place.folder, place.cache]) mkdirSync(folder);
    await timed('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', manager.package], home);
    const program = join(home, 'node_modules', manager.program);
    const start = /\.c?js$/.test(program) ? [process.execPath, program] : [program];
    const [command = '', ...words] = start;
    const { output: version } = await timed(command, [...words, '--version'], home);
    const files = { 'first.mjs': PROGRAM, ...manager.files?.(place) };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place.folder, file), text);
    const env = manager.env?.(place);
    const install = await installed([...start, ...manager.install(place)], place, env);
    const [runner = '', ...first] = manager.run?.(program) ?? [process.execPath, 'first.mjs'];
    const { seconds: forged, output } = await timed(runner, first, place.folder, env);
    if (!/^42$/m.test(output)) throw new StepFailed(`The first tool printed ${output}`);
    const size = Number.parseInt(captureIn(place.folder, 'du', ['-sm', '.']), 10);
    return { name, version: version.trim().split('\n').at(-1) ?? '', install, forged, megabytes: size };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    process.stderr.write(`${error.message}\n`);
    return { name, skipped: error.message.split('\n').find((line) => /error/i.test(line)) ?? error.message };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {(Timed | Skipped)[]} rows */
export function timesTable(rows) {
  const cells = rows.map((row) =>
    'skipped' in row
      ? [row.name, '', `not here: ${row.skipped.replaceAll('|', ' ').slice(0, 100)}`, '', '', '']
      : [
          row.name,
          row.version,
          `${row.install.toFixed(1)} s`,
          `${row.forged.toFixed(1)} s`,
          `${(row.install + row.forged).toFixed(1)} s`,
          `${row.megabytes} MB`,
        ],
  );
  return table(['manager', 'version', 'install', 'first tool forged and run', 'together', 'on disk'], cells);
}

/** @param {string} into the native package of this machine, @tgp/core, and the others without their binaries, which no manager needs */
function tarballs(into) {
  const own = hostPlatform().name;
  announce('Packing');
  const others = PLATFORM_NAMES.filter((name) => name !== own).map((name) => packed(join(ROOT, 'npm', name), { into }));
  return [packCore({ into }), packPlatform({ into }), ...others];
}

async function main() {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, packed: { type: 'string' }, write: { type: 'boolean', default: false } },
  });
  const wanted = values.only?.split(',');
  const names = Object.keys(MANAGERS).filter(
    (name) => wanted === undefined || wanted.some((word) => name.startsWith(word)),
  );
  if (names.length === 0) throw new StepFailed(`--only takes ${Object.keys(MANAGERS).join(', ')}`);
  const folder = mkdtempSync(join(tmpdir(), 'tgp-packed-'));
  try {
    const given = values.packed && resolve(values.packed);
    const files = given
      ? readdirSync(given)
          .filter((file) => /^tgp-core-.*\.tgz$/.test(file))
          .map((file) => join(given, file))
      : tarballs(folder);
    const registry = await localRegistry(files);
    const upstream = captureIn(tmpdir(), 'npm', ['config', 'get', 'registry']).trim();
    const rows = [];
    for (const name of names) rows.push(await tryManager(name, registry.url, upstream));
    await registry.close();
    const printed = timesTable(rows);
    process.stdout.write(`\n${printed}\n`);
    if (values.write) writeFileSync(join(ROOT, 'docs', 'first_tool.md'), page(printed));
    process.exitCode = rows.every((row) => 'skipped' in row) ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} printed */
function page(printed) {
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(', ');
  const memory = Math.round(totalmem() / 2 ** 30);
  return `# Time to the first tool

Written by \`npm run first-tool -- --write\` from a run of the packed packages (${packageJson().version}) on ${process.platform}-${process.arch} with ${cpus().length}
cores (${cpus()[0]?.model.trim()}) and ${memory} GB of memory, with Node ${process.versions.node}. Other load on the
machine: load averages of ${load} at the end (1, 5 and 15 minutes; idle is near 1).

Each manager starts with an empty folder and an empty cache. \`@tgp/core\` is installed as by a user, with its native package from a
registry on the same machine and third-party packages from the configured npm registry. Then a program of eight lines forges a
tool and runs it, with a new workspace, its Git repository and a commit. Bun runs the program itself; for the others Node does. If
the registry lacks an optional package for another platform, which only yarn reports as an error, a small placeholder package is
used.

${printed}
`;
}

await whenStarted(import.meta.url, main);
