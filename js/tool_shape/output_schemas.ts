/** JSON Schemas of tool results, for MCP clients. */

type OutputSchema = Record<string, unknown>;

/** A string. */
export const text = { type: 'string' };
/** An integer. */
export const count = { type: 'integer' };
/** A boolean. */
export const flag = { type: 'boolean' };

/** An array. */
export const list = (items: OutputSchema) => ({ type: 'array', items });

/**
 * An object schema. Results may have more members, and truncated results fewer: only members of every result are required.
 */
export const object = (properties: Record<string, OutputSchema>, required: string[]) => ({
  type: 'object',
  properties,
  required,
});

/**
 * The result of a file change.
 * @param more properties of this tool
 * @param required those of them that every result has
 */
export const written = (more: Record<string, OutputSchema> = {}, required: string[] = []) =>
  object(
    {
      success: flag,
      path: text,
      persisted: { description: 'true: committed; false: on disk only; "local": committed, not yet pushed.' },
      commit: text,
      problem: text,
      findings: list({}),
      ...more,
    },
    ['success', 'path', 'persisted', ...required],
  );

/** The report of a run. */
export const REPORT = object(
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
export const PREVIEW = object(
  { ...REPORT.properties, dryRun: flag, text, diffs: list({}), sql: list({}), requests: list({}), calls: list({}) },
  [],
);
