/**
 * Roots in containers for a user other than root: the setups of docs/deploy.md work, and `tgp doctor` reports those that do not.
 */

import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { CLI } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const USER = 1_000;
const INDEX = new URL('../../index.js', import.meta.url).href;
const DEPLOY = new URL('../../docs/deploy.md', import.meta.url);

/** Forges a tool in the given root, and runs it. */
const PROGRAM = `
const { TGP, tgpTools } = await import(${JSON.stringify(INDEX)});
const config = { rootDir: process.argv[1], memory: 'off', sandbox: { timeoutMs: 1000 } };
const kernel = new TGP({ config, logger: { debug() {}, info() {}, warn() {}, error() {} } });
const forge = async () => {
  await tgpTools(kernel).write_file.execute({ path: 'tools/one.ts', content: 'export default (): number => 1;' });
  return (await kernel.exec('tools/one.ts')).result;
};
const use = async () => (await kernel.exec('tools/one.ts')).result;
const outcome = await (process.argv[2] === 'use' ? use : forge)().then((result) => ({ result }), ({ code, message }) => ({ code, message }));
await kernel.shutdown();
console.log(JSON.stringify(outcome));
`;

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Runs Node without the privileges of root, as in a container that drops all capabilities.
 * @param {string} cwd
 * @param {string[]} args of Node
 * @param {string} [home]
 */
async function asUser(cwd, args, home = '/nonexistent') {
  const privileges = [`--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs', '--bounding-set=-all'];
  const run = exec('setpriv', [...privileges, process.execPath, ...args], {
    cwd,
    env: { ...process.env, HOME: home },
  });
  const { stdout } = await run.catch((error) => error);
  return JSON.parse(stdout);
}

/** @param {string} folder @param {string} root @param {string} [home] */
const forgeAsUser = (folder, root, home) => asUser(folder, ['--input-type=module', '-e', PROGRAM, '--', root], home);
/** Runs a tool that exists. @param {string} folder @param {string} root */
const useAsUser = (folder, root) => asUser(folder, ['--input-type=module', '-e', PROGRAM, '--', root, 'use']);

/** @param {string} folder @param {string} [home] */
async function doctor(folder, home) {
  const { healthy, checks } = await asUser(folder, [CLI, 'doctor', '--json'], home);
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

  test('an unreadable HOME does not matter (USER in a Dockerfile, and the HOME of root)', async () => {
    const folder = await applicationFolder();
    const home = join(folder, 'home');
    await mkdir(home, { mode: 0o700 });
    await mkdir(join(folder, '.tgp'));
    await chown(join(folder, '.tgp'), USER, USER);
    await writeFile(join(folder, 'tgp.config.json'), '{}');
    expect(await forgeAsUser(folder, './.tgp', home)).toEqual({ result: 1 });
    expect(await doctor(folder, home)).toMatchObject({ healthy: true, status: 'ok' });
  });

  test('tools that root put into an image can be run by another user, and not changed', async () => {
    const folder = await applicationFolder();
    await writeFile(join(folder, 'tgp.config.json'), '{}');
    const kernel = new TGP({ config: { rootDir: join(folder, '.tgp'), memory: 'off' } });
    await tgpTools(kernel).write_file.execute({ path: 'tools/one.ts', content: 'export default (): number => 1;' });
    await kernel.shutdown();
    expect(await useAsUser(folder, './.tgp')).toEqual({ result: 1 });
    expect(await forgeAsUser(folder, './.tgp')).toMatchObject({
      code: 'ERR_IO',
      message: expect.stringContaining('read-only'),
    });
    expect(await doctor(folder)).toMatchObject({
      healthy: true,
      status: 'warning',
      detail: expect.stringMatching(/not writable by uid 1000/),
    });
  });

  test('a repository that all users may write to, or of a third user, is not trusted', async () => {
    const owners = /** @type {[number, number][]} */ ([
      [0, 0o777],
      [USER + 1, 0o755],
    ]);
    for (const [owner, mode] of owners) {
      const folder = await applicationFolder();
      await writeFile(join(folder, 'tgp.config.json'), '{}');
      const root = join(folder, '.tgp');
      const kernel = new TGP({ config: { rootDir: root, memory: 'off' } });
      await kernel.boot();
      await kernel.shutdown();
      await chown(root, owner, owner);
      await chmod(root, mode);
      expect(await useAsUser(folder, './.tgp')).toMatchObject({
        code: 'ERR_GIT',
        message: expect.stringMatching(/belongs to another user/),
      });
      expect(await doctor(folder)).toMatchObject({ healthy: false, status: 'problem', detail: 'ERR_GIT' });
    }
  });

  test('a root that cannot be created is named, with the user and what to do', async () => {
    const folder = await applicationFolder();
    const { code, message } = await forgeAsUser(folder, './.tgp');
    expect(code).toBe('ERR_IO');
    expect(message).toMatch(/cannot be created or opened by uid 1000: Permission denied .*chown 1000.*set rootDir/);
    expect(message).toContain(`The root ${join(folder, '.tgp')} `);
  });

  test('init reports a folder that is not writable', async () => {
    const folder = await applicationFolder();
    const printed = JSON.stringify(await asUser(folder, [CLI, 'init', '--json']));
    expect(printed).toMatch(/EACCES.*Run the command in a folder that uid 1000 can/);
    expect(printed).toContain('ERR_IO');
  });

  test('doctor reports a root that cannot be created, with a remedy', async () => {
    const folder = await applicationFolder();
    expect(await forgeAsUser(folder, './.tgp')).toMatchObject({ code: 'ERR_IO' });
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
