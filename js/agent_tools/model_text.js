/** Results as text for a model: bounded, and with a failure the way out comes first, so that no cut can lose it. */

import { TGPError } from '../boundary/errors.js';
import { toJsonText } from '../boundary/json_text.js';
import { LIMITS } from '../boundary/limits.js';
import { messageOf } from '../boundary/thrown.js';
import { boundedResult } from '../tool_shape/bounded_result.js';
import { beginning } from '../tool_shape/preview.js';

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
 * @returns {Promise<{ text: string, failed: boolean, shown: unknown }>} `shown` is what the text was made of
 */
export async function modelText(output, maxChars = LIMITS.agent.resultChars.default) {
  const failed = output?.success === false;
  const shaped = failed ? helpFirst(WAYS_OUT, output) : output?.valid === false ? repairFirst(output) : output;
  // Tools of the kernel have fitted already; those of the application are held to the same rule.
  const shown = await boundedResult(shaped, maxChars);
  // The tool has done its work: one number that JSON cannot hold must not make a failure of it.
  const text = typeof shown === 'string' ? shown : toJsonText(shown, 'result', { unheldNumbers: 'null' });
  return { text, failed, shown };
}

/**
 * @param {unknown} error what a tool rejected with
 * @param {number} [maxChars]
 */
export function modelErrorText(error, maxChars = LIMITS.agent.resultChars.default) {
  const message = messageOf(error);
  const code = error instanceof TGPError && !message.includes(error.code) ? ` [${error.code}]` : '';
  return beginning(message, maxChars - code.length) + code;
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
