/** What a model is told of a program that has run. */

/**
 * @typedef {import('../programs/confined_program.js').Report} Report
 * @typedef {import('../programs/confined_program.js').Text} Text
 */

/** Why a program was ended, and what to do about it. @type {Partial<Record<Report['end'], { code: string, error: string }>>} */
const ENDS = {
  timeout: {
    code: 'ERR_LIMIT',
    error:
      'It was ended after the time that programs have ("timeoutMs"). Give it less to do; nothing waits for input here.',
  },
  cpu: { code: 'ERR_LIMIT', error: 'It was ended after the processor time that programs have ("cpuMs").' },
  memory: { code: 'ERR_LIMIT', error: 'It was ended because it used more memory than programs have ("memoryMb").' },
  tasks: {
    code: 'ERR_LIMIT',
    error: 'It was ended because it started more processes and threads than programs have ("processes").',
  },
  disk: {
    code: 'ERR_LIMIT',
    error: 'It was ended because it wrote more than programs may ("folderMb", "files").',
  },
  cancelled: { code: 'ERR_ABORTED', error: 'It was ended because nobody waits for it any more.' },
};

/**
 * @param {Report} report
 * @returns {{ success: boolean, code?: string, error?: string, exitCode?: number | null, signal?: number | null }}
 */
export function endOf({ end, code, reason, hasSurvivors }) {
  if (hasSurvivors) {
    return { success: false, code: 'ERR_IO', error: 'Something of it could not be ended, so nothing was applied.' };
  }
  if (end === 'exit') return { success: code === 0, exitCode: code };
  if (end === 'signal') return { success: false, signal: code, error: `It was ended by signal ${code}.` };
  if (end === 'notStarted') {
    return { success: false, code: 'ERR_IO', error: `It could not be started: ${reason ?? 'for an unknown reason'}.` };
  }
  return { success: false, ...ENDS[end] };
}

/**
 * @param {Report} report
 * @param {{ path: string, kind: string, diff?: string }[]} changes
 * @param {{ applied?: boolean, code?: string, error?: string }} outcome of the changes
 */
export function answerOf(report, changes, outcome) {
  const { code: ended, ...ending } = endOf(report);
  const { applied, code, error } = outcome;
  const told = code ?? ended;
  return {
    ...ending,
    ...(error !== undefined && { success: false, error }),
    ...(typeof told === 'string' && { code: told }),
    stdout: textOf(report.stdout),
    stderr: textOf(report.stderr),
    changes,
    applied: applied === true,
    ...(changes.length > 0 && !ending.success && { notice: 'Nothing is applied of a program that fails.' }),
    stats: { wallMs: report.wallMs, cpuMs: report.cpuMs, memoryBytes: report.memoryBytes },
  };
}

/** @param {Text} text */
function textOf({ head, tail, leftOut }) {
  return leftOut === 0 ? head : `${head}\n[${leftOut} bytes are left out here]\n${tail}`;
}
