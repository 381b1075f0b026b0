/**
 * What a new user meets: applications as their creators make them, users and roots of containers, clients. With the packed
 * packages, `npm run test:frameworks`; it writes its part of `docs/frameworks.md`.
 */

import { execFile } from 'node:child_process';
import { chmod, chown, cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { openaiServer } from '../../../examples/demo/providers/openai_server.js';
import { tarballs } from '../../helpers/packed_application.js';
import { KEY, NOTES } from '../../helpers/providers/agent_workspace.js';
import { askAgent, SCRIPTED_MODEL, startServer } from '../../helpers/running_server.js';
import { env } from '../../helpers/served_application.js';
import { tempRoot } from '../../helpers/temp_root.js';
import { writeSetups } from './frameworks_page.js';

const exec = promisify(execFile);
const MINUTES = 60_000;
const USER = 1000;
const FORGED = 'It bills as 576 pounds (forged tools/shipping/dim_weight.ts).';
const REUSED = 'It bills as 576 pounds (reused tools/shipping/dim_weight.ts).';
const isRoot = process.getuid?.() === 0;

/** @type {import('./frameworks_page.js').Setup[]} */
const setups = [];
/** @type {string[]} */
const names = [];

/**
 * Runs a command line in a folder, without a terminal.
 * @param {string} cwd
 * @param {string} line
 * @param {NodeJS.ProcessEnv} [more] of its environment
 */
async function sh(cwd, line, more = {}) {
  try {
    return (await exec('sh', ['-c', line], { cwd, env: { ...env, ...more }, timeout: 6 * MINUTES })).stdout;
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout: string, stderr: string }} */ (error);
    throw new Error(`${line}\n${stdout}\n${stderr}`, { cause: error });
  }
}

/**
 * As {@link sh}, as a user other than root, as in a container with `USER`.
 * @param {string} cwd
 * @param {string} line
 * @param {NodeJS.ProcessEnv} [more]
 */
async function asUser(cwd, line, more = {}) {
  const options = { cwd, env: { ...env, ...more }, uid: USER, gid: USER };
  return exec('sh', ['-c', line], options).then(
    ({ stdout }) => stdout,
    (error) => `${error.stdout}${error.stderr}`,
  );
}

/**
 * Installs the packages, sets the application up, and examines it.
 * @param {string} app
 * @param {(next: string[]) => Promise<void>} [follow] follows the printed steps
 */
async function setUp(app, follow = async () => {}) {
  await sh(app, `npm install --no-audit --no-fund ${(await tarballs()).join(' ')} ai`);
  const { next } = JSON.parse(await sh(app, 'npx tgp init --yes --json'));
  await follow(next);
  expect(await sh(app, 'npx tgp doctor')).toContain('Ready.');
  const line = next.find((/** @type {string} */ step) => step.startsWith('npx tgp exec '));
  expect(JSON.parse(await sh(app, line))).toEqual(['Hello, Ada!']);
  return next;
}

/** @param {string} app @param {string[]} names */
async function versionsOf(app, ...names) {
  const found = names.map(async (name) => {
    const { version } = JSON.parse(await readFile(join(app, 'node_modules', name, 'package.json'), 'utf8'));
    return `${name} ${version}`;
  });
  return (await Promise.all(found)).join(', ');
}

/**
 * Forges a tool with the first request, and reuses it with the second.
 * @param {string} app
 * @param {string} file the program that serves
 * @param {string} route
 * @param {NodeJS.ProcessEnv} [more]
 */
async function forgesAndReuses(app, file, route, more) {
  const server = await startServer(app, file, { ...env, ...more });
  expect(await askAgent(`${server.url}${route}`)).toBe(FORGED);
  expect(await askAgent(`${server.url}${route}`)).toBe(REUSED);
  await server.stop();
}

/** @param {string} creator @param {string} folder */
async function created(creator, folder) {
  const parent = await tempRoot();
  // Without a terminal nothing is asked.
  await sh(parent, `${creator} < /dev/null`);
  return join(parent, folder);
}

/**
 * @param {string} name
 * @param {() => Promise<{ versions: string, passed: string }>} work
 */
function setup(name, work) {
  names.push(name);
  test(
    name,
    async () => {
      const started = performance.now();
      const row = await work();
      setups.push({ name, ...row, seconds: (performance.now() - started) / 1000 });
    },
    12 * MINUTES,
  );
}

