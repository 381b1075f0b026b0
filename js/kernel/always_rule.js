/** Writes the rule into a policy file that allows a call for good. */

import { readTextAtMost } from '../boundary/bounded_read.js';
import { ConfigError, unwrap, ValidationError } from '../boundary/errors.js';
import { harmlessJson } from '../boundary/harmless.js';
import { whileLocked } from '../files/file_lock.js';
import { replaceFile } from '../files/replace_file.js';
import { MAX_FILE_BYTES, policyText } from './policy_source.js';
import { isAlive, ownMark } from './process_mark.js';

/** @typedef {NonNullable<import('../../index.js').ApprovalRequest['always']>} AlwaysRule */

/**
 * A rule without the named conditions: pointers to arguments, or `text`.
 * @param {AlwaysRule} rule
 * @param {readonly string[]} any
 * @returns {AlwaysRule}
 */
export function loosened({ args = {}, text, ...rule }, any) {
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
 * Adds the rule to the file and to the rules in force. What was asked under those of before may still be approved.
 * @param {import('../boundary/typed_native.js').NativeKernel} kernel
 * @param {string} file
 * @param {AlwaysRule} rule
 * @param {string} by
 * @param {string} asked the version of the rules that the question was asked under
 */
export async function writeAlwaysRule(kernel, file, rule, by, asked) {
  // Another process may add a rule at the same time.
  return whileLocked(file, { ownMark, isAlive }, () => addRule(kernel, file, rule, by, asked));
}

/**
 * @param {import('../boundary/typed_native.js').NativeKernel} kernel
 * @param {string} file
 * @param {AlwaysRule} rule
 * @param {string} by
 * @param {string} asked
 */
async function addRule(kernel, file, rule, by, asked) {
  const before = await readTextAtMost(file, MAX_FILE_BYTES);
  const after = withRule(before, rule, by);
  const text = policyText(file, after);
  const [was, is] = [
    unwrap(await kernel.checkPolicy(policyText(file, before))),
    unwrap(await kernel.checkPolicy(text)),
  ];
  if (was.approved !== asked || was.version !== was.inForce) {
    throw new Error('The rules have changed since the question was asked, so no rule was added.');
  }
  if (is.rules !== was.rules + 1) throw unwritten();
  await replaceFile(file, after);
  unwrap(await kernel.replacePolicy(text, was.version));
}

/**
 * The text with one rule more, at the end of its rules.
 * @param {string} text
 * @param {AlwaysRule} rule
 * @param {string} by
 */
export function withRule(text, rule, by) {
  const day = new Date().toISOString().slice(0, 10);
  const taken = new Set([...text.matchAll(/\bid["']?\s*:\s*["']?([\w-]+)/g)].map(([, id]) => id));
  let number = 1;
  while (taken.has(`always-${number}`)) number += 1;
  const said = { id: `always-${number}`, ...rule, reason: `Allowed for good by ${by} on ${day}.` };
  // A flow mapping of JSON is YAML as well, and stands in one line.
  const line = `- ${harmlessJson(said)}`;
  const lines = text.split('\n');
  const start = lines.findIndex((each) => /^rules:\s*(#.*)?$/.test(each));
  if (start < 0) {
    if (/^rules:/m.test(text)) throw unwritten();
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

function unwritten() {
  return new ConfigError(
    'The rule could not be written into the policy file, which stays as it is. Add it by hand: "rules" must be a list with one rule in each line.',
    { details: { key: 'policy' } },
  );
}
