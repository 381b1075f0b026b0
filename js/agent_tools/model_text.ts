/** Formats tool results as bounded text for a model. For failures the help comes first, so that truncation cannot remove it. */

import { TGPError } from '../boundary/errors.js';
import { toJsonText } from '../boundary/json_text.js';
import { LIMITS } from '../boundary/limits.js';
import { messageOf } from '../boundary/thrown.js';
import { boundedResult } from '../tool_shape/bounded_result.js';
import { beginning } from '../tool_shape/preview.js';
import type { TGPErrorCode } from '../types/errors.js';
import type { CheckResult, Diagnostic } from '../types/kernel.js';
import type { ExecToolResult, WriteResult } from '../types/tools.js';

const AGAIN = 'run check_tool until it is valid, then call exec_tool again.';

/** Help for a failed run, for errors whose message has no advice. */
const HELP: Partial<Record<TGPErrorCode, string>> = {
  ERR_TOOL_THROWN: `The tool threw. If an argument was wrong, correct it and call again; else repair the tool with patch_file, ${AGAIN}`,
  ERR_COMPILATION: `The source has an error. Repair the named line with patch_file, ${AGAIN}`,
  ERR_ISOLATE_TIMEOUT: `The tool ran too long. Repair it with patch_file, ${AGAIN}`,
  ERR_ISOLATE_MEMORY: `The tool used too much memory. Repair it with patch_file, ${AGAIN}`,
  ERR_RESULT: `The result cannot be returned. Repair the tool with patch_file, ${AGAIN}`,
};

/** For run_code, which has no file to repair. */
const CODE_AGAIN = 'The code failed. Correct it and call run_code again.';

/**
 * @param name of a tool
 * @param output of it
 * @returns `shown` is the value that the text was made from
 */
export async function modelText(
  name: string,
  output: unknown,
  maxChars: number = LIMITS.agent.resultChars.default,
): Promise<{ text: string; failed: boolean; shown: unknown }> {
  const failed = isFailure(output);
  const shaped = failed ? helpFirst(name, output) : isInvalid(output) ? repairFirst(output) : findingsFirst(output);
  // Results of kernel tools fit already; those of application tools are bounded here.
  const shown = await boundedResult(shaped, maxChars);
  // A test result has a text, failures first.
  const testText = name === 'test_tool' ? membersOf(shown)?.text : undefined;
  if (typeof testText === 'string') return { text: testText, failed, shown };
  // NaN and infinities become null: the tool has succeeded, so such a number must not fail the call.
  const text = typeof shown === 'string' ? shown : toJsonText(shown, 'result', { nonFiniteNumbers: 'null' });
  return { text, failed, shown };
}

type FailedRun = ExecToolResult & { success: false };

/** The members of an output of unknown type. */
function membersOf(output: unknown) {
  return output as Readonly<Record<string, unknown>> | null | undefined;
}

function isFailure(output: unknown): output is FailedRun {
  return membersOf(output)?.success === false;
}

function isInvalid(output: unknown): output is CheckResult {
  return membersOf(output)?.valid === false;
}

/** @param error what a tool rejected with */
export function modelErrorText(error: unknown, maxChars: number = LIMITS.agent.resultChars.default) {
  const message = messageOf(error);
  const code = error instanceof TGPError && !message.includes(error.code) ? ` [${error.code}]` : '';
  return beginning(message, maxChars - code.length) + code;
}

/** @param name of the tool */
function helpFirst(name: string, { success, error, code, stack, ...rest }: FailedRun) {
  const help = helpOf(name, code, rest.line);
  const frames = framesOf(stack);
  return {
    ...(help !== undefined && { help }),
    error,
    code,
    success,
    ...rest,
    ...(frames !== '' && { stack: frames }),
  };
}

/** @param name of the tool */
function helpOf(name: string, code: TGPErrorCode, line: number | undefined) {
  // Without a line the cause is the whole source, a package or the machine, and the message has its own advice.
  if (HELP[code] === undefined || (code === 'ERR_COMPILATION' && line === undefined)) return undefined;
  return name === 'run_code' ? CODE_AGAIN : HELP[code];
}

/** The frames of a stack. Empty for a single frame, which line and column repeat. */
function framesOf(stack: string | undefined = '') {
  const lines = stack.split('\n');
  const first = lines.findIndex((line) => /^ {4}at /.test(line));
  return first < 0 || first === lines.length - 1 ? '' : lines.slice(first).join('\n');
}

/** Adds help to a write with findings. */
function findingsFirst(output: unknown) {
  const result = output as WriteResult | null | undefined;
  // If the file was not committed, `problem` has the advice.
  if (!result?.findings || !(result.findings.length > 0) || result.problem !== undefined) return output;
  return { help: 'The file was written and has errors. check_tool shows what to write instead.', ...result };
}

/** Lists each finding once, with its help. */
function repairFirst({ valid, diagnostics, errors: _, typesChecked, ...rest }: CheckResult) {
  const advice = diagnostics.filter(({ severity }) => severity !== 'error').map(finding);
  return {
    help: 'The tool is not valid. Repair every error with patch_file or apply_diff, and check again.',
    errors: diagnostics.filter(({ severity }) => severity === 'error').map(finding),
    valid,
    ...(advice.length > 0 && { advice }),
    ...(typesChecked === false && { typesChecked }),
    ...rest,
  };
}

function finding({ line, column, message, help }: Diagnostic) {
  const end = /[.!?]$/.test(message) ? '' : '.';
  return `line ${line}:${column}: ${message}${help === undefined ? '' : `${end} ${help}`}`;
}
