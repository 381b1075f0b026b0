/** The columns of the table of agent tools, and what its rows have in common. */

import { type ZodObject, z } from 'zod';

/** MCP annotations. */
type Hints = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

export type AgentToolRow = {
  /** For people. */
  title: string;
  /** For models. */
  description: string;
  parameters: ZodObject;
  /** The type of the result, made by {@link resultType}; it has no value. SQL tools declare theirs in `SqlTools`. */
  result?: unknown;
  /** A call, for tests: with each argument that rules can match. */
  example: Record<string, unknown>;
  /** Whether it exists only with a database. */
  database?: true;
  hints: Hints;
  /** JSON Schema of the result; only where every result is an object. */
  output?: Record<string, unknown>;
  /** Arguments that select a part of the answer; policy and ledger do not see them. */
  paging?: string[];
  /** The list of an agent's summary that has the paths of its calls. */
  summary?: 'changed' | 'reused' | 'tested';
  /** Whether it may create a file. */
  creates?: boolean;
  /** Text argument that an approver sees line by line. */
  lines?: string;
  /** Row of `docs/agent_tools.md`. */
  docs?: { arguments: string; about: string };
};

/** The MCP hints of a tool that only reads. */
export const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
/** Every version of a file stays in the history, so nothing is lost. */
export const WRITES = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const;
/** A tool may fetch, call the application and write to its database. */
export const RUNS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true } as const;

/** The type of a result, for the column `result`. */
export const resultType = <Result>(): Result => undefined as Result;

/** The schema of a text that is not empty. */
export const someText = z.string().min(1);
/** The schema of an optional number above zero. */
export const positive = z.int().positive().optional();
/** The schema of the argument `path`. */
export const path = someText.describe('Path relative to the root, such as "tools/reports/revenue.ts".');
/** The schema of the argument `why`. */
export const why = z
  .string()
  .optional()
  .describe('Reason for the change, in one short line, for the history of the file.');
