/** Applications of ten kinds with the same task: forge a tool once, and run it for every request. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PLAIN, run } from '../../helpers/served_application.js';

/** @typedef {import('../../helpers/served_application.js').Application} Application */

const bin = (/** @type {string} */ folder, /** @type {string} */ name) => join(folder, 'node_modules', '.bin', name);

/** Installed together, so that they are installed once. */
const SMALL = { express: '^5.0.0', hono: '^4.0.0', '@hono/node-server': '^2.0.0', vitest: '^4.0.0', jest: '^30.0.0' };
const NEXT = { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' };

const NEXT_FILES = {
  'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
  'app/page.jsx': 'export default () => <p>ready</p>;\n',
  'app/api/run/route.js': `${run()}
export const dynamic = 'force-dynamic';
export const GET = async (request) => Response.json(await run(Number(new URL(request.url).searchParams.get('n'))));
`,
};
const nextConfig = (/** @type {string} */ config) =>
  `import { withTGP } from '@tgp/core/next';\n\nexport default withTGP(${config});\n`;

/** The cheap ones. @type {Application[]} */
export const SHORT = [
  {
    name: 'Express',
    runtime: 'express',
    dependencies: SMALL,
    files: {
      'run.mjs': run(),
      'server.mjs': `
import express from 'express';
import { run } from './run.mjs';

const app = express();
app.get('/', async (request, response) => response.json(await run(Number(request.query.n))));
app.listen(Number(process.env.PORT), '127.0.0.1');
`,
    },
    command: () => [process.execPath, 'server.mjs'],
  },
  {
    name: 'Hono',
    runtime: 'hono',
    dependencies: SMALL,
    files: {
      'run.mjs': run(),
      'server.mjs': `
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { run } from './run.mjs';

const app = new Hono();
app.get('/', async (context) => context.json(await run(Number(context.req.query('n')))));
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
`,
    },
    command: () => [process.execPath, 'server.mjs'],
  },
  {
    name: 'AWS-like handler, frozen between events',
    dependencies: SMALL,
    files: {
      'run.mjs': run(),
      'handler.mjs':
        "import { run } from './run.mjs';\n\nexport const handler = async ({ n }) => ({ statusCode: 200, body: JSON.stringify(await run(n)) });\n",
      'server.mjs': `
import { createServer } from 'node:http';
import { handler } from './handler.mjs';

createServer(async (request, response) => {
  const n = Number(new URL(request.url, 'http://localhost').searchParams.get('n'));
  const { statusCode, body } = await handler({ n });
  response.writeHead(statusCode, { 'content-type': 'application/json' }).end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
`,
    },
    command: () => [process.execPath, 'server.mjs'],
    frozen: true,
  },
];

/** The rest. @type {Application[]} */
export const LONG = [
  {
    name: 'Next.js, `next dev`',
    runtime: 'next',
    dependencies: NEXT,
    files: { ...NEXT_FILES, 'next.config.mjs': nextConfig('{}') },
    command: (folder, port) => [bin(folder, 'next'), 'dev', '--port', String(port), '--hostname', '127.0.0.1'],
    path: '/api/run',
    edits: { file: 'app/api/run/route.js', times: 24 },
  },
  {
    name: 'Next.js, `next build` and `next start`',
    runtime: 'next',
    dependencies: NEXT,
    files: { ...NEXT_FILES, 'next.config.mjs': nextConfig('{}') },
    before: [['next', 'build']],
    command: (folder, port) => [bin(folder, 'next'), 'start', '--port', String(port), '--hostname', '127.0.0.1'],
    path: '/api/run',
  },
  {
    name: 'Next.js, standalone output',
    runtime: 'next',
    dependencies: NEXT,
    files: { ...NEXT_FILES, 'next.config.mjs': nextConfig("{ output: 'standalone' }") },
    before: [['next', 'build']],
    served: '.next/standalone',
    command: () => [process.execPath, 'server.js'],
    path: '/api/run',
  },
  {
    name: 'NestJS',
    runtime: '@nestjs/core',
    dependencies: {
      '@nestjs/common': '^11.0.0',
      '@nestjs/core': '^11.0.0',
      '@nestjs/platform-express': '^11.0.0',
      'reflect-metadata': '^0.2.0',
      rxjs: '^7.0.0',
    },
    files: {
      'run.mjs': run(),
      // Without a compiler: decorators are applied by hand.
      'server.mjs': `
import 'reflect-metadata';
import { Controller, Get, Module, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { run } from './run.mjs';

class RunController {
  get(n) {
    return run(Number(n));
  }
}
Query('n')(RunController.prototype, 'get', 0);
Get()(RunController.prototype, 'get', Object.getOwnPropertyDescriptor(RunController.prototype, 'get'));
Controller()(RunController);
class AppModule {}
Module({ controllers: [RunController] })(AppModule);

const app = await NestFactory.create(AppModule, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
`,
    },
    command: () => [process.execPath, 'server.mjs'],
  },
  {
    name: 'Bun',
    runtime: 'bun',
    dependencies: { bun: '^1.3.0' },
    files: PLAIN,
    command: (folder) => [bin(folder, 'bun'), 'server.mjs'],
  },
  {
    name: 'Deno',
    runtime: 'deno',
    dependencies: { deno: '^2.5.0' },
    files: PLAIN,
    command: (folder) => [bin(folder, 'deno'), 'run', '--allow-all', '--node-modules-dir=manual', 'server.mjs'],
  },
];

/** Whether this machine allows a read-only root, as in a container. */
export function canMountReadOnly() {
  try {
    execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A root that is read-only except for one folder. @type {Application} */
export const CONTAINER = {
  name: 'Docker-like: chroot with a read-only root',
  dependencies: {},
  files: PLAIN,
  command: (folder) => [
    'unshare',
    '--mount',
    'sh',
    '-ec',
    `root=${folder}/root
    mkdir -p $root
    mount --bind / $root
    mount -o remount,bind,ro $root
    mount --rbind /proc $root/proc
    mount --bind /dev $root/dev
    mount -t tmpfs none $root/mnt
    ! touch $root${folder}/x 2> /dev/null
    export TGP_TOOLS=/mnt/tools TMPDIR=/mnt
    exec chroot $root sh -ec 'cd ${folder}; exec ${process.execPath} server.mjs'`,
  ],
};

/** Tests that use the package, for two test runners. */
export const RUNNERS = [
  {
    name: 'vitest',
    dependencies: SMALL,
    files: {
      'add.test.mjs': `
import { afterAll, expect, test } from 'vitest';
import { TGP, tgpTools } from '@tgp/core';
TEST`,
    },
    command: ['vitest', 'run'],
    env: {},
  },
  {
    name: 'jest',
    dependencies: SMALL,
    files: { 'add.test.js': "const { TGP, tgpTools } = require('@tgp/core');\nTEST" },
    command: ['jest'],
    env: {},
  },
].map(({ files, ...runner }) => {
  const test = `
const { readdirSync, readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
const children = () => readdirSync('/proc/self/task').flatMap((task) => readFileSync('/proc/self/task/' + task + '/children', 'utf8').split(' ').filter(Boolean));
const nameOf = (pid) => { try { return readFileSync('/proc/' + pid + '/comm', 'utf8').trim(); } catch { return ''; } };
const count = () => ({
  processes: 1 + children().length,
  workers: children().filter((pid) => nameOf(pid) === 'tgp-sandbox').length,
  threads: readdirSync('/proc/self/task').length,
  files: readdirSync('/proc/self/fd').length,
  memoryMb: Math.round(process.memoryUsage().rss / 1048576),
});
const before = count();
const kernel = new TGP({ config: { rootDir: './.tgp', sandbox: { timeoutMs: 1000 } } });
afterAll(async () => {
  const during = count();
  await kernel.shutdown();
  writeFileSync('counts.json', JSON.stringify({ before, during, after: count() }));
});
for (let n = 0; n < 10; n++) {
  test('adds ' + n, async () => {
    await tgpTools(kernel).write_file.execute({ path: 'tools/add.ts', content: 'export default (args: { n: number }): number => args.n + 1;' });
    expect((await kernel.exec('tools/add.ts', { n })).result).toBe(n + 1);
  });
}
`;
  const written = Object.entries(files).map(([file, text]) => [file, text.replace('TEST', () => test)]);
  return { ...runner, files: /** @type {Record<string, string>} */ (Object.fromEntries(written)) };
});
