/**
 * The one rule of how much a model gives and is given: a call whose arguments are too large is refused before anything
 * reads them, and every result of a tool has at most so many characters, by whichever way it
 * reaches the model. What is longer is shown in part, says so, and says how to get the rest. Applications are not held to
 * it: `kernel.exec`, `kernel.vfs` and their databases give them everything.
 *
 * Results are bounded where `execute` returns, not where a framework asks for them: AI SDK 4 shows most providers the bare
 * result, later ones send it to browsers and back, and other frameworks know no such question.
 */

import { ValidationError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { toJsonText } from '../boundary/json_text.js';
import { messageOf } from '../boundary/thrown.js';
import { withCodeInMessage } from './agent_tool.js';
import { Page } from './pages.js';
import { beginning, preview } from './preview.js';

/**
 * @typedef {import('../../index.js').AgentTool} AgentTool
 * @typedef {object} ResultRule
 * @property {() => number} maxChars
 * @property {() => number} [argumentBytes] most bytes of JSON that the arguments may be
 * @property {(value: unknown) => Promise<string[]>} [keep] keeps a value in files and names them; none when it cannot
 */

/** What the other members of a result and its punctuation take. */
const FRAME_CHARS = 100;
const MIN_CHARS = 200;
/** How much of a name is said. */
const MAX_FIELD_CHARS = 80;
/** Largest arguments where a rule has no limit of its own. */
const ARGUMENT_BYTES = 32 << 20;

/** What is held to the rule already. @type {WeakSet<Function>} */
const bounded = new WeakSet();

/** @param {AgentTool} tool */
export function isBounded({ execute }) {
  return bounded.has(execute);
}

/**
 * The same tool, with a result that fits.
 * @template {AgentTool} Tool
 * @param {Tool} tool
 * @param {ResultRule} rule
 * @returns {Tool}
 */
export function boundedTool(tool, rule) {
  /** @type {AgentTool['execute']} */
  const execute = async (args, options) => {
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

/**
 * Whether the JSON of a value surely takes more bytes than `most`, found without writing it.
 * @param {unknown} value
 * @param {number} most
 */
function isLarger(value, most) {
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
        open.push(/** @type {any} */ (next)[key]);
      }
    }
  }
  return bytes > most;
}

/**
 * @param {any} args
 * @param {number} most
 */
function refuseLarge(args, most) {
  let field = 'args';
  try {
    if (!isLarger(args, most)) return;
    field = Object.keys(args).find((name) => isLarger(args[name], most / 2)) ?? field;
  } catch {
    // What cannot be read is refused by the tool, which knows its name.
    return;
  }
  throw new ValidationError(
    `The arguments of the call are more than ${most} bytes of JSON. Pass less at once, or the path of a file that has it.`,
    { details: { field: field.slice(0, MAX_FIELD_CHARS) } },
  );
}

/**
 * @template {Record<string, AgentTool>} Tools
 * @param {Tools} tools
 * @param {ResultRule} rule
 * @returns {Tools}
 */
export function boundedTools(tools, rule) {
  const entries = Object.entries(tools).map(([name, tool]) => [name, boundedTool(tool, rule)]);
  return /** @type {Tools} */ (Object.fromEntries(entries));
}

/**
 * @param {any} output of a tool
 * @param {number} maxChars
 * @param {ResultRule['keep']} [keep]
 * @returns {Promise<any>} the output itself when it fits
 */
export async function boundedResult(output, maxChars, keep) {
  if (output instanceof Page) return output.fit(maxChars);
  if (typeof output === 'string') return shortText(output, maxChars);
  // The tool has done its work: one number that JSON cannot hold must not make a failure of it.
  const text = toJsonText(output, 'result', { unheldNumbers: 'null' });
  if (text.length <= maxChars) return output;
  const plain = parseForeignJson(text);
  if (typeof plain.success !== 'boolean')
    return withNotice(plain, maxChars, `Shown in part: ${text.length} characters in all. Ask for less.`);
  const { result, logs } = plain;
  const half = maxChars / 2;
  const told = [`This is a part of ${text.length} characters.`];
  const large = [
    { what: 'result', value: result },
    { what: 'log', value: logs },
  ].filter(({ value }) => value !== undefined && JSON.stringify(value).length > half);
  for (const { what, value } of large) {
    const paths = keep ? await keep(value) : [];
    if (paths.length > 0) told.push(`The whole ${what} is in ${paths.map((path) => `"${path}"`).join(', ')}.`);
  }
  const isRun = result !== undefined || logs !== undefined;
  told.push(
    told.length > 1
      ? 'Read on there with read_file (offset, limit), or search it with search_files and that path as glob.'
      : isRun
        ? 'Let the tool return or log less.'
        : 'Ask for less.',
  );
  return withNotice(plain, maxChars, told.join(' '));
}

/**
 * What fits of a value, with a notice that some is missing.
 * @param {any} value
 * @param {number} maxChars
 * @param {string} notice
 */
function withNotice(value, maxChars, notice) {
  const room = Math.max(MIN_CHARS, maxChars - notice.length - FRAME_CHARS);
  if (Array.isArray(value)) return preview(value, room);
  const { success, ...rest } = value;
  return { ...(success !== undefined && { success }), notice, ...preview(rest, room) };
}

/**
 * @param {string} text
 * @param {number} maxChars
 */
function shortText(text, maxChars) {
  if (text.length <= maxChars) return text;
  const note = `\n[Shown in part: ${text.length} characters in all. Ask for less.]`;
  return beginning(text, maxChars - note.length) + note;
}

/**
 * @param {unknown} error
 * @param {number} maxChars
 */
function withShortMessage(error, maxChars) {
  if (error instanceof Error && messageOf(error).length > maxChars) {
    error.message = `${beginning(error.message, maxChars)}… (${error.message.length} characters in all)`;
  }
  return error;
}
