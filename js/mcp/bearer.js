/** Capability tokens that come with requests. */

import { TGPError } from '../boundary/errors.js';
import { ON_BEHALF } from '../kernel/agent_access.js';
import { Refusal } from './request_rules.js';

const PREFIX = 'tgp_';

/**
 * The capability token among what whoever let a request in has found in it.
 * @param {{ token?: string } | undefined} authInfo
 */
export function capabilityOf(authInfo) {
  const token = authInfo?.token;
  return typeof token === 'string' && token.startsWith(PREFIX) ? token : undefined;
}

/** Letters of a token that all have in common which were made from one: its prefix, key and number. */
const FAMILY_CHARS = PREFIX.length + 33;

/**
 * Whose a request is: nothing for the owner's, otherwise what all tokens have in common that were made from one that the kernel
 * has issued. A narrowed token does not count as a second one.
 * @param {{ token?: string } | undefined} authInfo
 */
export function familyOf(authInfo) {
  return capabilityOf(authInfo)?.slice(0, FAMILY_CHARS) ?? '';
}

/**
 * Refuses a token that is none of this kernel's, was changed, or revoked. What it allows is asked of each call.
 * @param {import('../kernel/tgp.js').TGP} kernel
 * @param {string} token
 * @throws {Refusal}
 */
export async function checkCapability(kernel, token) {
  const access = kernel[ON_BEHALF]({ agent: 'mcp', token });
  try {
    await access.judge({ tool: 'list_files', effect: 'read', args: { dir: '.' } });
  } catch (error) {
    if (error instanceof TGPError && error.code === 'ERR_DENIED') throw new Refusal(401, error.message);
    throw error;
  }
}