describe.runIf(process.env.TGP_FRAMEWORKS === 'all' && process.platform === 'linux')('set-ups', () => {
  for (const version of ['latest', '15']) {
    setup(`\`npx create-next-app@${version}\``, async () => {
      const options = '--yes --disable-git --skip-install';
      const ofOldest =
        version === '15' ? '--ts --app --no-src-dir --tailwind --eslint --import-alias "@/*" --turbopack' : '';
      const app = await created(`npx --yes create-next-app@${version} app ${options} ${ofOldest}`, 'app');
      await setUp(app);
      const next = join('node_modules', 'next', 'dist', 'bin', 'next');
      const dev = await startNext(app, [next, 'dev']);
      expect(await askAgent(`${dev.url}/api/agent`)).toBe(FORGED);
      await dev.stop();
      await sh(app, 'npm run build', await fontsOffline());
      const built = await startNext(app, [next, 'start']);
      expect(await askAgent(`${built.url}/api/agent`)).toBe(REUSED);
      await built.stop();
      const cached = (await readFile(join(app, 'next.config.ts'), 'utf8')).includes('cacheComponents');
      return {
        versions: await versionsOf(app, 'next', 'ai'),
        passed: `init, doctor, exec, \`next dev\`, \`next build\`, \`next start\`${cached ? '; it sets `cacheComponents`' : ''}`,
      };
    });
  }

  setup('`npx @nestjs/cli new`', async () => {
    const create = 'npx --yes @nestjs/cli@latest new app --skip-install --skip-git --package-manager npm';
    const app = await created(create, 'app');
    await setUp(app, async (next) => {
      const stepsAfter = (/** @type {string} */ title) =>
        next.slice(next.findIndex((line) => line.startsWith(title)) + 1).map((line) => line.trim());
      const [add = '', imported = ''] = stepsAfter('Add to your AppModule:');
      const file = join(app, 'src/app.module.ts');
      const forRoot = /TgpModule\.forRoot\(.*\)(?=\])/.exec(imported)?.[0] ?? '';
      const text = (await readFile(file, 'utf8')).replace('imports: [', `imports: [${forRoot}`);
      await writeFile(file, `${add}\n${text}`);
      expect(await sh(app, 'npx tgp doctor')).toContain('! Agent');
      const main = join(app, 'src/main.ts');
      const [hooks = ''] = stepsAfter('Add to main.ts');
      await writeFile(main, (await readFile(main, 'utf8')).replace('await app.listen', `${hooks}\n  await app.listen`));
    });
    await sh(app, 'npm run build');
    await forgesAndReuses(app, 'dist/main.js', '/agent');
    await sh(app, 'npm test');
    return {
      versions: await versionsOf(app, '@nestjs/core', 'ai'),
      passed: 'init, doctor, exec, the lines for `AppModule` and `main.ts`, `npm run build`, start, `npm test`',
    };
  });

  setup('`npm create hono@latest`', async () => {
    const { app, by } = await honoApplication();
    await setUp(app);
    await sh(app, 'npm run build');
    // Where `npm start` expects it.
    expect(await sh(app, 'ls dist')).toContain('index.js');
    await runsAgent(app);
    const passed = 'init, doctor, exec, `npm run build` with its output in place, `agent.mjs`';
    return { versions: await versionsOf(app, 'hono', 'ai'), passed: `${passed}${by}` };
  });

  setup('`npm init`, plain Node', async () => {
    const app = await plain();
    await setUp(app);
    await runsAgent(app);
    return { versions: await versionsOf(app, 'ai'), passed: 'init, doctor, exec, `agent.mjs`' };
  });

  setup('`tgp "<task>"` in an empty folder', async () => {
    const app = await plain();
    await sh(app, `npm install --no-audit --no-fund ${(await tarballs()).join(' ')}`);
    const server = await openaiServer(NOTES, { key: KEY });
    onTestFinished(() => server.close());
    const { stderr } = await exec('npx', ['tgp', 'Note it down.'], { cwd: app, env }).catch((error) => error);
    const line = stderr.split('\n').find((/** @type {string} */ text) => text.includes('npm i ai')) ?? '';
    expect(line).toContain('npm i ai @ai-sdk/openai && export OPENAI_API_KEY=<key> && npx tgp ');
    await sh(app, `${line.replace('<key>', KEY)} --yes`, { OPENAI_BASE_URL: `${server.url}/v1` });
    expect(await readFile(join(app, '.tgp/notes/a.md'), 'utf8')).toBe('one\ntwo\n');
    return {
      versions: await versionsOf(app, 'ai', '@ai-sdk/openai'),
      passed: 'the printed line, unchanged but for the key',
    };
  });

  setup('MCP client without elicitation', async () => {
    const app = await plain();
    await setUp(app);
    await sh(app, 'npm install --no-audit --no-fund @modelcontextprotocol/sdk');
    const greet = { name: 'examples_greet', arguments: { names: ['Ada'], greeting: 'Hello' } };
    const ask = async (/** @type {string[]} */ ...flags) => {
      const client = new Client({ name: 'desk', version: '1' });
      const args = ['tgp', 'mcp', ...flags];
      await client.connect(new StdioClientTransport({ command: 'npx', args, cwd: app, stderr: 'ignore' }));
      const { tools } = await client.listTools();
      const name = tools.find((tool) => tool.name.endsWith('greet'))?.name ?? greet.name;
      const { content } = /** @type {any} */ (await client.callTool({ ...greet, name }));
      await client.close();
      return content[0].text;
    };
    expect(await ask()).toMatch(/tgp mcp --yes.*ERR_APPROVAL/s);
    expect(await ask('--yes')).toContain('Hello, Ada!');
    return {
      versions: await versionsOf(app, '@modelcontextprotocol/sdk'),
      passed: 'a refusal that names the setting; with `tgp mcp --yes` the tool runs',
    };
  });

  describe.runIf(isRoot)('containers', () => {
    setup('uid 1000 with the `HOME` of root', async () => {
      const app = await plain();
      const home = join(app, 'root-home');
      await mkdir(home, { mode: 0o700 });
      await setUp(app);
      await sh(app, `rm -rf .tgp && mkdir .tgp && chown ${USER}:${USER} .tgp`);
      expect(await asUser(app, 'node_modules/.bin/tgp doctor', { HOME: home })).toContain('Ready.');
      expect((await asUser(app, `node --import ${await modelBeside(app)} agent.mjs`, { HOME: home })).trim()).toBe(
        FORGED,
      );
      return { versions: await versionsOf(app, 'ai'), passed: 'doctor, `agent.mjs`' };
    });

    setup('`.tgp` in a layer of root, uid 1000', async () => {
      const app = await plain();
      await setUp(app);
      await runsAgent(app);
      const env = { HOME: '/nonexistent' };
      expect(await asUser(app, 'node_modules/.bin/tgp doctor', env)).toMatch(/not writable by uid 1000[\s\S]*Ready\./);
      expect(await asUser(app, `node --import ${await modelBeside(app)} agent.mjs`, env)).toContain(REUSED);
      return {
        versions: await versionsOf(app, 'ai'),
        passed: 'doctor warns that it is read-only, `agent.mjs` reuses a tool',
      };
    });

    setup('a root that uid 1000 cannot create', async () => {
      const app = await plain();
      await setUp(app);
      await rename(join(app, '.tgp'), join(app, 'moved'));
      const env = { HOME: '/nonexistent' };
      const printed = await asUser(app, `node --import ${await modelBeside(app)} agent.mjs`, env);
      expect(printed).toContain(`The root ${join(app, '.tgp')} cannot be created or opened by uid 1000`);
      expect(await asUser(app, 'node_modules/.bin/tgp doctor', env)).toMatch(/✗ Workspace .*cannot be created/);
      return {
        versions: await versionsOf(app, 'ai'),
        passed: 'the error and doctor name the path, the user and the command',
      };
    });
  });

  afterAll(() => writeSetups(setups, names));
});

