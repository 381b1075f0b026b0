import { harmless } from '../boundary/harmless.js';

/** How much of the arguments is shown. */
const MAX_ARGS_CHARS = 300;
const MAX_REASON_CHARS = 500;

/**
 * What somebody is asked about, in one line: the call, and the rule that wants it approved.
 * @param {Pick<import('../../index.js').ApprovalRequest, 'tool' | 'path' | 'args' | 'rule' | 'at' | 'reason'>} request
 */
export function requestText({ rule, at, reason, ...call }) {
  return `${callText(call)} — rule '${harmless(rule)}' (${harmless(at)}): ${harmless(reason, MAX_REASON_CHARS)}`;
}

/**
 * A call as a person reads it.
 * @param {Pick<import('../../index.js').ApprovalRequest, 'tool' | 'path' | 'args'>} call
 */
export function callText({ tool, path, args }) {
  const shown = argsText(args, path);
  return [harmless(tool), ...(path === undefined ? [] : [harmless(path)]), ...(shown === '' ? [] : [shown])].join(' ');
}

/**
 * The arguments, without the path that stands before them.
 * @param {any} args
 * @param {string | undefined} path
 */
function argsText(args, path) {
  if (typeof args !== 'object' || args === null) return '';
  const rest = Array.isArray(args) || args.path !== path ? args : withoutPath(args);
  const text = JSON.stringify(rest);
  return text === '{}' || text === '[]' ? '' : harmless(text, MAX_ARGS_CHARS);
}

/** @param {Record<string, unknown>} args */
function withoutPath({ path: _, ...rest }) {
  return rest;
}
