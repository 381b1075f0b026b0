/** Renders approval requests for people. Every approval interface shows this text. */

import { createHash } from 'node:crypto';
import { harmless, visible } from '../boundary/harmless.js';

/**
 * @typedef {import('../../index.js').ApprovalRequest} ApprovalRequest
 * @typedef {{ sign: '+' | '-' | ' ' | '…', text: string }} RequestLine
 * @typedef {object} RenderedRequest
 * @property {string} head one line: the call, the rule that requires approval, and the hash of the request
 * @property {RequestLine[]} lines the rest of the request
 * @property {boolean} isWhole whether head and lines show everything that would be approved
 * @typedef {Pick<ApprovalRequest, 'tool'> & Partial<Omit<ApprovalRequest, 'tool' | 'signal'>>} ShownRequest an AI SDK call has only a tool and arguments
 */

/** Maximum length of the arguments in a message about a refused call. */
const MAX_ARGS_CHARS = 300;
const MAX_REASON_CHARS = 500;
/** Values up to this length are on the line of their name. */
const SHORT_CHARS = 100;
/** Hexadecimal digits of the hash that a person compares. */
const HASH_CHARS = 16;

/**
 * The complete request: every argument, with invisible characters escaped.
 * @param {ShownRequest} request
 * @param {{ covers: string[], lines: RequestLine[] }} [change] replaces the covered arguments by the lines of a diff
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
  // Foreign text comes last, so that its lines cannot be mistaken for the ones above.
  if (plain.length > 0 && change.lines.length > 0) plain.push(`${change.covers.join(', ') || 'change'}:`);
  return {
    head: `${subject}${why} [sha256 ${hashOf(request)}]`,
    lines: [...plain.map((line) => ({ sign: /** @type {const} */ (' '), text: line })), ...change.lines],
    isWhole: hiddenBytes === undefined && !hasUnshownChanges(tool, args),
  };
}

/** @type {typeof import('../../index.js').approvalText} */
export function approvalText(request) {
  return textOf(renderedRequest(/** @type {ShownRequest} */ (request)));
}

/** @param {RenderedRequest} rendered */
function textOf({ head, lines, isWhole }) {
  const missing = isWhole ? [] : ['The request is not shown in full, so it cannot be approved.'];
  return [head, ...lines.map(({ text }) => `  ${text}`), ...missing].join('\n');
}

/**
 * A request in pages; undefined if the pages cannot show all of it.
 * @param {ShownRequest} request
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
 * A call in one line, for a message about a refused one. It is abbreviated, so not sufficient for an approval.
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
 * The arguments, without the path that is shown before them.
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
 * @param {string[]} excluded arguments that are shown elsewhere
 */
function argumentLines(args, excluded) {
  if (args === undefined) return [];
  if (typeof args !== 'object' || args === null) return valueLines('arguments', args);
  return Object.entries(args)
    .filter(([name]) => !excluded.includes(name))
    .flatMap(([name, value]) => valueLines(name, value));
}

/**
 * An argument as lines: text keeps its line breaks, other values are JSON.
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
 * A line of text with invisible characters escaped. Leading tabs become spaces.
 * @param {string} line
 */
export function visibleLine(line) {
  const [indent = ''] = /^[\t ]*/.exec(line) ?? [];
  return `${indent.replaceAll('\t', '  ')}${visible(line.slice(indent.length))}`;
}

/**
 * Whether `apply_changes` has files that cannot be shown.
 * @param {string} tool
 * @param {any} args
 */
function hasUnshownChanges(tool, args) {
  if (tool !== 'apply_changes' || !Array.isArray(args?.changes)) return false;
  return args.changes.some((/** @type {any} */ change) => change?.isShown === false);
}

/**
 * Hash of everything that would be approved, so that two people or screens can compare requests.
 * @param {ShownRequest} request
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
    // Does not split a surrogate pair.
    const isSplit = /[\ud800-\udbff]/.test(line[at + chars - 1] ?? '') && at + chars < line.length;
    const end = at + chars - (isSplit && chars > 1 ? 1 : 0);
    all.push(line.slice(at, end));
    at = end;
  }
  return all;
}
