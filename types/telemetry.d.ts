/**
 * What is told of calls to OpenTelemetry and to the channel `tgp:call` of `node:diagnostics_channel`, beside the ledger.
 * docs/observability.md lists every name.
 */
export type TelemetryOptions = {
  /**
   * Whether spans and messages hold arguments, results and messages of errors. What looks like a secret, and what the
   * configuration knows as one, is hidden, and long values are cut; anything else that is in them reaches whoever reads the
   * traces. Default: `false`.
   */
  contents?: boolean;
};

/** A part of a run. Times are milliseconds since 1970, with fractions. */
export type TracedPhase = {
  name: 'compile' | 'queue' | 'run';
  start: number;
  end: number;
};

/** Something that a running tool has asked for: a request, a query, a file, another tool, a function of the application. */
export type TracedCall = {
  /** Its id in the ledger. */
  call: string;
  /** The call that it is part of. */
  parent?: string;
  tool: string;
  effect: string;
  start: number;
  end: number;
  /** Of its error. */
  code?: string;
  path?: string;
  verdict?: string;
  rule?: string;
};

/** What subscribers of the channel `tgp:call` are told of a call when it has ended. */
export type CallMessage = {
  /** The name of the kernel tool that was called. */
  tool: string;
  /** Its id in the ledger. */
  call?: string;
  ok: boolean;
  /** When it began, in milliseconds since 1970, with fractions. */
  start: number;
  end: number;
  /** Of its error. */
  code?: string;
  path?: string;
  effect?: string;
  session?: string;
  model?: string;
  /** Who has called: `'application'`, `'agent'`, `'mcp'`, `'cli'` or `'tool'`. */
  actor?: string;
  /** The id that the model's provider gave the call. */
  toolCall?: string;
  /** Absent without a policy. */
  verdict?: string;
  rule?: string;
  /** How many events the ledger had when the call began. */
  after?: number;
  /** What a run was made of, in order. */
  phases?: TracedPhase[];
  /** What a run has asked for. */
  calls?: TracedCall[];
  /** How many more it has asked for than are in `calls`. */
  leftOut?: number;
  /** With `contents: true`: as JSON, without what looks like a secret, cut where it is long. */
  arguments?: string;
  /** The same. */
  result?: string;
  /** Of the error, in the same way. */
  message?: string;
};
