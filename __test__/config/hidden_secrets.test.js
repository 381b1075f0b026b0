import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { loadTGPConfig, TGP } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

test('no secret is shown in kernel.config: not before boot, not after it, not when it failed', async () => {
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

test('a loaded config keeps where a secret is, and not what it is; a kernel shows it the same before and after boot', async () => {
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
  // What was loaded is a configuration: the secret behind it is found by the boot.
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
