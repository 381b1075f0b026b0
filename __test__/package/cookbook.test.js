/** The code of docs/cookbook.md runs unchanged, except for addresses of servers and paths of folders. */

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openaiServer } from '../../examples/demo/providers/openai_server.js';
import { TGP, tgpTools } from '../../index.js';
import { forgeTestFirst } from '../../tools/model_scripts.mjs';
import { forgeServer } from '../helpers/forge_server.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { serveHttp } from '../helpers/http_server.js';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = await readFile(join(ROOT, 'docs/cookbook.md'), 'utf8');
const TASK = 'What does a box of 40 x 40 x 50 inches weigh, divisor 139?';
const TWICE = '/** Twice. */\nexport default (args: { n: number }): number => args.n * 2;\n';
const OLLAMA = 'http://localhost:11434';

/** The blocks of code below each heading. */
const recipes = new Map(
  PAGE.split(/^## /m)
    .slice(1)
    .map((section) => [
      String(section.split('\n')[0]),
      [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = '', code = '']) => ({ language, code })),
    ]),
);

/**
 * The blocks of one language of a recipe.
 * @param {string} title
 * @param {string} language
 */
const blocksOf = (title, language) =>
  (recipes.get(title) ?? []).filter((block) => block.language === language).map(({ code }) => code);

/** An application with this package, its command and the packages of its development. */
async function application() {
  const folder = join(await tempRoot(), 'app');
  await mkdir(join(folder, 'node_modules/@tgp'), { recursive: true });
  await mkdir(join(folder, 'node_modules/.bin'));
  await symlink(ROOT, join(folder, 'node_modules/@tgp/core'));
  await symlink(join(ROOT, 'bin/tgp.js'), join(folder, 'node_modules/.bin/tgp'));
  for (const name of ['ai', '@ai-sdk', 'better-sqlite3'])
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  await writeFile(join(folder, 'package.json'), '{}');
  return folder;
}

let programs = 0;

/**
 * Runs a program in the folder.
 * @param {string} folder
 * @param {string} code
 * @param {{ env?: NodeJS.ProcessEnv, preload?: string }} [options]
 */
async function run(folder, code, { env = {}, preload } = {}) {
  const file = `program_${++programs}.mjs`;
  await writeFile(join(folder, file), code);
  const args = preload === undefined ? [file] : ['--import', preload, file];
  const { stdout } = await exec(process.execPath, args, { cwd: folder, env: { ...process.env, ...env } });
  return stdout;
}

/**
 * Runs commands in the folder. `npx` takes the command of this package from `node_modules`, also with `-p`.
 * @param {string} folder
 * @param {string} commands
 */
async function shell(folder, commands, env = {}) {
  const script = commands.replaceAll('npx -p @tgp/core tgp', 'tgp').replaceAll('npx tgp', 'tgp');
  const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;
  const bin = join(folder, 'node_modules/.bin');
  const { stdout } = await exec('bash', ['-euc', script], {
    cwd: folder,
    env: { ...process.env, ...env, PATH: `${bin}:${PATH}` },
  });
  return stdout;
}

/**
 * A kernel of the test, on the root of an application.
 * @param {string} rootDir
 */
function kernelAt(rootDir) {
  const kernel = new TGP({ config: { rootDir, memory: 'off' } });
  onTestFinished(() => kernel.shutdown());
  return kernel;
}

test('every recipe has a test', () => {
  expect([...recipes.keys()]).toEqual([
    'Ollama',
    'Secrets',
    'Three servers',
    'Cost limits with the AI SDK',
    'Deleting everything',
    'Moving and trimming the ledger',
    'Reviewing tools in pull requests',
    'Sharing tools between teams',
    'Cron',
    'Long work',
    'Files in and out',
    'Tenants',
    'Tests without an API key',
  ]);
});

test('Ollama', async () => {
  const server = await openaiServer(forgeTestFirst);
  onTestFinished(() => server.close());
  const [program = ''] = blocksOf('Ollama', 'js');
  const [commands = ''] = blocksOf('Ollama', 'bash');
  const answer = await run(await application(), program.replaceAll(OLLAMA, server.url));
  expect(answer).toMatch(/^done .*576/);
  const [install, command = ''] = commands.split('\n');
  expect(install).toBe('npm install ai @ai-sdk/openai-compatible');
  expect(command).toContain(TASK);
  const folder = await application();
  await shell(folder, 'tgp init --yes');
  expect(await shell(folder, `${command.replaceAll(OLLAMA, server.url)} --yes`)).toContain('576');
});

