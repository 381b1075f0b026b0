import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import cedar from '@cedar-policy/cedar-wasm/nodejs';

/**
 * A policy function that evaluates every call with Cedar. `@id` names the rule, `@reason` is the reason in the error, and a
 * permit with `@verdict("ask")` requires an approval.
 * @param {URL | string} file of Cedar policies
 * @returns {import('@tgp/core').PolicyFunction}
 */
export function cedarPolicy(file) {
  const { policies } = succeeded(cedar.policySetTextToParts(readFileSync(file, 'utf8')));
  const rules = new Map(
    policies.map((text, index) => {
      const { annotations = {} } = succeeded(cedar.policyToJson(text)).json;
      return [annotations.id ?? `policy${index}`, { text, ...annotations }];
    }),
  );
  if (rules.size !== policies.length) throw new Error('Two Cedar policies have the same @id.');
  const staticPolicies = Object.fromEntries([...rules].map(([id, { text }]) => [id, text]));
  succeeded(cedar.preparsePolicySet(String(file), { staticPolicies }));

  return ({ agent, effect, tool, path, session }) => {
    const { decision, diagnostics } = succeeded(
      cedar.statefulIsAuthorized({
        principal: { type: 'Agent', id: agent },
        action: { type: 'Action', id: effect },
        resource: { type: 'Tool', id: tool },
        context: { path: placeOf(path), session: session ?? '' },
        preparsedPolicySetId: String(file),
        entities: [],
      }),
    ).response;
    // Cedar skips policies that fail, including those that forbid.
    const failed = diagnostics.errors.map(({ policyId }) => policyId);
    if (failed.length > 0) return { verdict: 'deny', rule: failed[0], reason: 'The Cedar policy failed.' };
    const [rule = 'default', ...others] = diagnostics.reason;
    if (decision !== 'allow')
      return { verdict: 'deny', rule, reason: rules.get(rule)?.reason ?? 'Nothing permits it.' };
    const asking = [rule, ...others].find((id) => rules.get(id)?.verdict === 'ask');
    const deciding = asking ?? rule;
    return { verdict: asking === undefined ? 'allow' : 'ask', rule: deciding, reason: rules.get(deciding)?.reason };
  };
}

/** The normalised path; undefined for a path that leaves the root, so that no `like` matches it. */
function placeOf(path = '') {
  const plain = posix.normalize(path.replaceAll('\\', '/'));
  return plain.startsWith('..') || plain.startsWith('/') ? '' : plain;
}

function succeeded(answer) {
  if (answer.type === 'success') return answer;
  throw new Error(`Cedar: ${answer.errors.map(({ message }) => message).join('; ')}`);
}
