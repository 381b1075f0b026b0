/** Adds a rule to a policy file that permanently allows a call. */

import { readTextAtMost } from '../../boundary/bounded_read.js';
import { ConfigError, ValidationError } from '../../boundary/errors.js';
import { harmlessJson } from '../../boundary/harmless.js';
import type { NativeKernel } from '../../boundary/typed_native.js';
import { unwrap } from '../../boundary/unwrap.js';
import { whileLocked } from '../../files/file_lock.js';
import { replaceFile } from '../../files/replace_file.js';
import type { ApprovalRequest } from '../../types/policy.js';
import { MAX_FILE_BYTES, policyText } from '../policy/policy_source.js';
import { isAlive, ownIdentity } from '../sessions/process_identity.js';

export type PermanentRule = NonNullable<ApprovalRequest['always']>;

/** Removes conditions from a rule: argument pointers, or `text`. */
export function withoutConditions({ args = {}, text, ...rule }: PermanentRule, any: readonly string[]): PermanentRule {
  const unknown = any.filter((name) => !Object.hasOwn(args, name) && !(name === 'text' && text !== undefined));
  if (unknown.length > 0) {
    throw new ValidationError(`The rule has no condition ${unknown.map((name) => `"${name}"`).join(', ')}.`, {
      details: { field: 'always' },
    });
  }
  const kept = Object.entries(args).filter(([name]) => !any.includes(name));
  return {
    ...rule,
    ...(text !== undefined && !any.includes('text') && { text }),
    ...(kept.length > 0 && { args: Object.fromEntries(kept) }),
  };
}

/**
 * Adds the rule to the file and activates it. Requests made under the previous version can still be approved.
 * @param requestVersion the policy version at the time of the request
 */
export async function writePermanentRule(
  kernel: NativeKernel,
  file: string,
  rule: PermanentRule,
  by: string,
  requestVersion: string,
) {
  // Another process may add a rule at the same time.
  return whileLocked(file, { ownIdentity, isAlive }, () => addRule(kernel, file, rule, by, requestVersion));
}

async function addRule(kernel: NativeKernel, file: string, rule: PermanentRule, by: string, requestVersion: string) {
  const before = await readTextAtMost(file, MAX_FILE_BYTES);
  const after = withRule(before, rule, by);
  const text = policyText(file, after);
  const [was, is] = [
    unwrap(await kernel.checkPolicy(policyText(file, before))),
    unwrap(await kernel.checkPolicy(text)),
  ];
  if (was.approved !== requestVersion || was.version !== was.inForce) {
    throw new Error('The policy has changed since the request was made; no rule was added.');
  }
  if (is.rules !== was.rules + 1) throw cannotAddRule();
  await replaceFile(file, after);
  unwrap(await kernel.replacePolicy(text, was.version));
}

/** An empty list of rules on one line. */
const NO_RULES = /^rules:[ \t]*(?:\[[ \t]*\]|null|~)([ \t]*(?:#.*)?)$/m;

/** The policy text with the rule appended to its rules. */
export function withRule(text: string, rule: PermanentRule, by: string) {
  const day = new Date().toISOString().slice(0, 10);
  const taken = new Set([...text.matchAll(/\bid["']?\s*:\s*["']?([\w-]+)/g)].map(([, id]) => id));
  let number = 1;
  while (taken.has(`always-${number}`)) number += 1;
  const entry = { id: `always-${number}`, ...rule, reason: `Permanently allowed by ${by} on ${day}.` };
  // A JSON object on one line is also valid YAML.
  const line = `- ${harmlessJson(entry)}`;
  const lines = text.replace(NO_RULES, 'rules:$1').split('\n');
  const start = lines.findIndex((each) => /^rules:\s*(#.*)?$/.test(each));
  if (start < 0) {
    if (/^rules:/m.test(text)) throw cannotAddRule();
    return `${text.trimEnd()}\nrules:\n  ${line}\n`;
  }
  const first = lines.slice(start + 1).find((each) => /^\s*- /.test(each));
  const indent = /^\s*/.exec(first ?? '  - ')?.[0] ?? '  ';
  let end = start + 1;
  for (let index = start + 1; index < lines.length; index++) {
    const each = lines[index] ?? '';
    if (/^\s*(#.*)?$/.test(each)) continue;
    if (!/^\s|^- /.test(each)) break;
    end = index + 1;
  }
  return [...lines.slice(0, end), `${indent}${line}`, ...lines.slice(end)].join('\n');
}

function cannotAddRule() {
  return new ConfigError(
    'The rule cannot be added to the policy file, which is unchanged. Add it by hand: "rules" must be a list with one rule per line.',
    { details: { key: 'policy' } },
  );
}