test('Secrets', async () => {
  /** @type {unknown[]} */
  const received = [];
  const { url, port } = await serveHttp((request, response) => {
    received.push([request.url, request.headers.authorization]);
    response.end(JSON.stringify({ of: request.headers.authorization, cents: 42 }));
  });
  const [program = ''] = blocksOf('Secrets', 'js');
  const local = program
    .replaceAll('https://api.stripe.com', url)
    .replace("['api.stripe.com']", `['127.0.0.1:${port}']`);
  const printed = await run(await application(), local, { env: { STRIPE_KEY: 'sk_live_2Zk8qP4mX9' } });
  expect(received).toEqual([['/v1/balance', 'Bearer sk_live_2Zk8qP4mX9']]);
  expect(printed).toBe("{ of: 'Bearer {{secret:STRIPE}}', cents: 42 }\n");
});

test('Three servers', async () => {
  const { remote } = await bareRemote();
  const [program = ''] = blocksOf('Three servers', 'js');
  const folder = await application();
  /** @type {(server: number, more: string) => Promise<string>} */
  const on = (server, more) =>
    run(folder, `import { tgpTools } from '@tgp/core';\n${program}\n${more}\nawait kernel.shutdown();`, {
      env: { TOOLS_DIR: join(folder, `server-${server}`), TOOLS_REPO: remote },
    });
  /** @type {(server: number) => Promise<string>} */
  const forge = (server) =>
    on(
      server,
      `await tgpTools(kernel).write_file.execute({ path: 'tools/twice_${server}.ts', content: ${JSON.stringify(TWICE)} });`,
    );
  await Promise.all([forge(1), forge(2)]);
  const used =
    "console.log((await kernel.exec('tools/twice_1.ts', { n: 2 })).result, (await kernel.exec('tools/twice_2.ts', { n: 4 })).result);";
  expect(await on(3, used)).toBe('4 8\n');
});

test('Cost limits with the AI SDK', async () => {
  const [program = ''] = blocksOf('Cost limits with the AI SDK', 'js');
  const folder = await application();
  // A model that never stops, and costs 20 cents in each step.
  const preload = join(folder, 'endless_model.mjs');
  await writeFile(
    preload,
    `const languageModel = (modelId) => ({
      specificationVersion: 'v3', provider: 'scripted', modelId, supportedUrls: {},
      doGenerate: async () => ({
        content: [{ type: 'tool-call', toolCallId: 'a' + Math.random(), toolName: 'list_files', input: '{}' }],
        finishReason: { unified: 'tool-calls' }, warnings: [],
        usage: { inputTokens: { total: 80_000 }, outputTokens: { total: 10_000 } },
      }),
    });
    globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: 'v3', languageModel };`,
  );
  const printed = await run(folder, program, { preload: pathToFileURL(preload).href });
  expect(printed).toBe('3 steps, 0.60 dollars: stopped by the limit\n');
});

test('Deleting everything', async () => {
  const folder = await application();
  await tgpTools(kernelAt(join(folder, '.tgp'))).write_file.execute({ path: 'tools/twice.ts', content: TWICE });
  const [program = ''] = blocksOf('Deleting everything', 'js');
  await run(folder, program);
  expect(existsSync(join(folder, '.tgp'))).toBe(false);
});

test('Moving and trimming the ledger', async () => {
  const folder = await application();
  const kernel = kernelAt(join(folder, '.tgp'));
  await tgpTools(kernel).write_file.execute({ path: 'tools/twice.ts', content: TWICE });
  await kernel.shutdown();
  const [commands = ''] = blocksOf('Moving and trimming the ledger', 'bash');
  mkdirSync(join(folder, '../elsewhere'));
  expect(await shell(folder, commands)).toContain('verified');
  const [program = ''] = blocksOf('Moving and trimming the ledger', 'js');
  expect(await run(folder, program)).toBe('0 events deleted, ledger intact\n');
  expect(await shell(folder, 'tgp ledger verify --file ledger.ndjson')).toContain('verified');
});

