import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { privateAuthority } from '../helpers/certificates.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { bareRemote } from '../helpers/git_remote.js';
import { probe } from '../helpers/host_probe.js';
import { tempRoot } from '../helpers/temp_root.js';

const NO_CAS = { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/nowhere' };

/** A Git server over HTTPS on loopback, and the CA file of its certificate. */
async function server() {
  const { folder } = await bareRemote();
  const { ca, key, cert } = await privateAuthority(['127.0.0.1']);
  const { url } = await gitHttpServer(folder, { tls: { key, cert } });
  return { ca, url };
}

/**
 * The outcomes of a Git connection and of a tool's fetch to the same server, each in its own process.
 * @param {string} url
 * @param {NodeJS.ProcessEnv} env
 * @param {import('../../index.js').NetworkConfigInput} [network]
 */
async function connectionOutcomes(url, env, network = {}) {
  const git = await probe(
    { rootDir: join(await tempRoot(), 'a'), git: { repo: `${url}/remote.git` }, network },
    { env },
  );
  const source = 'try { return (await fetch(args.url)).status } catch (error: any) { return error.code }';
  const work = `
    await tools.write_file.execute({ path: 'tools/a.ts', content: ${JSON.stringify(source)} });
    return (await kernel.exec('tools/a.ts', { url: ${JSON.stringify(`${url}/remote.git/HEAD`)} })).result;`;
  const config = { rootDir: join(await tempRoot(), 'b'), allowedFetchUrls: [url], network };
  return [git.error?.message ?? 'booted', (await probe(config, { env, work })).value];
}

describe.skipIf(process.platform !== 'linux')('the CAs of the system', () => {
  it('are the only CAs that Git and tools trust', async () => {
    const { ca, url } = await server();
    expect(await connectionOutcomes(url, { SSL_CERT_FILE: ca })).toEqual(['booted', 200]);
    expect(await connectionOutcomes(url, {})).toEqual([
      expect.stringContaining('certificate is not trusted'),
      'ERR_FETCH',
    ]);
  });

  it('may be none; the config can still add a CA', async () => {
    const { ca, url } = await server();
    const untrusted = [expect.stringContaining('SSL_CERT_FILE and SSL_CERT_DIR'), 'ERR_FETCH'];
    expect(await connectionOutcomes(url, NO_CAS)).toEqual(untrusted);
    expect(await connectionOutcomes(url, NO_CAS, { ca, forTools: true })).toEqual(['booted', 200]);
    expect(await connectionOutcomes(url, NO_CAS, { ca })).toEqual(['booted', 'ERR_FETCH']);
  });

  it('are none if a certificate variable is wrong', async () => {
    const { url } = await server();
    for (const name of ['SSL_CERT_FILE', 'SSL_CERT_DIR']) {
      const unset = { SSL_CERT_FILE: undefined, SSL_CERT_DIR: undefined };
      const [git, fetched] = await connectionOutcomes(url, { ...unset, [name]: '/nowhere/corp-only.pem' });
      expect(git).toContain(name);
      expect(git).not.toContain('corp-only');
      expect(fetched).toBe('ERR_FETCH');
    }
  });
});
