import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { loadTGPConfig, TGP } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { bareRemote } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

test('kernel.config hides secrets before boot, after it, and after a failed boot', async () => {
  for (const wrong of [{}, { git: { provider: 'github' } }]) {
    const git = { ...wrong.git, auth: { token: 's3cret-token', user: 'me' } };
    const network = { proxy: 'http://u:s3cret-pw@127.0.0.1:1', noProxy: ['a.example'] };
    const config = { rootDir: await tempRoot(), git, network };
    const kernel = new TGP({ config });
    onTestFinished(() => kernel.shutdown());
    const hidden = {
      git: { auth: { token: '[hidden]', user: 'me' } },
      network: { proxy: '[hidden]', noProxy: ['a.example'] },
    };
    const expectHidden = () => {
      expect(kernel.config).toMatchObject(hidden);
      expect(inspect(kernel.config, { depth: null })).not.toContain('s3cret');
    };
    expectHidden();
    const boot = await kernel.boot().catch((error) => error);
    expect(boot?.code).toBe('git' in wrong ? 'ERR_CONFIG' : undefined);
    expectHidden();
    expect(config.network.proxy).toContain('s3cret-pw');
  }
});

test('loadTGPConfig keeps the variable of a secret, not its value; kernel.config is the same before and after boot', async () => {
  const folder = await tempRoot();
  const file = join(folder, 'tgp.config.json');
  const secrets = {
    KEY: { env: 'TGP_TEST_LOADED', hosts: ['api.example.org'] },
    WORD: { value: 's3cret-word', functions: ['f'] },
  };
  await writeFile(file, JSON.stringify({ rootDir: join(folder, '.tgp'), secrets }));
  process.env.TGP_TEST_LOADED = 's3cret-value';
  onTestFinished(() => delete process.env.TGP_TEST_LOADED);
  const loaded = await loadTGPConfig(file);
  expect(loaded.secrets).toEqual({
    KEY: { env: 'TGP_TEST_LOADED', hosts: ['api.example.org'], functions: [] },
    WORD: { value: 's3cret-word', hosts: [], functions: ['f'] },
  });
  // A kernel accepts the loaded configuration: boot reads the variable.
  const kernel = new TGP({ config: loaded, sandboxAPI: { f: () => 1 } });
  onTestFinished(() => kernel.shutdown());
  const shown = {
    KEY: { value: '[hidden]', hosts: ['api.example.org'], functions: [] },
    WORD: { value: '[hidden]', hosts: [], functions: ['f'] },
  };
  expect(kernel.config.secrets).toEqual(shown);
  await kernel.boot();
  expect(kernel.config.secrets).toEqual(shown);
});

test('kernel.config hides the password of a Git URL before and after boot, and the kernel uses it', async () => {
  const { folder } = await bareRemote();
  const authorization = `Basic ${Buffer.from('bot:s3cret-pass').toString('base64')}`;
  const { port, requests } = await gitHttpServer(folder, { authorization });
  const repo = `http://bot:s3cret-pass@127.0.0.1:${port}/remote.git`;
  const { kernel } = await createKernel({ git: { repo } });
  const shown = `http://[hidden]@127.0.0.1:${port}/remote.git`;
  expect(kernel.config.git.repo).toBe(shown);
  await kernel.boot();
  expect(requests.length).toBeGreaterThan(0);
  expect(kernel.config.git.repo).toBe(shown);
  expect(inspect(kernel.config, { depth: null })).not.toContain('s3cret');
});

test.each([
  ['https://ghp_s3cret@host.example/a.git', 'https://[hidden]@host.example/a.git'],
  ['https://host.example/a.git?private_token=s3cret', 'https://host.example/a.git?[hidden]'],
  ['https://u:s3cret/x@host.example/a.git', 'https://[hidden]'],
  ['ssh://git:s3cret@host.example/a.git', 'ssh://git:[hidden]@host.example/a.git'],
  ['ssh://git@host.example:22/a.git', 'ssh://git@host.example:22/a.git'],
  ['git@host.example:a.git', 'git@host.example:a.git'],
  ['https://host.example/a@b.git', 'https://host.example/a@b.git'],
])('the address %s is shown as %s', (repo, shown) => {
  const { config } = new TGP({
    config: { git: { repo, provider: 'gitlab', apiBaseUrl: 'https://a:s3cret@host.example' } },
  });
  expect(config.git).toMatchObject({ repo: shown, apiBaseUrl: 'https://[hidden]@host.example' });
});