test('Reviewing tools in pull requests', async () => {
  const server = await forgeServer('github');
  const work = clone(server.folder, server.remote);
  git(work, 'commit', '-q', '--allow-empty', '-m', 'Start');
  git(work, 'push', '-q', 'origin', 'HEAD:main');
  const [program = ''] = blocksOf('Reviewing tools in pull requests', 'js');
  const { provider, repo, writeStrategy, ...local } = { ...server.config, writeStrategy: 'pr' };
  const config = JSON.stringify({ provider, repo, writeStrategy, ...local });
  const folder = await application();
  const printed = await run(folder, program.replace(/git: \{.*\}(?= \},)/, `git: ${config}`), {
    env: { TGP_GITHUB_TOKEN: server.token },
  });
  expect(printed).toBe(`${server.url}/owner/name/pull/1\n`);
  expect(git(server.remote, 'ls-tree', '-r', '--name-only', 'main')).toBe('');

  git(work, 'pull', '-q', 'origin', String(server.requests[0]?.head));
  const [commands = ''] = blocksOf('Reviewing tools in pull requests', 'bash');
  const ci = await application();
  git(ci, 'clone', '-q', work, '.tgp');
  await writeFile(
    join(ci, '.tgp/tools/shipping/pallets.test.ts'),
    `import { expect, test } from '@tgp/std/test';
import pallets from './pallets';
test('a pallet that is not full counts', () => expect(pallets({ boxes: 5, perPallet: 2 })).toBe(3));
`,
  );
  const checked = await shell(ci, commands);
  expect(checked).toContain('1 tool and 1 test file checked, all valid');
  expect(checked).toContain('1 passed');
});

test('Sharing tools between teams', async () => {
  const { remote } = await bareRemote();
  const folder = await application();
  const [policy = ''] = blocksOf('Sharing tools between teams', 'yaml');
  const [program = ''] = blocksOf('Sharing tools between teams', 'js');
  await writeFile(join(folder, 'tgp.policy.yaml'), policy);
  const printed = await run(folder, program, { env: { TOOLS_REPO: remote } });
  expect(printed).toContain('Ask the team shipping for changes.');
  const files = git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n');
  expect(files.filter((file) => file.startsWith('tools/'))).toEqual(['tools/billing/twice.ts']);
});

test('Cron', async () => {
  const folder = await application();
  const kernel = kernelAt(join(folder, '.tgp'));
  const content = '/** Revenue. */\nexport default (args: { year: number }) => ({ year: args.year, total: 42 });\n';
  await tgpTools(kernel).write_file.execute({ path: 'tools/reports/revenue.ts', content });
  await kernel.shutdown();
  const [commands = ''] = blocksOf('Cron', 'bash');
  await shell(folder, commands.replace('/srv/app', folder));
  expect(JSON.parse(await readFile(join(folder, 'revenue.log'), 'utf8'))).toEqual({ year: 2026, total: 42 });
});

test.each(['Long work', 'Files in and out'])('%s', async (title) => {
  const [program = ''] = blocksOf(title, 'js');
  expect(await run(await application(), program)).toBe(`${/console\.log.* \/\/ (.*)/.exec(program)?.[1]}\n`);
});

test('Tenants', async () => {
  const folder = await application();
  for (const [tenant, n] of Object.entries({ acme: 1, globex: 2 })) {
    await mkdir(join(folder, 'tenants', tenant), { recursive: true });
    new Database(join(folder, 'tenants', tenant, 'app.db'))
      .exec(`CREATE TABLE t (n); INSERT INTO t VALUES (${n})`)
      .close();
  }
  const [program = ''] = blocksOf('Tenants', 'js');
  const content = "/** Reads. */\nexport default () => tgp.exec_sql('SELECT n FROM t');\n";
  const used = `
    import { tgpTools } from '@tgp/core';
    for (const tenant of ['acme', 'globex']) {
      const kernel = kernelOf(tenant);
      if (tenant === 'acme') await tgpTools(kernel).write_file.execute({ path: 'tools/n.ts', content: ${JSON.stringify(content)} });
      console.log(JSON.stringify(await kernel.exec('tools/n.ts').then(({ result }) => result, ({ code }) => code)));
      await kernel.shutdown();
    }
    try { kernelOf('../acme'); } catch (error) { console.log(error.message); }`;
  expect(await run(folder, `${program}${used}`)).toBe(
    '[{"n":1}]\n"ERR_NOT_FOUND"\nThe name of a tenant has letters and digits only.\n',
  );
});

test('Tests without an API key', async () => {
  const [program = ''] = blocksOf('Tests without an API key', 'js');
  const folder = await application();
  await writeFile(join(folder, 'agent.test.mjs'), program);
  const keyless = Object.entries(process.env).filter(([name]) => !/_KEY$|^NODE_TEST_CONTEXT$/.test(name));
  const { stdout } = await exec(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: folder,
    env: Object.fromEntries(keyless),
  });
  expect(stdout).toMatch(/^# pass 1$/m);
  await writeFile(join(folder, 'agent.test.mjs'), program.replace('args.n * 2', 'args.n * 3'));
  await expect(exec(process.execPath, ['--test'], { cwd: folder, env: Object.fromEntries(keyless) })).rejects.toThrow();
});
