/** A request for approval as people read it. All that asks a person shows what is made here. */

import { createHash } from 'node:crypto';
import { harmless, visible } from '../boundary/harmless.js';

/**
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 * @typedef {{ sign: '+' | '-' | ' ' | '…', text: string }} RequestLine
 * @typedef {object} RenderedRequest
 * @property {string} head the call, the rule that wants it approved, and the hash of the request, in one line
 * @property {RequestLine[]} lines all the rest of it
 * @property {boolean} isWhole whether head and lines say all that would be approved
 * @typedef {Pick<ApprovalRequest, 'tool'> & Partial<Omit<ApprovalRequest, 'tool' | 'signal'>>} Shown a call of the AI SDK has no more than a tool and arguments
 */

/** How much of the arguments is in a message about a call that was not approved. */
const MAX_ARGS_CHARS = 300;
const MAX_REASON_CHARS = 500;
/** Values up to this stand behind their name. */
const SHORT_CHARS = 100;
/** Hexadecimal digits of a hash that a person compares. */
const HASH_CHARS = 16;

/**
 * A request, whole: every argument, with all that is hidden in it spelt out.
 * @param {Shown} request
 * @param {{ covers: string[], lines: RequestLine[] }} [change] says what these arguments say, in the lines of a file
 * @returns {RenderedRequest}
 */
export function renderedRequest(request, change = { covers: [], lines: [] }) {
  const { tool, path, args, rule, at, reason, also = [], text, hiddenBytes } = request;
  const subject = [tool, ...(path === undefined ? [] : [path])].map(visible).join(' ');
  const why = rule === undefined ? '' : ` — rule '${visible(rule)}' (${visible(at)}): ${visible(reason)}`;
  const reached = also.map(({ effect, paths }) => `also ${effect}: ${paths.join(', ')}`);
  const plain = [
    ...argumentLines(args, [...change.covers, ...(args?.path === path && path !== undefined ? ['path'] : [])]),
    ...reached.map(visible),
    ...(text === undefined ? [] : [`text that runs: sha256 ${visible(text)}`]),
  ];
  // Text of others comes last, so that none of its lines can be taken for one of these.
  if (plain.length > 0 && change.lines.length > 0) plain.push(`${change.covers.join(', ') || 'change'}:`);
  return {
    head: `${subject}${why} [sha256 ${hashOf(request)}]`,
    lines: [...plain.map((line) => ({ sign: /** @type {const} */ (' '), text: line })), ...change.lines],
    isWhole: hiddenBytes === undefined && !hasUnshownChanges(tool, args),
  };
}

/** @type {typeof import('../../index.js').approvalText} */
export function approvalText(request) {
  return textOf(renderedRequest(/** @type {Shown} */ (request)));
}

/** @param {RenderedRequest} rendered */
function textOf({ head, lines, isWhole }) {
  const missing = isWhole ? [] : ['This is not the whole request. What is not shown cannot be approved.'];
  return [head, ...lines.map(({ text }) => `  ${text}`), ...missing].join('\n');
}

/**
 * A request by pages; nothing where they would not show all of it.
 * @param {Shown} request
 * @param {{ pageChars: number, mostPages: number }} limits
 * @returns {string[] | undefined}
 */
export function requestPages(request, { pageChars, mostPages }) {
  const rendered = renderedRequest(request);
  if (!rendered.isWhole) return undefined;
  const text = textOf(rendered);
  if (text.length > pageChars * mostPages) return undefined;
  const pages = [''];
  for (const line of text.split('\n').flatMap((each) => pieces(each, pageChars))) {
    const page = pages.at(-1) ?? '';
    if (page !== '' && page.length + 1 + line.length > pageChars) pages.push(line);
    else pages[pages.length - 1] = page === '' ? line : `${page}\n${line}`;
  }
  return pages.length > mostPages ? undefined : pages;
}

/**
 * A call in one line, for a message about one that was not approved: too little to approve it by.
 * @param {Pick<ApprovalRequest, 'tool' | 'path' | 'args' | 'rule' | 'at' | 'reason'>} request
 */
export function requestText({ rule, at, reason, ...call }) {
  return `${callText(call)} — rule '${harmless(rule)}' (${harmless(at)}): ${harmless(reason, MAX_REASON_CHARS)}`;
}

/**
 * The same without the rule.
 * @param {Pick<ApprovalRequest, 'tool' | 'path' | 'args'>} call
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

/**
 * @param {any} args
 * @param {string[]} told arguments that are shown otherwise
 */
function argumentLines(args, told) {
  if (args === undefined) return [];
  if (typeof args !== 'object' || args === null) return valueLines('arguments', args);
  return Object.entries(args)
    .filter(([name]) => !told.includes(name))
    .flatMap(([name, value]) => valueLines(name, value));
}

/**
 * Text keeps its lines; everything else is JSON.
 * @param {string} name
 * @param {unknown} value
 */
function valueLines(name, value) {
  const short = JSON.stringify(value) ?? 'undefined';
  const label = visible(name);
  const hasLines = typeof value === 'string' && value.includes('\n');
  if (!hasLines && short.length <= SHORT_CHARS) return [`${label}: ${visible(short)}`];
  const whole = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? short);
  return [`${label}:`, ...whole.split('\n').map((line) => `  ${visibleLine(line)}`)];
}

/**
 * A line of text: tabs before its first letter are seen as space, others are spelt out.
 * @param {string} line
 */
export function visibleLine(line) {
  const [indent = ''] = /^[\t ]*/.exec(line) ?? [];
  return `${indent.replaceAll('\t', '  ')}${visible(line.slice(indent.length))}`;
}

/**
 * What a program has changed is listed whole, but not every file can be shown.
 * @param {string} tool
 * @param {any} args
 */
function hasUnshownChanges(tool, args) {
  if (tool !== 'apply_changes' || !Array.isArray(args?.changes)) return false;
  return args.changes.some((/** @type {any} */ change) => change?.isShown === false);
}

/**
 * Of all that would be approved, so that two people, or two screens, can tell whether they see the same.
 * @param {Shown} request
 */
function hashOf({ tool, path, args, also, text }) {
  const about = JSON.stringify([tool, path ?? null, args ?? null, also ?? null, text ?? null]);
  return createHash('sha256').update(about).digest('hex').slice(0, HASH_CHARS);
}

/**
 * @param {string} line
 * @param {number} chars
 */
function pieces(line, chars) {
  const all = [];
  for (let at = 0; at < line.length || all.length === 0; ) {
    // A character of two halves stays whole.
    const isSplit = /[\ud800-\udbff]/.test(line[at + chars - 1] ?? '') && at + chars < line.length;
    const end = at + chars - (isSplit && chars > 1 ? 1 : 0);
    all.push(line.slice(at, end));
    at = end;
  }
  return all;
}
