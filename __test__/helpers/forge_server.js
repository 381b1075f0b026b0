import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gitHttpServer } from './git_http_server.js';
import { git } from './git_remote.js';
import { tempRoot } from './temp_root.js';

/** @typedef {'github' | 'gitlab' | 'bitbucket'} Provider */
/** @typedef {{ number: number, title: string, body: string, head: string, base: string, state: 'open' | 'merged' | 'closed' }} Request */

const PROJECT = 'owner/name';
const TOKEN = 'tok_forge_s3cret';

/**
 * @typedef {object} Kind
 * @property {string} api
 * @property {string} user
 * @property {string} path
 * @property {string} update
 * @property {(headers: import('node:http').IncomingHttpHeaders) => boolean} token
 * @property {(search: URLSearchParams) => (string | null | undefined)[]} query
 * @property {(body: any) => Pick<Request, 'title' | 'body' | 'head' | 'base'>} read
 * @property {(request: Request, url: string) => object} show
 * @property {(found: object[]) => object} list
 * @property {{ status: number, body: object }} [duplicate]
 * @property {{ status: number, body: object }} noChanges
 */

/**
 * The API of each provider: its paths, its field names, and the user of the token.
 * @type {Record<Provider, Kind>}
 */
const PROVIDERS = {
  github: {
    api: '/api/v3',
    user: 'x-access-token',
    path: `/api/v3/repos/${PROJECT}/pulls`,
    update: 'PATCH',
    token: (headers) => headers.authorization === `Bearer ${TOKEN}`,
    query: (search) => [search.get('head')?.replace('owner:', ''), search.get('base')],
    read: (body) => ({ title: body.title, body: body.body, head: body.head, base: body.base }),
    show: (request, url) => ({
      number: request.number,
      html_url: `${url}/pull/${request.number}`,
      state: request.state === 'open' ? 'open' : 'closed',
    }),
    list: (found) => found,
    duplicate: {
      status: 422,
      body: { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] },
    },
    noChanges: { status: 422, body: { message: 'Validation Failed', errors: [{ message: 'No commits between' }] } },
  },
  gitlab: {
    api: '/api/v4',
    user: 'oauth2',
    path: `/api/v4/projects/${encodeURIComponent(PROJECT)}/merge_requests`,
    update: 'PUT',
    token: (headers) => headers['private-token'] === TOKEN,
    query: (search) => [search.get('source_branch'), search.get('target_branch')],
    read: (body) => ({ title: body.title, body: body.description, head: body.source_branch, base: body.target_branch }),
    show: (request, url) => ({
      iid: request.number,
      web_url: `${url}/-/merge_requests/${request.number}`,
      state: request.state === 'open' ? 'opened' : request.state,
    }),
    list: (found) => found,
    duplicate: { status: 409, body: { message: ['Another open merge request already exists'] } },
    noChanges: { status: 422, body: { message: ['no commits'] } },
  },
  bitbucket: {
    api: '/2.0',
    user: 'x-token-auth',
    path: `/2.0/repositories/${PROJECT}/pullrequests`,
    update: 'PUT',
    token: (headers) => headers.authorization === `Bearer ${TOKEN}`,
    query: (search) => [...(search.get('q') ?? '').matchAll(/"([^"]+)"/g)].map((match) => match[1]),
    read: (body) => ({
      title: body.title,
      body: body.description,
      head: body.source?.branch.name,
      base: body.destination?.branch.name,
    }),
    show: (request, url) => ({
      id: request.number,
      links: { html: { href: `${url}/pull-requests/${request.number}` } },
      state: { open: 'OPEN', merged: 'MERGED', closed: 'DECLINED' }[request.state],
    }),
    list: (found) => ({ values: found }),
    duplicate: undefined,
    noChanges: { status: 400, body: { error: { message: 'There are no changes to be pulled' } } },
  },
};

/**
 * A host of repositories: real Git over HTTP, and an API with the responses of the provider.
 * @param {Provider} provider
 */
export async function forgeServer(provider) {
  const kind = PROVIDERS[provider];
  const folder = await tempRoot();
  mkdirSync(join(folder, 'owner'));
  const remote = join(folder, 'owner/name.git');
  git(folder, 'init', '-q', '--bare', '-b', 'main', remote);
  git(remote, 'config', 'http.receivepack', 'true');
  /** @type {Request[]} */
  const requests = [];
  /** @type {string[]} */
  const calls = [];
  /** @type {{ status?: number, message?: string, headers?: Record<string, string>, delay?: number, drop?: boolean }[]} */
  const troubles = [];
  /** The base URL of the pages of pull requests in responses. @type {{ site?: string }} */
  const answers = {};
  const authorization = `Basic ${Buffer.from(`${kind.user}:${TOKEN}`).toString('base64')}`;
  const server = await gitHttpServer(folder, {
    authorization,
    before: (request, response) => {
      if (!request.url?.startsWith(kind.api)) return false;
      answer(request, response);
      return true;
    },
  });

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async function answer(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? '/', server.url);
    calls.push(`${request.method} ${url.pathname.slice(kind.api.length)}`);
    /** @type {(status: number, body: object, headers?: Record<string, string>) => unknown} */
    const send = (status, body, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const trouble = troubles.shift();
    if (trouble?.delay) await new Promise((done) => setTimeout(done, trouble.delay));
    if (trouble?.drop) return request.socket.destroy();
    if (trouble?.status)
      return send(trouble.status, { message: trouble.message ?? `trouble ${TOKEN}` }, trouble.headers);
    if (!kind.token(request.headers)) return send(401, { message: 'Bad credentials' });
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
    if (request.method === 'GET') {
      const [head, base] = kind.query(url.searchParams);
      const found = requests.filter((entry) => entry.head === head && entry.base === base).reverse();
      return send(200, kind.list(found.map((entry) => kind.show(entry, answers.site ?? server.url))));
    }
    if (request.method === 'POST' && url.pathname === kind.path) {
      const fields = kind.read(body);
      const open = requests.find((entry) => entry.head === fields.head && entry.state === 'open');
      if (open && kind.duplicate) return send(kind.duplicate.status, kind.duplicate.body);
      if (open) return send(201, kind.show(Object.assign(open, fields), answers.site ?? server.url));
      if (git(remote, 'rev-list', '--count', `${fields.base}..${fields.head}`) === '0') {
        return send(kind.noChanges.status, kind.noChanges.body);
      }
      const made = { number: requests.length + 1, state: /** @type {const} */ ('open'), ...fields };
      requests.push(made);
      return send(201, kind.show(made, answers.site ?? server.url));
    }
    if (request.method === kind.update && url.pathname.startsWith(`${kind.path}/`)) {
      const entry = requests.find(({ number }) => url.pathname.endsWith(`/${number}`));
      const { title, body: text } = kind.read(body);
      if (!entry) return send(404, { message: 'Not Found' });
      return send(200, kind.show(Object.assign(entry, { title, body: text }), answers.site ?? server.url));
    }
    return send(404, { message: 'Not Found' });
  }

  const config = {
    provider,
    repo: PROJECT,
    apiBaseUrl: `${server.url}${kind.api}`,
    auth: { token: TOKEN },
    writeStrategy: /** @type {const} */ ('pr'),
  };
  return { folder, remote, requests, calls, troubles, answers, config, token: TOKEN, url: server.url };
}
