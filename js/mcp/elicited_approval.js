/** Approvals by MCP elicitation: the client shows a form to its user. */

import { harmless } from '../boundary/harmless.js';
import { requestPages } from '../kernel/request_text.js';

/**
 * @typedef {import('@modelcontextprotocol/sdk/server/index.js').Server} Server
 * @typedef {import('../../index.js').Approve} Approve
 */

/** Maximum characters of one form, and maximum number of forms for one call. */
const PAGES = { pageChars: 4_000, mostPages: 20 };
const TOO_LONG =
  'The request is too long to be shown in full in forms, and only a fully shown request can be approved. Allow the call by a policy rule, or approve it with "approve" of the application or at a terminal.';

const FORM = {
  type: /** @type {const} */ ('object'),
  properties: {
    approve: {
      type: /** @type {const} */ ('boolean'),
      title: 'Allow this once',
      description: 'Yes allows exactly this call, once.',
      default: false,
    },
  },
  required: ['approve'],
};

const NEXT = {
  type: /** @type {const} */ ('object'),
  properties: {
    next: {
      type: /** @type {const} */ ('boolean'),
      title: 'Show the next page',
      description: 'The call can be approved on the last page.',
      default: true,
    },
  },
};

/**
 * The approver for calls of a request; undefined if the client does not support forms.
 * @param {Server} server
 * @param {string | number} requestId the request that the question belongs to
 * @param {number} waitsMs
 * @returns {Approve | undefined}
 */
export function elicitedApproval(server, requestId, waitsMs) {
  if (!showsForms(server)) return undefined;
  return async (request) => {
    const pages = requestPages(request, PAGES);
    if (pages === undefined) return { approved: false, by: 'nobody', reason: TOO_LONG };
    const options = { relatedRequestId: requestId, timeout: waitsMs, signal: request.signal };
    const ask = (/** @type {string} */ message, /** @type {any} */ requestedSchema) =>
      server.elicitInput({ message, requestedSchema }, options);
    const by = `mcp client ${harmless(server.getClientVersion()?.name ?? 'without a name')}`;
    const closed = { approved: false, by, reason: 'The question was closed without an answer.' };
    for (const [index, page] of pages.slice(0, -1).entries()) {
      const { action, content } = await ask(`Page ${index + 1} of ${pages.length}\n${fenced(page)}`, NEXT);
      if (action !== 'accept' || content?.next === false) return action === 'cancel' ? closed : { approved: false, by };
    }
    const last = pages.length > 1 ? `Page ${pages.length} of ${pages.length}\n` : '';
    const { action, content } = await ask(`${last}${fenced(pages.at(-1) ?? '')}\nAllow?`, FORM);
    if (action === 'cancel') return closed;
    const approved = action === 'accept' && content?.approve === true;
    return { approved, by };
  };
}

/**
 * Formats a page as a code block: a client may render Markdown, which could hide foreign text.
 * @param {string} page
 */
function fenced(page) {
  const longest = (page.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${page}\n${fence}`;
}

/** @param {Server} server */
function showsForms(server) {
  /** @type {{ form?: object, url?: object } | undefined} */
  const elicitation = server.getClientCapabilities()?.elicitation;
  // Clients of older protocol versions declare elicitation without a mode; they support forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
