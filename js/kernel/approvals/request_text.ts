/** Renders approval requests for people. Every approval interface shows this text. */

import { createHash } from 'node:crypto';
import { isRecord } from '../../boundary/foreign_json.js';
import { harmless, visible } from '../../boundary/harmless.js';
import type { ApprovalRequest, PolicyCall } from '../../types/policy.js';

/** @internal */
export type RequestLine = { sign: '+' | '-' | ' ' | '…'; text: string };
type RenderedRequest = {
  /** One line: the call, the rule that requires approval, and the hash of the request. */
  head: string;
  /** The rest of the request. */
  lines: RequestLine[];
  /** Whether head and lines show everything that would be approved. */
  isWhole: boolean;
};
/** A request to show. A call of the AI SDK has only a tool and arguments. */
type ShownRequest = Pick<ApprovalRequest, 'tool'> & Partial<Omit<ApprovalRequest, 'tool' | 'signal'>>;

/** Maximum length of the arguments in a message about a refused call. */
const MAX_ARGS_CHARS = 300;
const MAX_REASON_CHARS = 500;
/** Values up to this length are on the line of their name. */
const SHORT_CHARS = 100;
/** Hexadecimal digits of the hash that a person compares. */
const HASH_CHARS = 16;

/**
 * The complete request: every argument, with invisible characters escaped.
 * @param change replaces the covered arguments by the lines of a diff
 * @internal
 */
export function renderedRequest(
  request: ShownRequest,
  change: { covers: string[]; lines: RequestLine[] } = { covers: [], lines: [] },
): RenderedRequest {
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
    lines: [...plain.map((line) => ({ sign: ' ' as const, text: line })), ...change.lines],
    isWhole: hiddenBytes === undefined && !hasUnshownChanges(tool, args),
  };
}

/**
 * Formats an approval request for a person: complete, with hidden characters escaped and a hash of the whole request. The
 * terminal and MCP forms show the same text. Pass a call of the AI SDK as `{ tool: toolName, args: input }`.
 *
 * @example
 * new TGP({ config: { policy: 'safe' }, approve: async (request) => askOnSlack(approvalText(request)) });
 */
export function approvalText(
  request: Pick<PolicyCall, 'tool'> & Partial<Omit<ApprovalRequest, 'tool' | 'signal'>>,
): string {
  return textOf(renderedRequest(request as ShownRequest));
}

function textOf({ head, lines, isWhole }: RenderedRequest) {
  const missing = isWhole ? [] : ['The request is not shown in full, so it cannot be approved.'];
  return [head, ...lines.map(({ text }) => `  ${text}`), ...missing].join('\n');
}

/** A request in pages; undefined if the pages cannot show all of it. @internal */
export function requestPages(
  request: ShownRequest,
  { pageChars, mostPages }: { pageChars: number; mostPages: number },
): string[] | undefined {
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
 * @internal
 */
export function requestText({
  rule,
  at,
  reason,
  ...call
}: Pick<ApprovalRequest, 'tool' | 'path' | 'args' | 'rule' | 'at' | 'reason'>) {
  return `${callText(call)} — rule '${harmless(rule)}' (${harmless(at)}): ${harmless(reason, MAX_REASON_CHARS)}`;
}

/** The same without the rule. @internal */
export function callText({ tool, path, args }: Pick<ApprovalRequest, 'tool' | 'path' | 'args'>) {
  const shown = argsText(args, path);
  return [harmless(tool), ...(path === undefined ? [] : [harmless(path)]), ...(shown === '' ? [] : [shown])].join(' ');
}

/** The arguments, without the path that is shown before them. */
function argsText(args: unknown, path: string | undefined) {
  if (typeof args !== 'object' || args === null) return '';
  const rest = isRecord(args) && args.path === path ? withoutPath(args) : args;
  const text = JSON.stringify(rest);
  return text === '{}' || text === '[]' ? '' : harmless(text, MAX_ARGS_CHARS);
}

function withoutPath({ path: _, ...rest }: Record<string, unknown>) {
  return rest;
}

/** @param excluded arguments that are shown elsewhere */
function argumentLines(args: unknown, excluded: string[]) {
  if (args === undefined) return [];
  if (typeof args !== 'object' || args === null) return valueLines('arguments', args);
  return Object.entries(args)
    .filter(([name]) => !excluded.includes(name))
    .flatMap(([name, value]) => valueLines(name, value));
}

/** An argument as lines: text keeps its line breaks, other values are JSON. */
function valueLines(name: string, value: unknown) {
  const short = JSON.stringify(value) ?? 'undefined';
  const label = visible(name);
  const hasLines = typeof value === 'string' && value.includes('\n');
  if (!hasLines && short.length <= SHORT_CHARS) return [`${label}: ${visible(short)}`];
  const whole = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? short);
  return [`${label}:`, ...whole.split('\n').map((line) => `  ${visibleLine(line)}`)];
}

/** A line of text with invisible characters escaped. Leading tabs become spaces. @internal */
export function visibleLine(line: string) {
  const [indent = ''] = /^[\t ]*/.exec(line) ?? [];
  return `${indent.replaceAll('\t', '  ')}${visible(line.slice(indent.length))}`;
}

/** Whether `apply_changes` has files that cannot be shown. */
function hasUnshownChanges(tool: string, args: unknown) {
  if (tool !== 'apply_changes' || !isRecord(args) || !Array.isArray(args.changes)) return false;
  return args.changes.some((change) => isRecord(change) && change.isShown === false);
}

/** Hash of everything that would be approved, so that two people or screens can compare requests. */
function hashOf({ tool, path, args, also, text }: ShownRequest) {
  const about = JSON.stringify([tool, path ?? null, args ?? null, also ?? null, text ?? null]);
  return createHash('sha256').update(about).digest('hex').slice(0, HASH_CHARS);
}

function pieces(line: string, chars: number) {
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
