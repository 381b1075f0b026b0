/** Approvals by MCP elicitation: the client shows a form to its user. */

import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { harmless } from '../boundary/harmless.js';
import { messageOf } from '../boundary/thrown.js';
import { requestPages } from '../kernel/approvals/request_text.js';
import type { Approve } from '../types/policy.js';

/** Maximum characters of one form, and maximum number of forms for one call. */
const PAGES = { pageChars: 4_000, mostPages: 20 };
const TOO_LONG =
  'The request is too long to be shown in full in forms, and only a fully shown request can be approved. Allow the call by a policy rule, or approve it with "approve" of the application or at a terminal.';

const MAX_PROBLEM_CHARS = 200;

const FORM = {
  type: 'object' as const,
  properties: {
    approve: {
      type: 'boolean' as const,
      title: 'Allow this once',
      description: 'Yes allows exactly this call, once.',
      default: false,
    },
  },
  required: ['approve'],
};

const NEXT = {
  type: 'object' as const,
  properties: {
    next: {
      type: 'boolean' as const,
      title: 'Show the next page',
      description: 'The call can be approved on the last page.',
      default: true,
    },
  },
};

const NO_FORMS =
  'This client cannot ask its user (it does not support MCP elicitation). To allow such calls, the user starts the server as "tgp mcp --yes", or adds a rule for them to tgp.policy.yaml beside the config; an application passes "approve" to its kernel.';

/**
 * The approver for calls of a request. It refuses them if the client does not support forms.
 * @param requestId the request that the question belongs to
 */
export function elicitedApproval(server: Server, requestId: string | number, waitsMs: number): Approve {
  return async (request) => {
    if (!showsForms(server)) return { approved: false, by: 'nobody', reason: NO_FORMS };
    const pages = requestPages(request, PAGES);
    if (pages === undefined) return { approved: false, by: 'nobody', reason: TOO_LONG };
    const options = { relatedRequestId: requestId, timeout: waitsMs, signal: request.signal };
    const ask = (message: string, requestedSchema: typeof NEXT | typeof FORM) =>
      server.elicitInput({ message, requestedSchema }, options).catch(invalidAnswer);
    const by = `mcp client ${harmless(server.getClientVersion()?.name ?? 'without a name')}`;
    const closed = { approved: false, by, reason: 'The question was closed without an answer.' };
    for (const [index, page] of pages.slice(0, -1).entries()) {
      const { action, content } = await ask(`Page ${index + 1} of ${pages.length}\n${fenced(page)}`, NEXT);
      if (action === 'invalid') return { approved: false, by, reason: invalid(content) };
      if (action !== 'accept' || content?.next === false) return action === 'cancel' ? closed : { approved: false, by };
    }
    const last = pages.length > 1 ? `Page ${pages.length} of ${pages.length}\n` : '';
    const { action, content } = await ask(`${last}${fenced(pages.at(-1) ?? '')}\nAllow?`, FORM);
    if (action === 'invalid') return { approved: false, by, reason: invalid(content) };
    if (action === 'cancel') return closed;
    if (action === 'accept' && typeof content?.approve !== 'boolean') {
      return { approved: false, by, reason: invalid({ problem: '"approve" is missing' }) };
    }
    const approved = action === 'accept' && content?.approve === true;
    return { approved, by };
  };
}

/** The answer of a client that does not fit the form. Other failures, such as a timeout, are those of the approver. */
function invalidAnswer(error: unknown): { action: 'invalid'; content: { problem: string } } {
  const problem = /does not match requested schema: (.*)/s.exec(messageOf(error))?.[1];
  if (problem === undefined) throw error;
  return { action: 'invalid', content: { problem } };
}

function invalid({ problem }: { problem: string }) {
  const shown = harmless(problem.slice(0, MAX_PROBLEM_CHARS));
  return `The client answered the form with other content than it asks for (${shown}). It must answer { "approve": true } or { "approve": false }, as booleans; this is a fault of the client, not of the call.`;
}

/** Formats a page as a code block: a client may render Markdown, which could hide foreign text. */
function fenced(page: string) {
  const longest = (page.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${page}\n${fence}`;
}

function showsForms(server: Server) {
  const elicitation: { form?: object; url?: object } | undefined = server.getClientCapabilities()?.elicitation;
  // Clients of older protocol versions declare elicitation without a mode; they support forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
