/** MCP resources: sources of tools, and the history of files. */

import { NotFoundError, TGPError, ValidationError } from '../boundary/errors.js';
import type { TGP } from '../kernel/tgp.js';

type Access = ReturnType<TGP[typeof import('../kernel/access_symbols.js').ON_BEHALF]>;

const TOOLS = 'tools';
const HISTORY = 'history';
const COMMITS = 50;
/** The protocol's error code for a missing resource. */
const RESOURCE_NOT_FOUND = -32002;

/** The templates of the resources. */
export const TEMPLATES = [
  {
    uriTemplate: `tgp://${TOOLS}/{+path}`,
    name: 'source',
    description: 'The source of a tool, such as tgp://tools/reports/revenue.ts.',
  },
  {
    uriTemplate: `tgp://${HISTORY}/{+path}`,
    name: 'history',
    description: 'The commits that changed a file, newest first, such as tgp://history/tools/reports/revenue.ts.',
    mimeType: 'application/json',
  },
];

/** The resources that a client sees. */
export async function listResources(kernel: TGP, access: Access) {
  const call = { tool: 'list_files', effect: 'read', changes: false, args: { dir: TOOLS } };
  const tools = await access.own(call, async () => [...(await kernel.registry.list())]);
  return [
    { uri: `tgp://${HISTORY}`, name: 'history', description: 'The newest commits.', mimeType: 'application/json' },
    ...tools.map(({ path, description }) => ({
      uri: uriOf(path),
      name: path,
      mimeType: mimeOf(path),
      ...(description !== '' && { description }),
    })),
  ];
}

/** The content of a resource. */
export async function readResource({ files }: Access, uri: string) {
  const { kind, path } = parse(uri);
  if (kind === TOOLS) {
    const text = await files.read('read_file', { path: `${TOOLS}/${path}` });
    return { uri, mimeType: mimeOf(path), text };
  }
  const commits = await files.history(path === '' ? undefined : path, COMMITS);
  if (path !== '' && commits.length === 0) throw new NotFoundError(`No commit has changed '${path}'.`);
  return { uri, mimeType: 'application/json', text: JSON.stringify(commits, undefined, 2) };
}

/** Converts a TGPError to an error of the protocol. */
export function asMcpError(
  error: unknown,
  { McpError, ErrorCode }: typeof import('@modelcontextprotocol/sdk/types.js'),
) {
  if (!(error instanceof TGPError)) return error;
  const code = error.code === 'ERR_NOT_FOUND' ? RESOURCE_NOT_FOUND : ErrorCode.InvalidParams;
  return new McpError(code, `${error.message} [${error.code}]`);
}

function uriOf(path: string) {
  return `tgp://${path.split('/').map(encodeURIComponent).join('/')}`;
}

function parse(uri: string) {
  const [, kind = '', rest = ''] = /^tgp:\/\/(tools|history)(?:\/(.*))?$/.exec(uri) ?? [];
  try {
    if (kind === HISTORY || rest !== '') return { kind, path: decodeURIComponent(rest) };
  } catch {
    // Reported below.
  }
  throw new ValidationError('The URI is not valid. Use tgp://tools/…, tgp://history or tgp://history/….', {
    details: { field: 'uri' },
  });
}

function mimeOf(path: string) {
  return /\.[cm]?ts$/.test(path) ? 'text/typescript' : 'text/javascript';
}
