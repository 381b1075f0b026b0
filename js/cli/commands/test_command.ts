/** `tgp test`: runs the tests of tools once, or again on every file change. */

import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { guarded, ignored } from '../../boundary/guarded.js';
import type { TestResult } from '../../types/tests.js';
import { err } from '../terminal/output.js';
import type { Format } from '../terminal/screen.js';
import { field, json, line, styled, withProgress } from '../terminal/screen.js';
import { locateRoot, plain, TOOLS, withWorkspace } from '../workspace/workspace.js';

type Options = {
  config?: string;
  format: Format;
  watch?: boolean;
  coverage?: boolean;
  accept?: boolean;
  yes?: boolean;
  caseMs?: number;
};

/** Delay after a change: editors write a file in several steps. */
const QUIET_MS = 150;

export async function test(
  pattern: string | undefined,
  { format, config, yes, caseMs, coverage, accept, watch: isWatching }: Options,
) {
  const path = pattern === undefined ? undefined : toolPathOf(pattern);
  return withWorkspace({ config, yes, typed: 'test_tool' }, async (kernel) => {
    const run = async () => {
      const result = await withProgress(format, 'Testing', () => kernel.test(path, { caseMs, coverage, accept }));
      show(format, result);
      return result.ok ? 0 : 1;
    };
    let code = await run();
    if (!isWatching) return code;
    const { root } = await locateRoot({ config });
    for await (const _ of changes(join(root, TOOLS))) {
      line();
      code = await run();
    }
    return code;
  });
}

/** Adds the folder `tools/` to a short path: `reports/revenue` is `tools/reports/revenue`. */
function toolPathOf(pattern: string) {
  const path = plain(pattern).replace(/\/$/, '');
  return path === '.' || path === TOOLS || path.startsWith(`${TOOLS}/`) ? path : `${TOOLS}/${path}`;
}

/** Yields once for every burst of changes below a folder, until SIGINT or SIGTERM. */
async function* changes(folder: string) {
  const stop = new AbortController();
  const end = guarded(ignored, () => stop.abort());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
  try {
    let since = Date.now();
    for await (const { filename } of watch(folder, { recursive: true, signal: stop.signal })) {
      if (filename === null || Date.now() - since < QUIET_MS) continue;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      yield filename;
      since = Date.now();
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

function show(format: Format, result: TestResult) {
  if (format === 'json') {
    json(result);
    return;
  }
  for (const { path, ok, passed, failed, skipped } of result.files) {
    const verdict = ok ? styled('green', 'pass') : styled('red', 'FAIL');
    const counts = [`${passed} passed`, ...(failed > 0 ? [`${failed} failed`] : []), ...more(skipped.length)];
    line(`${verdict}  ${field(path)}  ${styled('dim', counts.join(', '))}`);
  }
  for (const { path, logs } of result.files) {
    for (const { level, message } of logs) err(`${field(path)}  ${level}: ${message}\n`);
  }
  if (result.files.length > 0) line();
  line(result.text);
}

function more(skipped: number) {
  return skipped > 0 ? [`${skipped} skipped`] : [];
}
