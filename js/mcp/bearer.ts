/** Capability tokens of MCP requests. */

import { TGPError } from '../boundary/errors.js';
import { ON_BEHALF } from '../kernel/access_symbols.js';
import type { TGP } from '../kernel/tgp.js';
import { Refusal } from './request_rules.js';

const PREFIX = 'tgp_';

/** The capability token of an authorised request. */
export function capabilityOf(authInfo: { token?: string } | undefined) {
  const token = authInfo?.token;
  return typeof token === 'string' && token.startsWith(PREFIX) ? token : undefined;
}

/** Length of the common prefix of a token and all tokens derived from it: prefix, key and number. */
const FAMILY_CHARS = PREFIX.length + 33;

/**
 * The token family of a request: empty for the owner, otherwise the common prefix of an issued token and all tokens derived from
 * it. A narrowed token is of the same family.
 */
export function familyOf(authInfo: { token?: string } | undefined) {
  return capabilityOf(authInfo)?.slice(0, FAMILY_CHARS) ?? '';
}

/**
 * Refuses a token that is unknown, altered or revoked. Its permissions are checked by each call.
 * @throws Refusal
 */
export async function checkCapability(kernel: TGP, token: string) {
  const access = kernel[ON_BEHALF]({ agent: 'mcp', token });
  try {
    await access.judge({ tool: 'list_files', effect: 'read', args: { dir: '.' } });
  } catch (error) {
    if (error instanceof TGPError && error.code === 'ERR_DENIED') throw new Refusal(401, error.message);
    throw error;
  }
}
