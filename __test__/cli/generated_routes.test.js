/** The routes that `tgp init` and docs/deploy.md give an application, in that application. */

import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { refusesBadBodies } from '../helpers/bad_bodies.js';
import { find } from '../helpers/doctor_report.js';
import { example } from '../helpers/fresh_application.js';
import { linkedApplication } from '../helpers/linked_application.js';
import { askAgent, SCRIPTED_MODEL, startServer } from '../helpers/running_server.js';
import { tempRoot } from '../helpers/temp_root.js';

const MINUTES = 60_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FORGED = 'It bills as 576 pounds (forged tools/shipping/dim_weight.ts).';
/** A model that needs this long for each step. */
const STEP_MS = 300;
const SLOW_MODEL = `
const { languageModel } = globalThis.AI_SDK_DEFAULT_PROVIDER;
const slow = (model) => ({
  ...model,
  doGenerate: async (options) => {
    await new Promise((done) => setTimeout(done, ${STEP_MS}));
    return model.doGenerate(options);
  },
});
globalThis.AI_SDK_DEFAULT_PROVIDER = { specificationVersion: 'v3', languageModel: (id) => slow(languageModel(id)) };
`;

const { dependencies } = JSON.parse(await readFile(join(example('nest'), 'package.json'), 'utf8'));
const { '@tgp/core': _, ...NEST } = dependencies;

/**
 * The blocks of a section of docs/deploy.md.
 * @param {string} title
 */
