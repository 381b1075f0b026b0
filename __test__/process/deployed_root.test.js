/**
 * Roots in containers for a user other than root: the setups of docs/deploy.md work, and `tgp doctor` reports those that do not.
 */

import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CLI } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const USER = 1_000;
const INDEX = new URL('../../index.js', import.meta.url).href;
const DEPLOY = new URL('../../docs/deploy.md', import.meta.url);

/** Forges a tool in the given root, and runs it. */
const PROGRAM = `
const { TGP, tgpTools } = await import(${JSON.stringify(INDEX)});
const kernel = new TGP({ config: { rootDir: process.argv[1], memory: 'off', sandbox: { timeoutMs: 1000 } } });
const forge = async () => {
  await tgpTools(kernel).write_file.execute({ path: 'tools/one.ts', content: 'export default (): number => 1;' });
  return (await kernel.exec('tools/one.ts')).result;
};
const outcome = await forge().then((result) => ({ result }), ({ code }) => ({ code }));
await kernel.shutdown();
console.log(JSON.stringify(outcome));
`;

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Runs Node without the privileges of root, as in a container that drops all capabilities.
 * @param {string} cwd
 * @param {string[]} args of Node
 */
async function asUser(cwd, args) {
  const privileges = [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs', '--bounding-set=-all'];
  const run = exec('setpriv', [...privileges, process.execPath, ...args], {
    cwd,
    env: { ...process.env, HOME: '/nonexistent' },
  });
  const { stdout } = await run.catch((error) => error);
  return JSON.parse(stdout);
}

/** @param {string} folder @param {string} root */
const forgeAsUser = (folder, root) => asUser(folder, ['--input-type=module', '-e', PROGRAM, '--', root]);

/** @param {string} folder */
async function doctor(folder) {
  const { healthy, checks } = await asUser(folder, [CLI, 'doctor', '--json']);
  const workspace = checks.find((/** @type {any} */ { name }) => name === 'Workspace');
  return { healthy, ...workspace };
}

/** A folder that belongs to root and that others may enter, as `WORKDIR /app` makes it. */
async function applicationFolder() {
  const folder = await tempRoot();
  await chmod(folder, 0o755);
  return folder;
}

/** A volume as Kubernetes gives it to a pod with `fsGroup`: it belongs to root, and all users may write. @param {string} path */
async function volume(path) {
  await mkdir(path);
  await chown(path, 0, USER);
  await chmod(path, 0o2777);
}

describe.runIf(isRoot)('a user who is not root', () => {
  test('a kernel creates its root below a volume of root, and works (Kubernetes)', async () => {
    const folder = await applicationFolder();
    await volume(join(folder, 'data'));
    await writeFile(join(folder, 'tgp.config.json'), JSON.stringify({ rootDir: './data/tgp' }));
    expect(await doctor(folder)).toMatchObject({ healthy: true, status: 'warning' });
    expect(await forgeAsUser(folder, join(folder, 'data', 'tgp'))).toEqual({ result: 1 });
    expect(await doctor(folder)).toMatchObject({ healthy: true, status: 'ok' });
  });

  test('a kernel works in a folder that belongs to this user (Docker)', async () => {
    const folder = await applicationFolder();
    await mkdir(join(folder, '.tgp'));
    await chown(join(folder, '.tgp'), USER, USER);
    expect(await doctor(folder)).toMatchObject({ healthy: true, detail: './.tgp has no workspace yet' });
    expect(await forgeAsUser(folder, './.tgp')).toEqual({ result: 1 });
  });

  test('doctor reports a root that cannot be created, with a remedy', async () => {
    const folder = await applicationFolder();
    expect(await forgeAsUser(folder, './.tgp')).toEqual({ code: 'ERR_IO' });
    expect(await doctor(folder)).toMatchObject({
      healthy: false,
      status: 'problem',
      detail: `./.tgp cannot be created: ${folder} is not writable by uid 1000`,
      remedy: expect.stringMatching(/before USER\): mkdir -p \.\/\.tgp && chown -R 1000 \.\/\.tgp\. .*"rootDir"/),
    });
  });

  test('doctor reports a root of another user, with a remedy', async () => {
    const folder = await applicationFolder();
    await volume(join(folder, '.tgp'));
    expect(await doctor(folder)).toMatchObject({
      healthy: false,
      status: 'problem',
      detail: './.tgp belongs to another user (uid 0); this is uid 1000',
      remedy: expect.stringMatching(/Set "rootDir" to a folder below it.*chown -R 1000 \.\/\.tgp/),
    });
  });

  test('doctor warns of a root that can be read but not written', async () => {
    const folder = await applicationFolder();
    await mkdir(join(folder, '.tgp'));
    await chown(join(folder, '.tgp'), USER, USER);
    await forgeAsUser(folder, './.tgp');
    await chmod(join(folder, '.tgp'), 0o555);
    expect(await doctor(folder)).toMatchObject({
      healthy: true,
      status: 'warning',
      detail: './.tgp is not writable by uid 1000',
    });
  });
});

describe('docs/deploy.md', () => {
  test('puts the root below the volume, and creates it for the user of the image', async () => {
    const text = await readFile(DEPLOY, 'utf8');
    const [, mount] = /mountPath: (\S+) \}\n\s+- \{ name: tmp/.exec(text) ?? [];
    const [, root] = /rootDir: '(\/data\/\S+)'/.exec(text) ?? [];
    expect(root?.startsWith(`${mount}/`)).toBe(true);
    const dockerfile = /```dockerfile\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
    expect(dockerfile.indexOf('RUN mkdir .tgp && chown node:node .tgp')).toBeGreaterThan(0);
    expect(dockerfile.indexOf('chown node:node .tgp')).toBeLessThan(dockerfile.indexOf('USER node'));
  });

  test('names the libc in each installation for another platform', async () => {
    const pages = [DEPLOY, new URL('../../examples/lambda/README.md', import.meta.url)];
    const lines = (await Promise.all(pages.map((page) => readFile(page, 'utf8')))).join('\n').split('\n');
    const installs = lines.filter((line) => line.includes('--os=linux'));
    expect(installs.length).toBeGreaterThanOrEqual(3);
    for (const line of installs) expect(line).toContain('--libc=glibc');
  });
});
