/**
 * The examples for frameworks equal a fresh application after `tgp init`: each is reset to a fresh application, set up by the
 * packed CLI, compared with the example, built and started.
 */

import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { example, filesOfExample, initialise, withoutScript } from '../../helpers/fresh_application.js';
import { PLATFORM_PACKAGE, packedApplication } from '../../helpers/packed_application.js';
import { askAgent, startServer } from '../../helpers/running_server.js';
import { tempRoot } from '../../helpers/temp_root.js';

const exec = promisify(execFile);
const MINUTES = 60_000;
const FORGED = 'It bills as 576 pounds (forged tools/shipping/dim_weight.ts).';
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };

test(
  'a fresh Next.js application is set up and built, and its standalone output forges and reuses a tool where nothing else is installed',
  async () => {
    const app = await packedApplication({ from: example('next') });
    for (const made of ['app/api', 'tgp.config.ts']) await rm(join(app, made), { recursive: true });
    await withoutScript(app);
    await writeFile(join(app, '.gitignore'), '/.next/\n/node_modules/\n');
    await writeFile(
      join(app, 'next.config.ts'),
      "import type { NextConfig } from 'next';\n\nconst config: NextConfig = { output: 'standalone' };\n\nexport default config;\n",
    );
    const { framework, next } = await initialise(app);
    expect(framework).toBe('next');
    expect(next.join('\n')).not.toContain('next.config');
    expect(await filesOfExample('next', app)).toEqual(await filesOfExample('next'));
    const { stdout: examined } = await exec(join(app, 'node_modules/.bin/tgp'), ['doctor'], { cwd: app });
    expect(examined).toContain('next.config.ts uses withTGP');

    await exec('npm', ['run', 'build'], { cwd: app, env });
    // Outside of the application, so that a missing file is not found in a parent folder.
    const standalone = join(await tempRoot(), 'standalone');
    await cp(join(app, '.next', 'standalone'), standalone, { recursive: true });
    const binaries = join(standalone, 'node_modules', PLATFORM_PACKAGE);
    const shipped = await readdir(binaries);
    expect(shipped).toEqual(
      expect.arrayContaining(['tgp-sandbox', 'tgp.snapshot', 'tgp.icu', expect.stringMatching(/\.node$/)]),
    );
    expect((await stat(join(binaries, 'tgp-sandbox'))).mode & 0o111).toBe(0o111);

    const server = await startServer(standalone, 'server.js');
    expect(await (await fetch(server.url)).text()).toContain('Ask');
    expect(await askAgent(`${server.url}/api/agent`)).toBe(FORGED);
    expect(await askAgent(`${server.url}/api/agent`)).toContain('reused');
    expect(await readdir(join(standalone, '.tgp'))).toEqual(expect.arrayContaining(['.git', 'meta.json', 'tools']));
    await server.stop();
  },
  8 * MINUTES,
);

test(
  'a fresh NestJS application is set up and built, forges and reuses a tool, and ends by SIGTERM',
  async () => {
    const app = await packedApplication({ from: example('nest') });
    for (const made of ['src/tgp', 'tgp.config.mjs']) await rm(join(app, made), { recursive: true });
    await withoutScript(app);
    await writeFile(join(app, '.gitignore'), '/dist/\n/node_modules/\n');
    const { framework, next } = await initialise(app);
    expect(framework).toBe('nest');
    expect(await filesOfExample('nest', app)).toEqual(await filesOfExample('nest'));
    const appModule = await readFile(join(app, 'src/app.module.ts'), 'utf8');
    const instructions = next.slice(next.indexOf('Add to your AppModule:') + 1).slice(0, 2);
    for (const line of instructions) expect(appModule).toContain(line.trim());

    await exec('npm', ['run', 'build'], { cwd: app, env });
    const server = await startServer(app, 'dist/main.js');
    expect(await askAgent(`${server.url}/agent`)).toBe(FORGED);
    expect(await askAgent(`${server.url}/agent`)).toContain('reused');
    expect(await server.stop()).toEqual({ code: null, signal: 'SIGTERM' });
  },
  6 * MINUTES,
);
