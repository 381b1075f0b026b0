import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { privateAuthority } from '../helpers/certificates.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { bareRemote } from '../helpers/git_remote.js';
import { probe } from '../helpers/host_probe.js';
import { tempRoot } from '../helpers/temp_root.js';

const WITHOUT_ANY = { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/nowhere' };

/** A Git server over https on loopback, and the file of the authority behind its certificate. */
async function server() {
  const { folder } = await bareRemote();
  const { ca, key, cert } = await privateAuthority(['127.0.0.1']);
  const { url } = await gitHttpServer(folder, { tls: { key, cert } });
  return { ca, url };
}

/**
 * Whether Git and a tool's fetch get an answer: of the same server, in a process of their own.
 * @param {string} url
 * @param {NodeJS.ProcessEnv} env
 * @param {import('../../index.js').NetworkConfigInput} [network]
 */
async function asked(url, env, network = {}) {
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

describe.skipIf(process.platform !== 'linux')('the CAs that the machine trusts', () => {
  it('are trusted by Git and tools, and no others', async () => {
    const { ca, url } = await server();
    expect(await asked(url, { SSL_CERT_FILE: ca })).toEqual(['booted', 200]);
    expect(await asked(url, {})).toEqual([expect.stringContaining('certificate is not trusted'), 'ERR_FETCH']);
  });

  it('may be empty; the config can still add a CA', async () => {
    const { ca, url } = await server();
    const nobody = [expect.stringContaining('SSL_CERT_FILE and SSL_CERT_DIR'), 'ERR_FETCH'];
    expect(await asked(url, WITHOUT_ANY)).toEqual(nobody);
    expect(await asked(url, WITHOUT_ANY, { ca, forTools: true })).toEqual(['booted', 200]);
    expect(await asked(url, WITHOUT_ANY, { ca })).toEqual(['booted', 'ERR_FETCH']);
  });

  it('are empty if the certificate variable is wrong, not all CAs', async () => {
    const { url } = await server();
    for (const name of ['SSL_CERT_FILE', 'SSL_CERT_DIR']) {
      const unset = { SSL_CERT_FILE: undefined, SSL_CERT_DIR: undefined };
      const [git, fetched] = await asked(url, { ...unset, [name]: '/nowhere/corp-only.pem' });
      expect(git).toContain(name);
      expect(git).not.toContain('corp-only');
      expect(fetched).toBe('ERR_FETCH');
    }
  });
});
