/** MCP tool annotations and output schemas. */

/**
 * @typedef {object} Facts
 * @property {import('@modelcontextprotocol/sdk/types.js').ToolAnnotations} annotations
 * @property {Record<string, any>} [outputSchema] only where every result is an object
 */

const text = { type: 'string' };
const count = { type: 'integer' };
const flag = { type: 'boolean' };
/** @param {Record<string, any>} items */
const list = (items) => ({ type: 'array', items });
/**
 * An object schema. Results may have more members, and truncated results fewer: only members of every result are required.
 * @param {Record<string, any>} properties
 * @param {string[]} required
 */
const object = (properties, required) => ({ type: 'object', properties, required });

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Every version of a file stays in the history, so nothing is lost. */
const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
/** A tool may fetch, call the application and write to its database. */
const RUNS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

const WRITTEN = {
  success: flag,
  path: text,
  persisted: { description: 'true: committed; false: on disk only; "local": committed, not yet pushed.' },
  commit: text,
  problem: text,
  findings: list({}),
};
const REPORT = object(
  {
    success: flag,
    notice: { ...text, description: 'What is omitted, and where it is stored.' },
    result: { description: 'What the tool returned.' },
    logs: list({}),
    stats: { type: 'object' },
    help: text,
    error: text,
    code: text,
    line: count,
    column: count,
    stack: text,
  },
  ['success'],
);

/** A preview, or the report of a call that would fail for real. */
const PREVIEW = object(
  { ...REPORT.properties, dryRun: flag, text, diffs: list({}), sql: list({}), requests: list({}), calls: list({}) },
  [],
);

/** @type {Record<string, Facts>} */
const KERNEL_TOOLS = {
  list_files: { annotations: { title: 'List files', ...READS } },
  read_file: { annotations: { title: 'Read a file', ...READS } },
  write_file: {
    annotations: { title: 'Write a file', ...WRITES, idempotentHint: true },
    outputSchema: object(WRITTEN, ['success', 'path', 'persisted']),
  },
  patch_file: {
    annotations: { title: 'Replace a text in a file', ...WRITES },
    outputSchema: object({ ...WRITTEN, matches: count, advice: text }, ['success', 'path', 'persisted', 'matches']),
  },
  apply_diff: {
    annotations: { title: 'Apply a diff to a file', ...WRITES },
    outputSchema: object({ ...WRITTEN, applied: list({}) }, ['success', 'path', 'persisted', 'applied']),
  },
  delete_file: {
    annotations: { title: 'Remove a file', ...WRITES },
    outputSchema: object(WRITTEN, ['success', 'path', 'persisted']),
  },
  move_file: {
    annotations: { title: 'Move a file', ...WRITES },
    outputSchema: object({ ...WRITTEN, relinked: list({}), mentions: list({}) }, ['success', 'path', 'persisted']),
  },
  revert_file: {
    annotations: { title: 'Bring back an earlier version of a file', ...WRITES, idempotentHint: true },
    outputSchema: object(WRITTEN, ['success', 'path', 'persisted']),
  },
  search_files: {
    annotations: { title: 'Search in files', ...READS },
    outputSchema: object({ matches: list({}), truncated: flag, files: count, notice: text }, ['matches', 'truncated']),
  },
  find_tool: { annotations: { title: 'Find a tool', ...READS } },
  file_history: { annotations: { title: "Show a file's history", ...READS } },
  check_tool: {
    annotations: { title: 'Check a tool', ...READS },
    outputSchema: object({ help: text, valid: flag, errors: list({}), diagnostics: list({}) }, ['valid']),
  },
  test_tool: {
    annotations: { title: 'Test a tool', ...READS },
    outputSchema: object({ ok: flag, passed: count, failed: count, cases: list({}), text }, ['ok', 'passed', 'failed']),
  },
  exec_tool: { annotations: { title: 'Run a tool', ...RUNS }, outputSchema: REPORT },
  run_code: { annotations: { title: 'Run code once', ...RUNS }, outputSchema: REPORT },
  exec_sql: { annotations: { title: 'Run SQL', ...RUNS, openWorldHint: false } },
  describe_schema: { annotations: { title: 'Describe the database', ...READS } },
};

/**
 * @param {string} name
 * @param {'forged' | 'given'} origin whether it is a forged tool or a tool of the application
 * @param {import('../tool_shape/agent_tool.js').Mode} calls whether calls are made or are dry runs
 * @returns {Facts}
 */
export function factsOf(name, origin, calls) {
  const facts = realFacts(name, origin);
  if (calls === 'real' || facts.annotations.readOnlyHint) return facts;
  // A preview may still send a GET.
  const annotations = { ...facts.annotations, readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  return { annotations, ...(facts.outputSchema && { outputSchema: PREVIEW }) };
}

/**
 * @param {string} name
 * @param {'forged' | 'given'} origin
 * @returns {Facts}
 */
function realFacts(name, origin) {
  const known = Object.hasOwn(KERNEL_TOOLS, name) ? KERNEL_TOOLS[name] : undefined;
  const title = name.replaceAll(/[_-]+/g, ' ').trim();
  if (origin === 'forged') return { annotations: { title, ...RUNS }, outputSchema: REPORT };
  // The effects of an application tool are unknown: the worst is assumed.
  return known ?? { annotations: { title, ...RUNS } };
}
