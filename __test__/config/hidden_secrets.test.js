import { inspect } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { TGP } from '../../index.js';
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
