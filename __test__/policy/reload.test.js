/** Changes of a policy file while it is in force, and the methods of `kernel.policy`. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { bareRemote, git } from '../helpers/git_remote.js';
import { eventsOf, outcomeOf, policyKernel, until } from '../helpers/policy_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const OPEN = 'default: allow\nrules: []\n';
const CLOSED = 'default: allow\nrules:\n  - { id: closed, deny: [write] }\n';

test('a changed policy file takes effect, and the ledger records its version', async () => {
  const { kernel, tools, file } = await policyKernel(OPEN);
  const write = () => outcomeOf(tools.write_file.execute({ path: 'a.md', content: 'x' }));
  expect((await write()).verdict).toBe('allow');
  const before = (await kernel.policy.check()).version;
  await writeFile(file, CLOSED);
  await until(async () => (await write()).verdict === 'deny');
  const after = (await kernel.policy.check()).version;
  expect((await eventsOf(kernel, 'POLICY')).map(({ version }) => version)).toEqual([before, after]);
});

test('a policy file that changes during boot takes effect', async () => {
  const { folder, remote } = await bareRemote();
  git(remote, 'config', 'http.receivepack', 'true');
  const file = join(folder, 'tgp.policy.yaml');
  await writeFile(file, OPEN);
  let isChanged = false;
  const { url } = await gitHttpServer(folder, {
    before: () => {
      if (!isChanged) writeFileSync(file, CLOSED);
      isChanged = true;
      return false;
    },
  });
  const config = { rootDir: join(folder, 'root'), policy: file, git: { repo: `${url}/remote.git` } };
  const kernel = new TGP({ config, logger: { ...console, info() {} } });
  onTestFinished(() => kernel.shutdown());
  await kernel.boot();
  expect(isChanged, 'the boot had read the old rules').toBe(true);
  const write = tgpTools(kernel).write_file;
  await until(async () => (await outcomeOf(write.execute({ path: 'a.md', content: 'x' }))).verdict === 'deny');
});

test.skipIf(process.platform === 'win32')(
  'a pipe in place of the policy file neither blocks nor stops the watch',
  async () => {
    const { tools, file } = await policyKernel(OPEN, { logger: { ...console, info() {}, error() {} } });
    const write = () => outcomeOf(tools.write_file.execute({ path: 'a.md', content: 'x' }));
    expect((await write()).verdict).toBe('allow');
    await rm(file);
    execFileSync('mkfifo', [file]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await write()).verdict).toBe('allow');
    await rm(file);
    await writeFile(file, CLOSED);
    await until(async () => (await write()).verdict === 'deny');
    execFileSync('mkfifo', [`${file}.pipe`]);
    const piped = new TGP({ config: { rootDir: join(await tempRoot(), 'root'), policy: `${file}.pipe` } });
    await expect(piped.boot()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringContaining('it is not a file'),
    });
  },
);

test.each(['root', 'data'])('a policy file in a writable folder is refused: %s', async (place) => {
  const folder = await tempRoot();
  for (const name of ['root', 'data']) await mkdir(join(folder, name));
  const policy = join(folder, place, 'p.yaml');
  await writeFile(policy, OPEN);
  const fs = { allowedDirs: [join(folder, 'data')] };
  const kernel = new TGP({ config: { rootDir: join(folder, 'root'), policy, fs } });
  await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', details: { key: 'policy' } });
  await kernel.shutdown();
});

test('check, explain and replay judge calls by the policy in force or by another one', async () => {
  const { kernel, tools, file } = await policyKernel(OPEN);
  await tools.write_file.execute({ path: 'a.md', content: 'x' });
  await tools.read_file.execute({ path: 'a.md' });
  expect(await kernel.policy.check()).toMatchObject({ rules: 0, version: expect.any(String) });
  const other = { default: /** @type {const} */ ('allow'), rules: [{ id: 'closed', deny: ['write'] }] };
  const call = { tool: 'write_file', args: { path: 'a.md', content: 'x' } };
  expect(await kernel.policy.explain(call)).toMatchObject({ verdict: 'allow', rule: 'default' });
  expect(await kernel.policy.explain(call, other)).toMatchObject({ verdict: 'deny', rule: 'closed' });
  await expect(kernel.policy.explain({ tool: 'pong' })).rejects.toMatchObject({ code: 'ERR_CONFIG' });
  expect(await kernel.policy.replay(other)).toMatchObject({
    judged: 2,
    stricter: 1,
    milder: 0,
    changes: [{ tool: 'write_file', before: { verdict: 'allow' }, after: { verdict: 'deny', rule: 'closed' } }],
  });
  expect(file).toContain('tgp.policy.yaml');
});

test.skipIf(process.platform === 'win32')(
  'a policy file that becomes a link into the root does not take effect',
  async () => {
    /** @type {string[]} */
    const errors = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (/** @type {string} */ text) => void errors.push(text) };
    const { tools, file, rootDir } = await policyKernel(CLOSED, { logger });
    const write = () => outcomeOf(tools.write_file.execute({ path: 'a.md', content: 'x' }));
    expect((await write()).verdict).toBe('deny');
    await writeFile(join(rootDir, 'p.yaml'), OPEN);
    await rm(file);
    await symlink(join(rootDir, 'p.yaml'), file);
    await until(() => errors.length > 0);
    expect(errors[0]).toContain('the old rules stay in force');
    expect(errors[0]).toContain('folder that agents or tools can write');
    expect((await write()).verdict).toBe('deny');
    await rm(file);
    await writeFile(file, OPEN);
    await until(async () => (await write()).verdict === 'allow');
  },
);

test('explain and replay use the rules in force, not an invalid policy file', async () => {
  const { kernel, tools, file } = await policyKernel(CLOSED, { logger: { ...console, info() {}, error() {} } });
  await tools.read_file.execute({ path: 'README.md' });
  const call = { tool: 'write_file', args: { path: 'a.md', content: 'x' } };
  expect(await kernel.policy.explain(call)).toMatchObject({ verdict: 'deny', rule: 'closed' });
  // Invalid rules never take effect.
  await writeFile(file, 'default: allow\nrules:\n  - { id: open, allow: [no_such_tool] }\n');
  expect(await kernel.policy.explain(call)).toMatchObject({ verdict: 'deny', rule: 'closed' });
  expect(await kernel.policy.replay('allow')).toMatchObject({ judged: 1, milder: 0, stricter: 0 });
  await expect(kernel.policy.check()).rejects.toMatchObject({ code: 'ERR_CONFIG' });
});
