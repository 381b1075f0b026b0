/**
 * Settings of telemetry: OpenTelemetry and the channel `tgp:call` of `node:diagnostics_channel`.
 * docs/observability.md lists every name.
 */
export type TelemetryOptions = {
  /**
   * Whether spans and messages hold arguments, results and messages of errors. Secrets of the
   * configuration and values that look like secrets are masked, and long values are truncated; everything else is visible to the
   * readers of the traces. Default: `false`.
   */
  contents?: boolean;
};

/** A part of a run. Times are milliseconds since 1970, with fractions. */
export type TracedPhase = {
  name: 'compile' | 'queue' | 'run';
  start: number;
  end: number;
};

/** A host call of a running tool: a request, a query, a file, another tool, or a function of the application. */
export type TracedCall = {
  /** Its id in the ledger. */
  call: string;
  /** The call that it is part of. */
  parent?: string;
  tool: string;
  effect: string;
  start: number;
  end: number;
  /** Error code. */
  code?: string;
  path?: string;
  verdict?: string;
  rule?: string;
};

/** The message on the channel `tgp:call` at the end of a call. */
export type CallMessage = {
  /** The name of the kernel tool that was called. */
  tool: string;
  /** Its id in the ledger. */
  call?: string;
  ok: boolean;
  /** When it began, in milliseconds since 1970, with fractions. */
  start: number;
  end: number;
  /** Error code. */
  code?: string;
  path?: string;
  effect?: string;
  session?: string;
  model?: string;
  /** The caller: `'application'`, `'agent'`, `'mcp'`, `'cli'` or `'tool'`. */
  actor?: string;
  /** The id that the model's provider gave the call. */
  toolCall?: string;
  /** Absent without a policy. */
  verdict?: string;
  rule?: string;
  /** How many events the ledger had when the call began. */
  after?: number;
  /** Phases of a run, in order. */
  phases?: TracedPhase[];
  /** Host calls of a run. */
  calls?: TracedCall[];
  /** Number of host calls that are not in `calls`. */
  leftOut?: number;
  /** With `contents: true`: as JSON, masked and truncated. */
  arguments?: string;
  /** The same. */
  result?: string;
  /** Of the error, in the same way. */
  message?: string;
};