/** The creator downloads its template from GitHub. Where that is not reachable, a similar application is written. */
async function honoApplication() {
  const create = 'npm create --yes hono@latest app -- --template nodejs --pm npm --install';
  try {
    return { app: await created(create, 'app'), by: '' };
  } catch (error) {
    if (!String(error).includes('https://api.github.com/')) throw error;
  }
  const app = await plain();
  const compilerOptions = { target: 'ESNext', module: 'NodeNext', strict: true, rootDir: './src', outDir: './dist' };
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, exclude: ['node_modules'] }));
  await mkdir(join(app, 'src'));
  const served =
    "import { Hono } from 'hono';\n\nexport default new Hono().get('/', (context) => context.text('ready'));\n";
  await writeFile(join(app, 'src', 'index.ts'), served);
  await sh(app, 'npm pkg set type=module scripts.build=tsc "scripts.start=node dist/index.js"');
  await sh(app, 'npm install --no-audit --no-fund hono && npm install --no-audit --no-fund -D typescript @types/node');
  return { app, by: '; its template, which GitHub did not deliver, was written by hand' };
}

/** An application of `npm init`, which other users may enter. */
async function plain() {
  const parent = await tempRoot();
  await chmod(parent, 0o755);
  const app = join(parent, 'app');
  await mkdir(app);
  await sh(app, 'npm init --yes');
  return app;
}

/** @param {string} app */
async function runsAgent(app) {
  for (const said of [FORGED, REUSED]) {
    expect((await sh(app, `node --import ${SCRIPTED_MODEL} agent.mjs`)).trim()).toBe(said);
  }
}

/** A copy of the scripted model that other users may read. @param {string} app */
async function modelBeside(app) {
  const file = join(app, 'scripted_model.mjs');
  await cp(new URL(SCRIPTED_MODEL), file);
  await chown(file, USER, USER);
  return file;
}

/** What a build needs for the fonts of create-next-app where Google Fonts cannot be reached. */
async function fontsOffline() {
  const fonts = 'https://fonts.googleapis.com/css2?family=';
  const isReachable = await fetch(`${fonts}Geist`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isReachable) return {};
  const face = (/** @type {string} */ name) =>
    `@font-face { font-family: '${name}'; font-weight: 100 900; src: local('Arial'); }`;
  const answers = {
    [`${fonts}Geist:wght@100..900&display=swap`]: face('Geist'),
    [`${fonts}Geist+Mono:wght@100..900&display=swap`]: face('Geist Mono'),
  };
  const file = join(await tempRoot(), 'fonts.cjs');
  await writeFile(file, `module.exports = ${JSON.stringify(answers)};\n`);
  return { NEXT_FONT_GOOGLE_MOCKED_RESPONSES: file };
}

/** @param {string} app @param {string[]} words */
function startNext(app, [file = '', command = '']) {
  return startServer(app, file, { ...env, NODE_OPTIONS: `--import ${SCRIPTED_MODEL}` }, [command]);
}
