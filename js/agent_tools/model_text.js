/** Results as text for a model: bounded, and with a failure the way out comes first, so that no cut can lose it. */

import { TGPError } from '../boundary/errors.js';
import { toJsonText } from '../boundary/json_text.js';
import { messageOf } from '../boundary/thrown.js';

/** About four thousand tokens: enough for any report, too little to drown a conversation. */
const MAX_CHARS = 16_000;

const REPAIR = 'repair it with patch_file, run check_tool until it is valid, then call exec_tool again.';

/**
 * What to do about a failed run. Codes that are not here have messages that say it themselves.
 * @type {Partial<Record<import('../../index.js').TGPErrorCode, string>>}
 */
const WAYS_OUT = {
  ERR_TOOL_THROWN: `The tool threw. Read the named line, ${REPAIR}`,
  ERR_COMPILATION: `The source does not compile. Read the named line, ${REPAIR}`,
  ERR_ISOLATE_TIMEOUT: `The tool ran too long. Look for an endless loop or do less per run, ${REPAIR}`,
  ERR_ISOLATE_MEMORY: `The tool used too much memory. Work on less data at a time, ${REPAIR}`,
  ERR_RESULT: `The result cannot be handed back. Return less, and only plain data: ${REPAIR}`,
};

/**
 * @param {any} output of a tool
 * @param {number} [maxChars]
 * @returns {{ text: string, failed: boolean }}
 */
export function modelText(output, maxChars = MAX_CHARS) {
  const failed = output?.success === false;
  const shaped = failed ? helpFirst(WAYS_OUT, output) : output?.valid === false ? repairFirst(output) : output;
  // The tool has done its work: one number that JSON cannot hold must not make a failure of it.
  const text = typeof shaped === 'string' ? shaped : toJsonText(shaped, 'result', { unheldNumbers: 'null' });
  return { text: cut(text, maxChars), failed };
}

/**
 * @param {unknown} error what a tool rejected with
 * @param {number} [maxChars]
 */
export function modelErrorText(error, maxChars = MAX_CHARS) {
  const message = messageOf(error);
  const code = error instanceof TGPError && !message.includes(error.code) ? ` [${error.code}]` : '';
  return cut(`${message}${code}`, maxChars);
}

/**
 * @param {Partial<Record<string, string>>} waysOut
 * @param {{ success: false, error: string, code: string }} output
 */
function helpFirst(waysOut, { success, error, code, ...rest }) {
  const help = waysOut[code];
  return { ...(help !== undefined && { help }), error, code, success, ...rest };
}

/** @param {import('../../index.js').CheckResult} output */
function repairFirst({ valid, errors, diagnostics }) {
  const hints = diagnostics.flatMap(({ severity, line, help }) =>
    severity === 'error' && help !== undefined ? [`line ${line}: ${help}`] : [],
  );
  const help = ['The tool is not valid. Repair it with patch_file and check again.', ...new Set(hints)].join(' ');
  return { help, errors, valid, diagnostics };
}

/**
 * @param {string} text
 * @param {number} maxChars
 */
function cut(text, maxChars) {
  if (text.length <= maxChars) return text;
  const notice = `[Only the first ${maxChars} of ${text.length} characters follow. Ask for less to see the rest.]\n`;
  // Half of a surrogate pair at the end would make the text invalid.
  const kept = text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
  return `${notice}${kept}`;
}
