import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { forgeServer } from '../helpers/forge_server.js';
import { clone, git } from '../helpers/git_remote.js';
import { rawServer } from '../helpers/hostile_remote.js';

const PROVIDERS = /** @type {const} */ (['github', 'gitlab', 'bitbucket']);

/** A host with a first commit on main. @param {typeof PROVIDERS[number]} provider */
async function startedForge(provider) {
  const forge = await forgeServer(provider);
  const work = clone(forge.folder, forge.remote);
  git(work, 'commit', '-q', '--allow-empty', '-m', 'start');
  git(work, 'push', '-q', 'origin', 'HEAD:main');
  return forge;
}

describe.each(PROVIDERS)('the API of %s', (provider) => {
  it('redirects to another host, port or scheme are not followed', async () => {
    const forge = await startedForge(provider);
    /** @type {object[]} */
    const seen = [];
    const other = await rawServer((request, response) => {
      seen.push(request.headers);
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    });
    const places = [other.url, other.url.replace('127.0.0.1', 'localhost'), 'https://elsewhere.example'];
    for (const [index, place] of places.entries()) {
      const { tools } = await createKernel({ git: forge.config });
      forge.troubles.push({ status: [301, 302, 307][index], headers: { location: `${place}/api` } });
      const written = await tools.write_file.execute({ path: `tools/t${index}.ts`, content: 'return 1' });
      expect(written).toMatchObject({ persisted: 'local', problem: expect.stringContaining(`redirects to ${place}`) });
      expect(written.problem).toContain('git.apiBaseUrl');
      expect(JSON.stringify(written)).not.toContain(forge.token);
      forge.troubles.length = 0;
    }
    expect(seen).toEqual([]);
  });

  it('redirects to the same host are not followed, and the report omits the path', async () => {
    const forge = await startedForge(provider);
    const { tools } = await createKernel({ git: forge.config });
    forge.troubles.push({ status: 308, headers: { location: `/moved?token=${forge.token}` } });
    const { problem } = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    expect(problem).toContain(`redirects to ${forge.url}`);
    expect(problem).not.toContain(forge.token);
  });
});

describe('an API answer', () => {
  /** @type {Record<string, [body: string | Buffer, headers?: Record<string, string>]>} */
  const ANSWERS = {
    'that is too long': [`[${'{},'.repeat(1 << 20)}{}]`],
    'that is deeply nested': ['['.repeat(100_000)],
    'that is not JSON': [Buffer.from([0xff, 0xfe, 0, 1])],
    'that has another shape': ['{"number":"x","html_url":7}'],
    'with an invalid address': ['{"number":1,"html_url":"javascript:alert(1)","state":"open"}'],
    'with an infinite number': ['[{"number":1e999,"html_url":"http://x/"}]'],
  };

  it.each(Object.entries(ANSWERS))('%s is an error, and the commit stays', async (_, [body, headers]) => {
    const forge = await startedForge('github');
    const hostile = await rawServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
    });
    // Only the API is hostile; the repository is not.
    const git_ = { ...forge.config, repo: `${forge.url}/owner/name.git`, apiBaseUrl: hostile.url };
    const { tools } = await createKernel({ git: git_ });
    const written = await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    expect(written).toMatchObject({ persisted: 'local', problem: expect.stringMatching(/API|is not usable/) });
    expect(JSON.stringify(written)).not.toContain(forge.token);
  });
});
