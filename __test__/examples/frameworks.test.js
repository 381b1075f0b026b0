/** The examples for frameworks: built and started as their README says, with the packages as npm would publish them. */

import { execFile } from 'node:child_process';
import { cp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PLATFORM_PACKAGE, packedApplication } from '../helpers/packed_application.js';
import { askAgent, startServer } from '../helpers/running_server.js';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const MINUTES = 60_000;
const example = (/** @type {string} */ name) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };

test(
  'a Next.js application is built, and its standalone output forges and reuses a tool where nothing else is installed',
  async () => {
    const app = await packedApplication({ from: example('next') });
    await exec('npm', ['run', 'build'], { cwd: app, env });

    // Moved away from the application, so that nothing that was left out can be found further up.
    const standalone = join(await tempRoot(), 'standalone');
    await cp(join(app, '.next', 'standalone'), standalone, { recursive: true });
    const binaries = join(standalone, 'node_modules', PLATFORM_PACKAGE);
    const shipped = await readdir(binaries);
    expect(shipped).toEqual(expect.arrayContaining(['tgp-sandbox', 'tgp.snapshot', expect.stringMatching(/\.node$/)]));
    expect((await stat(join(binaries, 'tgp-sandbox'))).mode & 0o111).toBe(0o111);

    const server = await startServer(standalone, 'server.js');
    expect(await (await fetch(server.url)).text()).toContain('Ask');
    expect(await askAgent(`${server.url}/api/agent`)).toBe(
      'It bills as 576 pounds (forged tools/shipping/dim_weight.ts).',
    );
    expect(await askAgent(`${server.url}/api/agent`)).toContain('reused');
    expect(await readdir(join(standalone, '.tgp'))).toEqual(expect.arrayContaining(['.git', 'meta.json', 'tools']));
    await server.stop();
  },
  6 * MINUTES,
);

test(
  'a NestJS application is built, forges and reuses a tool, and ends when it is told to',
  async () => {
    const app = await packedApplication({ from: example('nest') });
    await exec('npm', ['run', 'build'], { cwd: app, env });
    const server = await startServer(app, 'dist/main.js');
    expect(await askAgent(`${server.url}/agent`)).toBe('It bills as 576 pounds (forged tools/shipping/dim_weight.ts).');
    expect(await askAgent(`${server.url}/agent`)).toContain('reused');
    expect(await server.stop()).toEqual({ code: null, signal: 'SIGTERM' });
  },
  6 * MINUTES,
);
