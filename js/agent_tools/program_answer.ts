/** The result of `run_program` for a model. */

import type { Report, Text } from '../programs/confined_program.js';

/** The error for each reason why a program was ended. */
const ENDS: Partial<Record<Report['end'], { code: string; error: string }>> = {
  timeout: {
    code: 'ERR_LIMIT',
    error:
      'The program reached the time limit ("timeoutMs") and was ended. Give it less to do; it must not wait for input.',
  },
  cpu: { code: 'ERR_LIMIT', error: 'The program reached the CPU time limit ("cpuMs") and was ended.' },
  memory: { code: 'ERR_LIMIT', error: 'The program reached the memory limit ("memoryMb") and was ended.' },
  tasks: {
    code: 'ERR_LIMIT',
    error: 'The program reached the limit of processes and threads ("processes") and was ended.',
  },
  disk: {
    code: 'ERR_LIMIT',
    error: 'The program reached the disk limit ("folderMb", "files") and was ended.',
  },
  cancelled: { code: 'ERR_ABORTED', error: 'The program was ended because the call was aborted.' },
};

/** How a program ended, in the terms of the result. */
export function endOf({ end, code, reason, hasSurvivors }: Report): {
  success: boolean;
  code?: string;
  error?: string;
  exitCode?: number | null;
  signal?: number | null;
} {
  if (hasSurvivors) {
    return {
      success: false,
      code: 'ERR_IO',
      error: 'A process of the program could not be ended, so no change was applied.',
    };
  }
  if (end === 'exit') return { success: code === 0, exitCode: code };
  if (end === 'signal') return { success: false, signal: code, error: `The program was ended by signal ${code}.` };
  if (end === 'notStarted') {
    return {
      success: false,
      code: 'ERR_IO',
      error: `The program could not be started: ${reason ?? 'unknown reason'}.`,
    };
  }
  return { success: false, ...ENDS[end] };
}

/** @param outcome of the changes */
export function answerOf(
  report: Report,
  changes: { path: string; kind: string; diff?: string }[],
  outcome: { applied?: boolean; code?: string; error?: string },
) {
  const { code: ended, ...ending } = endOf(report);
  const { applied, code, error } = outcome;
  const errorCode = code ?? ended;
  return {
    ...ending,
    ...(error !== undefined && { success: false, error }),
    ...(typeof errorCode === 'string' && { code: errorCode }),
    stdout: textOf(report.stdout),
    stderr: textOf(report.stderr),
    changes,
    applied: applied === true,
    ...(changes.length > 0 && !ending.success && { notice: 'The program failed, so no change was applied.' }),
    stats: { wallMs: report.wallMs, cpuMs: report.cpuMs, memoryBytes: report.memoryBytes },
  };
}

function textOf({ head, tail, leftOut }: Text) {
  return leftOut === 0 ? head : `${head}\n[${leftOut} bytes are left out here]\n${tail}`;
}
