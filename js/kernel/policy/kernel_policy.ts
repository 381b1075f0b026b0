/** The policy API of a kernel. */

import { ConfigError, ValidationError } from '../../boundary/errors.js';
import { isRecord } from '../../boundary/foreign_json.js';
import { toJsonText } from '../../boundary/json_text.js';
import { native } from '../../boundary/native.js';
import { unwrap } from '../../boundary/unwrap.js';
import { parseArguments, requireText } from '../../boundary/validation.js';
import type { KernelPolicy, PolicyInput, TokenCaveats } from '../../types/policy.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { ReplayOptionsSchema } from '../config/option_schemas.js';
import type { KernelRuntime } from '../kernel_runtime.js';
import { policySource } from './policy_source.js';

/** Default number of recorded calls that `replay` evaluates. */
const DEFAULT_REPLAY_LIMIT = 10_000;

/**
 * Implements `kernel.policy`: checks rules, explains a call, and replays recorded calls against other rules.
 * @internal
 */
export function kernelPolicy(calls: KernelCalls, runtime: KernelRuntime): KernelPolicy {
  const textOf = async (input: PolicyInput | undefined) => {
    const policy = input ?? runtime.policy;
    if (typeof policy === 'function') {
      throw new ConfigError('The policy is a function, which cannot be checked or explained. Pass a policy file.');
    }
    return (await policySource(policy, runtime.baseDir)).text;
  };
  return {
    check: async (policy) => {
      const { version, rules } = await calls.read(async (kernel) => kernel.checkPolicy(await textOf(policy)));
      return { version, rules };
    },
    explain: (call, policy) => {
      const text = toJsonText(call, 'call');
      const verdict = calls.read(async (kernel) =>
        kernel.explainPolicy(policy === undefined ? undefined : await textOf(policy), text),
      );
      return verdict.catch((error) => {
        throw withoutBlame(error);
      });
    },
    replay: (policy, options = {}) => {
      const { limit = DEFAULT_REPLAY_LIMIT } = parseArguments(ReplayOptionsSchema, options, 'replay options');
      return calls.read(async (kernel) => kernel.replayPolicy(await textOf(policy), limit));
    },
  };
}

/** The error of an explanation, which does not blame the policy for an invalid call. */
function withoutBlame(error: unknown) {
  const ofCall = 'The policy is not valid: call.';
  if (error instanceof ConfigError && error.message.startsWith(ofCall)) {
    error.message = `The call is not valid: ${error.message.slice(ofCall.length)}`;
  }
  return error;
}

/**
 * Narrows a token by more caveats. It needs neither a key nor a kernel.
 *
 * @throws {ValidationError} for caveats that are not valid
 * @throws {DeniedError} for what is not a token
 */
export function attenuate(token: string, caveats: TokenCaveats): string {
  requireText(token, 'token');
  return unwrap(native().narrowedToken(token, caveatsText(caveats)));
}

/** @internal */
export function caveatsText(caveats: unknown) {
  if (!isRecord(caveats)) {
    throw new ValidationError('"caveats" must be an object, such as { allow: ["read"], calls: 10 }.', {
      details: { field: 'caveats' },
    });
  }
  return toJsonText(caveats, 'caveats');
}
