/**
 * Size limits for arguments and results of tools. Arguments that are too large are refused before anything reads them. Results
 * are limited to a number of characters on every path to a model; a longer result is truncated, with a note on how to get the
 * rest. Applications are not limited: `kernel.exec`, `kernel.vfs` and their databases return everything.
 *
 * Results are bounded where `execute` returns, not where a framework asks for them: AI SDK 4 shows most providers the bare
 * result, later ones send it to browsers and back, and other frameworks have no such hook.
 */

import { ValidationError } from '../boundary/errors.js';
import { isRecord, parseForeignJson } from '../boundary/foreign_json.js';
import { toJsonText } from '../boundary/json_text.js';
import { messageOf } from '../boundary/thrown.js';
import type { AgentTool } from '../types/tools.js';
import { withCodeInMessage } from './agent_tool.js';
import { Page } from './pages.js';
import { beginning, preview } from './preview.js';

/** How the results of a tool are bounded. */
export type ResultRule = {
  maxChars: () => number;
  /** Returns the maximum bytes of the arguments as JSON. */
  argumentBytes?: () => number;
  /** Stores a value in files and returns their paths; empty if it cannot. */
  keep?: (value: unknown) => Promise<string[]>;
};

/** Room for the other members of a result and its punctuation. */
const FRAME_CHARS = 100;
const MIN_CHARS = 200;
/** Maximum length of a field name in an error. */
const MAX_FIELD_CHARS = 80;
/** Default limit of arguments. */
const ARGUMENT_BYTES = 32 << 20;

/** Functions that are bounded already. */
const bounded = new WeakSet<AgentTool['execute']>();

/** Whether a tool is made by {@link boundedTool}. */
export function isBounded({ execute }: AgentTool) {
  return bounded.has(execute);
}

/** A tool with bounded arguments and results. */
export function boundedTool<Tool extends AgentTool>(tool: Tool, rule: ResultRule): Tool {
  const execute: AgentTool['execute'] = async (args, options) => {
    try {
      refuseLarge(args, rule.argumentBytes?.() ?? ARGUMENT_BYTES);
      const output = await tool.execute(args, options);
      return await boundedResult(output, options?.maxChars ?? rule.maxChars(), rule.keep);
    } catch (error) {
      throw withCodeInMessage(withShortMessage(error, options?.maxChars ?? rule.maxChars()));
    }
  };
  bounded.add(execute);
  return { ...tool, execute };
}

/** Whether the JSON of a value certainly takes more bytes than `most`, without serialising it. */
function isLarger(value: unknown, most: number) {
  let bytes = 0;
  const open = [value];
  while (open.length > 0 && bytes <= most) {
    const next = open.pop();
    bytes += 1;
    if (typeof next === 'string') bytes += next.length;
    else if (ArrayBuffer.isView(next)) bytes += next.byteLength;
    else if (Array.isArray(next)) {
      bytes += next.length + 1;
      if (bytes <= most) for (const item of next) open.push(item);
    } else if (typeof next === 'object' && next !== null) {
      bytes += 1;
      for (const key of Object.keys(next)) {
        bytes += key.length + 3;
        open.push((next as Record<string, unknown>)[key]);
      }
    }
  }
  return bytes > most;
}

function refuseLarge(args: unknown, most: number) {
  let field = 'args';
  try {
    if (!isLarger(args, most)) return;
    const members = args as Record<string, unknown>;
    field = Object.keys(members).find((name) => isLarger(members[name], most / 2)) ?? field;
  } catch {
    // The tool itself refuses unreadable arguments.
    return;
  }
  throw new ValidationError(
    `The arguments of the call are more than ${most} bytes of JSON. Pass less at once, or the path of a file with the data.`,
    { details: { field: field.slice(0, MAX_FIELD_CHARS) } },
  );
}

/** All tools of a set with bounded results. */
export function boundedTools<Tools extends Record<string, AgentTool>>(tools: Tools, rule: ResultRule): Tools {
  const entries = Object.entries(tools).map(([name, tool]) => [name, boundedTool(tool, rule)]);
  return Object.fromEntries(entries) as Tools;
}

/**
 * @param output of a tool
 * @returns the output itself when it fits
 */
export async function boundedResult(output: unknown, maxChars: number, keep?: ResultRule['keep']): Promise<unknown> {
  if (output instanceof Page) return output.fit(maxChars);
  if (typeof output === 'string') return shortText(output, maxChars);
  // NaN and infinities become null: the tool has succeeded, so such a number must not fail the call.
  const text = toJsonText(output, 'result', { nonFiniteNumbers: 'null' });
  if (text.length <= maxChars) return output;
  const plain = parseForeignJson(text);
  if (!isRecord(plain) || typeof plain.success !== 'boolean')
    return withNotice(plain, maxChars, `Shown in part: ${text.length} characters in all. Ask for less.`);
  const { result, logs } = plain;
  const half = maxChars / 2;
  const notes = [`This is a part of ${text.length} characters.`];
  const large = [
    { what: 'result', value: result },
    { what: 'log', value: logs },
  ].filter(({ value }) => value !== undefined && JSON.stringify(value).length > half);
  for (const { what, value } of large) {
    const paths = keep ? await keep(value) : [];
    if (paths.length > 0) notes.push(`The whole ${what} is in ${paths.map((path) => `"${path}"`).join(', ')}.`);
  }
  const isRun = result !== undefined || logs !== undefined;
  notes.push(
    notes.length > 1
      ? 'Read it with read_file (offset, limit), or search it with search_files and that path as glob.'
      : isRun
        ? 'Let the tool return or log less.'
        : 'Ask for less.',
  );
  return withNotice(plain, maxChars, notes.join(' '));
}

/** A preview of a value, with a notice if it is an object. */
function withNotice(value: unknown, maxChars: number, notice: string) {
  const room = Math.max(MIN_CHARS, maxChars - notice.length - FRAME_CHARS);
  if (!isRecord(value)) return preview(value, room);
  const { success, ...rest } = value;
  // An object remains one, because there is room for it.
  const shown = preview(rest, room) as object;
  return { ...(success !== undefined && { success }), notice, ...shown };
}

function shortText(text: string, maxChars: number) {
  if (text.length <= maxChars) return text;
  const note = `\n[Shown in part: ${text.length} characters in all. Ask for less.]`;
  return beginning(text, maxChars - note.length) + note;
}

function withShortMessage(error: unknown, maxChars: number) {
  if (error instanceof Error && messageOf(error).length > maxChars) {
    error.message = `${beginning(error.message, maxChars)}… (${error.message.length} characters in all)`;
  }
  return error;
}