async function blocks(title) {
  const page = await readFile(join(ROOT, 'docs/deploy.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```\w+\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
}

/**
 * A NestJS application after `tgp init`, without the steps that it prints.
 * @returns {Promise<{ app: string, next: string[] }>}
 */
async function nestApplication() {
  const app = await linkedApplication('tgp-nest', NEST);
  await mkdir(join(app, 'src'));
  await writeFile(
    join(app, 'src/app.module.ts'),
    "import { Module } from '@nestjs/common';\n\n@Module({ imports: [] })\nexport class AppModule {}\n",
  );
  const main =
    "import { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module.js';\n\nconst app = await NestFactory.create(AppModule);\nawait app.listen(process.env.PORT ?? 3000);\n";
  await writeFile(join(app, 'src/main.ts'), main);
  const { next } = (await runCli(app, ['init', '--json'])).json();
  return { app, next };
}

/** Compiles src/ to dist/. @param {string} app */
async function compiled(app) {
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } };
  for (const file of (await readdir(join(app, 'src'), { recursive: true })).filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(join(app, 'src', file), 'utf8');
    const { code } = await transform(text, { loader: 'ts', tsconfigRaw });
    const target = join(app, 'dist', file.replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
  }
}

test(
  'NestJS: with the steps of docs/deploy.md, a stop signal lets the open request finish',
  async () => {
    const { app, next } = await nestApplication();
    const [appModule = '', main = '', service = ''] = await blocks('NestJS');
    for (const [name, block] of Object.entries({ 'app.module.ts': appModule, 'main.ts': main })) {
      const [comment = '', ...code] = block.split('\n');
      expect(comment).toBe(`// src/${name}`);
      expect(code.join('\n')).toBe(await readFile(join(example('nest'), 'src', name), 'utf8'));
      await writeFile(join(app, 'src', name), block);
    }
    for (const line of next.slice(next.indexOf('Add to your AppModule:') + 1).slice(0, 2)) {
      expect(appModule).toContain(line.trim());
    }
    expect(next[next.findIndex((line) => line.startsWith('Add to main.ts')) + 1]?.trim()).toBe(
      'app.enableShutdownHooks();',
    );
    expect(service).toContain('@Inject(TGP)');
    await compiled(app);
    await writeFile(join(app, 'dist/slow.js'), `${SLOW_MODEL}\nawait import('./main.js');\n`);
    const server = await startServer(app, 'dist/slow.js');
    await refusesBadBodies((init) => fetch(`${server.url}/agent`, init));
    const answer = askAgent(`${server.url}/agent`);
    await sleep(STEP_MS * 1.5);
    const ended = server.stop();
    expect(await answer).toBe(FORGED);
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
  },
  2 * MINUTES,
);

test(
  'NestJS: doctor reports a module that is not registered, stop signals that do not arrive, and a package that is missing',
  async () => {
    const { app } = await nestApplication();
    const env = { AI_GATEWAY_API_KEY: 'x', TGP_AGENT_TOKEN: 'x' };
    const examine = async () => {
      const { code, json } = await runCli(app, ['doctor', '--json'], { env });
      return { code, ...find(json(), 'Agent') };
    };
    const fresh = await examine();
    expect(fresh).toMatchObject({ code: 1, status: 'problem' });
    expect(fresh.detail).toContain('no module imports TgpModule');
    expect(fresh.detail).toContain('stop signals do not reach the kernel');
    const [appModule = '', main = ''] = await blocks('NestJS');
    await writeFile(join(app, 'src/app.module.ts'), appModule);
    const registered = await examine();
    expect(registered).toMatchObject({ code: 0, status: 'warning', detail: 'stop signals do not reach the kernel' });
    expect(registered.remedy).toContain('app.enableShutdownHooks()');
    await writeFile(join(app, 'src/main.ts'), main);
    expect(await examine()).toMatchObject({ code: 0, status: 'ok', detail: 'src/tgp/tgp.module.ts' });
    const other = join(await tempRoot(), 'node_modules');
    await mkdir(other);
    await mkdir(join(other, '@tgp'));
    await symlink(ROOT, join(other, '@tgp/core'));
    await writeFile(join(other, '../package.json'), await readFile(join(app, 'package.json')));
    await mkdir(join(other, '../src/tgp'), { recursive: true });
    for (const file of ['app.module.ts', 'main.ts', 'tgp/tgp.module.ts']) {
      await writeFile(join(other, '../src', file), await readFile(join(app, 'src', file)));
    }
    const { code, json } = await runCli(join(other, '..'), ['doctor', '--json'], { env });
    expect(code).toBe(1);
    expect(find(json(), 'Agent')).toMatchObject({
      status: 'problem',
      detail: 'src/tgp/tgp.module.ts imports ai, which is not installed',
      remedy: expect.stringContaining('npm i ai'),
    });
  },
  2 * MINUTES,
);

test(
  'Next.js: the route answers 400 to bad bodies, and runs the agent for a valid one',
  async () => {
    const app = await linkedApplication('tgp-nest', NEST);
    await writeFile(join(app, 'package.json'), '{"type":"module","dependencies":{"next":"16"}}');
    await runCli(app, ['init', '--json']);
    const route = join(app, 'app/api/agent/route.js');
    vi.stubEnv('TGP_AGENT_TOKEN', 'let-me-in');
    onTestFinished(() => vi.unstubAllEnvs());
    const here = process.cwd();
    process.chdir(app);
    onTestFinished(() => process.chdir(here));
    await import(SCRIPTED_MODEL);
    const { POST } = await import(pathToFileURL(route).href);
    await refusesBadBodies((init) => POST(new Request('http://localhost/api/agent', init)));
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'What is the dimensional weight of my box?' }] });
    const headers = { authorization: 'Bearer let-me-in' };
    const answer = await POST(new Request('http://localhost/api/agent', { method: 'POST', headers, body }));
    expect(await answer.json()).toEqual({ text: FORGED });
    expect((await POST(new Request('http://localhost/api/agent', { method: 'POST', body }))).status).toBe(401);
  },
  2 * MINUTES,
);

test(
  'Express: the server of docs/deploy.md refuses bad bodies, and finishes the open request at a stop signal',
  async () => {
    const app = await linkedApplication('tgp-express', { ai: NEST.ai, express: '5.1.0' });
    const [code = ''] = await blocks('Express');
    expect(code.split('\n')[0]).toBe('// server.mjs');
    await writeFile(join(app, 'server.mjs'), code);
    await writeFile(join(app, 'slow.mjs'), `${SLOW_MODEL}\nawait import('./server.mjs');\n`);
    const server = await startServer(app, 'slow.mjs');
    const post = (/** @type {RequestInit} */ init) => fetch(`${server.url}/agent`, init);
    await refusesBadBodies(post);
    const headers = { 'content-type': 'application/json', authorization: 'Bearer let-me-in' };
    const body = JSON.stringify({ prompt: 'What is the dimensional weight of my box?' });
    expect((await post({ method: 'POST', headers: { ...headers, authorization: 'Bearer no' }, body })).status).toBe(
      401,
    );
    const answer = post({ method: 'POST', headers, body });
    await sleep(STEP_MS * 1.5);
    const ended = server.stop();
    expect(await (await answer).json()).toEqual({ text: FORGED });
    expect(await ended).toEqual({ code: 0, signal: null });
  },
  2 * MINUTES,
);
