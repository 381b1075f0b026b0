/** Traces as the addon reports them, without a kernel. */

/** @typedef {import('../../dist/telemetry/call_message.js').Trace} Trace */

export const CALL = {
  tool: 'exec_tool',
  caller: { session: 's1', agent: 'agent' },
  path: 'tools/report.ts',
  effect: 'run',
  toolCall: 'call-7',
  args: { city: 'Bern', api_key: 'hunter2' },
};

/** The redaction of a kernel without secrets. @param {string} text */
export const unredacted = (text) => text;

/** A logger that keeps its lines. */
export function memoryLog() {
  /** @type {string[]} */
  const lines = [];
  const keep = (/** @type {string} */ line) => {
    lines.push(line);
  };
  return { lines, log: { debug: keep, info: keep, warn: keep, error: keep } };
}

/**
 * A run of 12 ms that has asked for rows, then for another tool, which has made a request.
 * @param {Partial<Trace>} [changes]
 * @returns {Trace}
 */
export function traceOf(changes = {}) {
  const start = Date.now();
  const call = (/** @type {any} */ own) => ({ start: start + 4, end: start + 5, effect: 'read', ...own });
  return {
    call: 'aaaaaaaa-1',
    after: 41,
    phases: [
      { name: 'compile', start: start + 0.25, end: start + 1 },
      { name: 'queue', start: start + 1, end: start + 2 },
      { name: 'run', start: start + 2, end: start + 12 },
    ],
    calls: [
      // The inner one ends first.
      call({ call: 'aaaaaaaa-4', parent: 'aaaaaaaa-3', tool: 'fetch', effect: 'net', start: start + 7 }),
      call({ call: 'aaaaaaaa-2', parent: 'aaaaaaaa-1', tool: 'exec_sql', effect: 'sql' }),
      call({ call: 'aaaaaaaa-3', parent: 'aaaaaaaa-1', tool: 'exec_tool', path: 'tools/b.ts', start: start + 6 }),
    ],
    ...changes,
  };
}
