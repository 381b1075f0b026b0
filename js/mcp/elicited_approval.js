/** Approvals of the person at the client, who is asked by a form. */

import { harmless } from '../boundary/harmless.js';
import { requestText } from '../kernel/request_text.js';

/**
 * @typedef {import('@modelcontextprotocol/sdk/server/index.js').Server} Server
 * @typedef {import('../../index.js').Approve} Approve
 */

const FORM = {
  type: /** @type {const} */ ('object'),
  properties: {
    approve: {
      type: /** @type {const} */ ('boolean'),
      title: 'Allow this once',
      description: 'Yes lets exactly this call through, one time.',
      default: false,
    },
  },
  required: ['approve'],
};

/**
 * Who is asked about calls of a request: nobody when the client cannot show a form.
 * @param {Server} server
 * @param {string | number} requestId the request that the question belongs to
 * @param {number} waitsMs
 * @returns {Approve | undefined}
 */
export function elicitedApproval(server, requestId, waitsMs) {
  if (!showsForms(server)) return undefined;
  return async (request) => {
    const asked = { message: `${requestText(request)} Allow?`, requestedSchema: FORM };
    const options = { relatedRequestId: requestId, timeout: waitsMs, signal: request.signal };
    const { action, content } = await server.elicitInput(asked, options);
    const by = `mcp client ${harmless(server.getClientVersion()?.name ?? 'without a name')}`;
    const approved = action === 'accept' && content?.approve === true;
    return { approved, by, ...(action === 'cancel' && { reason: 'The question was closed without an answer.' }) };
  };
}

/** @param {Server} server */
function showsForms(server) {
  /** @type {{ form?: object, url?: object } | undefined} */
  const elicitation = server.getClientCapabilities()?.elicitation;
  // Clients of before there was more than one way to ask say that they ask, and not how.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
