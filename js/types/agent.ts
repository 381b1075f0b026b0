/** Agents: options, budgets, events and results. */

import type { TGPErrorCode } from './errors.js';
import type { ApprovalRequest, Approve } from './policy.js';
import type { Mode } from './tests.js';
import type { ToolSet } from './tools.js';

/** The budget of an agent run. It is checked before each turn of the model, so that no call is interrupted. */
export type AgentBudget = {
  /** Tokens in and out together, as the provider reports them. */
  tokens?: number;
  /** Turns of the model. Default: 100. */
  steps?: number;
  /** In the currency of `prices`, which are required. */
  money?: number;
  /** Time in milliseconds. A running call is completed; a turn of the model is aborted. */
  ms?: number;
};

/** Prices of a model per million tokens. */
export type AgentPrices = {
  input: number;
  output: number;
  /** Price of cached input. Default: `input`. */
  cachedInput?: number;
};

/** Options of {@link TGP.agent}. */
export type AgentOptions = {
  /**
   * A model of the AI SDK (`openai('gpt-…')`), or its name: `openai/…`, `anthropic/…`, `compatible:<url>/<model>`. Their packages
   * are optional; the error for a missing package has the command to install it.
   */
  model: any;
  /** Instructions after `kernel.getSystemPrompt()`. */
  instructions?: string;
  /** Test mode: whether a tool needs a test first. */
  mode?: Mode;
  budget?: AgentBudget;
  /** Token prices of this model, or prices by model id. */
  prices?: AgentPrices | Record<string, AgentPrices>;
  /** The approver of calls that need approval, instead of the kernel's own `approve`. */
  approve?: Approve;
  /** Maximum number of tokens of a prompt and its answer together. Older results are replaced by references. Default: 100 000. */
  contextTokens?: number;
  /** Additional tools of the application. Their calls are subject to the policy (effect `app`), approval and the ledger. */
  tools?: ToolSet;
  /** Whether every call is a dry run, which changes nothing. */
  dryRun?: boolean;
  /** The session of the next run; an existing session continues. Default: a new session for each run. */
  session?: string;
  /** The agent's name, for the ledger and for rules (`principal`). */
  name?: string;
  /** A capability token that limits what the agent can do. */
  token?: string;
  /** Maximum number of attempts for a turn that a provider fails to return. Default: 5. */
  attempts?: number;
};

/** Options of {@link Agent.run}. */
export type AgentRunOptions = {
  /** The session: a new name starts a session, an existing name continues it. Default: the session of the agent, or a new one. */
  session?: string;
  /**
   * Resumes an interrupted session with its own task. No call is repeated: a completed call keeps its result, and a call with an
   * unknown outcome is reported to the model as unknown.
   */
  resume?: boolean;
  /** Ends the run with the outcome `interrupted`. It can be resumed. */
  signal?: AbortSignal;
};

/** The summary of a run. */
export type AgentSummary = {
  /** Tools that did not exist before. */
  forged: string[];
  /** Existing tools that were run. */
  reused: string[];
  /** Tools and test files whose tests were run. */
  tested: string[];
  /** Files that were written, changed, moved or removed, without forged tools. */
  changed: string[];
  /** How many calls were made. */
  calls: number;
  /** Turns of the model. */
  steps: number;
  tokens: { input: number; output: number; total: number };
  /** Only with `prices`. */
  money?: number;
  ms: number;
};

/**
 * How a run ended. `done`: the model has answered. `failed`: the provider or something else failed, see `error`.
 * `refused`: the model refused, or its last call was denied or not approved. `budget`: a budget limit was reached.
 * `interrupted`: by the signal, or by `kernel.shutdown()`.
 */
export type AgentOutcome = 'done' | 'failed' | 'refused' | 'budget' | 'interrupted';

/** The result of a run. */
export type AgentResult = {
  session: string;
  outcome: AgentOutcome;
  /** The last text of the model. */
  text: string;
  summary: AgentSummary;
  /** The reason, unless the outcome is `done`. */
  error?: { code: TGPErrorCode | 'ERR_BUDGET' | 'ERR_PROVIDER'; message: string };
};

/** A run has started or was resumed. */
export type AgentStartEvent = { type: 'start'; session: string; task: string; model: string; resumed: boolean };
/** The model requests a call. It is made now only if `from` of its result is `made`. */
export type AgentToolCallEvent = {
  type: 'tool_call';
  step: number;
  /** Its id in the session, such as `c12`, which `read_result` takes. */
  call: string;
  tool: string;
  args: any;
  /** The file or tool of the call. */
  path?: string;
};
/** The result of a call. */
export type AgentToolResultEvent = {
  type: 'tool_result';
  step: number;
  call: string;
  tool: string;
  path?: string;
  ok: boolean;
  /** As the model reads it. */
  result: any;
  /** For a call that failed or was refused; `ERR_VALIDATION` for invalid arguments and unknown tools. */
  code?: string;
  error?: string;
  /** `made`: made now; `ledger`: made before the session was resumed; `unknown`: started before that, outcome unknown. */
  from: 'made' | 'ledger' | 'unknown';
  ms: number;
};
/** A piece of the model's text, streamed. */
export type AgentTextEvent = { type: 'text'; step: number; text: string };
/** An approval was requested or answered. */
export type AgentApprovalEvent = {
  type: 'approval';
  state: 'asked' | 'answered';
  request: Omit<ApprovalRequest, 'signal'>;
  approved?: boolean;
  by?: string;
  reason?: string;
};
/** The provider failed; the turn is retried after a pause. Earlier `text` of this step is void. */
export type AgentRetryEvent = {
  type: 'retry';
  step: number;
  /** The attempt that failed, from 1 on. */
  attempt: number;
  waitMs: number;
  reason: string;
};
/** Older results were replaced by references, so that the conversation fits `contextTokens`. */
export type AgentCompactedEvent = {
  type: 'compacted';
  step: number;
  /** Number of results that are references now, and of steps that were omitted. */
  results: number;
  steps: number;
  /** Tokens before and after, estimated. */
  before: number;
  after: number;
};
/** Token usage of a turn. */
export type AgentUsageEvent = {
  type: 'usage';
  step: number;
  input: number;
  output: number;
  /** Of the run so far. */
  total: number;
  money?: number;
};
/** The last event of every run. */
export type AgentEndEvent = { type: 'end' } & AgentResult;

/**
 * The events of a run. `tool_call` comes before the `tool_result` of the call, `text` after the results that it is based on, and
 * `end` last, once.
 */
export type AgentEvent =
  | AgentStartEvent
  | AgentToolCallEvent
  | AgentToolResultEvent
  | AgentTextEvent
  | AgentApprovalEvent
  | AgentRetryEvent
  | AgentCompactedEvent
  | AgentUsageEvent
  | AgentEndEvent;

/**
 * A started run. Iterating it yields every event in order; the run waits for a slow reader, and drops no event. Iterating is
 * optional: `result` is enough. Leaving the loop early interrupts the run.
 */
export type AgentRun = AsyncIterable<AgentEvent> & {
  readonly session: string;
  /** Does not reject when the run fails: see `outcome` and `error`. */
  readonly result: Promise<AgentResult>;
};

/** An agent: a model with the tools of a kernel. */
export type Agent = {
  /**
   * Works on a task.
   * @example
   * const run = kernel.agent({ model }).run('How many orders came in yesterday?');
   * for await (const event of run) if (event.type === 'text') process.stdout.write(event.text);
   * const { outcome, summary } = await run.result;
   * @param task the task. Optional with `resume`; then it is sent to the model as a further message.
   * @throws {ValidationError} for invalid options
   */
  run(task?: string, options?: AgentRunOptions): AgentRun;
};

/** A session of an agent, as recorded in the ledger. */
export type AgentSession = {
  session: string;
  /** `open`: it can be resumed or get another task. `running`: in this or another process. `closed`: it cannot be continued. */
  state: 'open' | 'running' | 'closed';
  /** The last task. */
  task: string;
  model: string;
  /** Times of its start and of its last event, in UTC. */
  started: string;
  updated: string;
  /** Of the last run. Missing while it runs, and if its process was killed. */
  outcome?: AgentOutcome;
  text?: string;
  summary?: AgentSummary;
};

/** A session with its conversation. */
export type AgentSessionDetail = AgentSession & {
  steps: {
    step: number;
    text: string;
    calls: { call: string; tool: string; args: any; state: 'ok' | 'failed' | 'open' }[];
  }[];
};

/**
 * `kernel.sessions`: the conversations of agents, of this and other processes. With `ledger: false` every method fails with {@link
 * LedgerError}.
 */
export type KernelSessions = {
  /** Newest first. */
  list(options?: { limit?: number; state?: AgentSession['state'] }): Promise<AgentSession[]>;
  /** @throws {NotFoundError} when there is no session of this name */
  get(session: string): Promise<AgentSessionDetail>;
  /** Closes the session: it cannot be continued. Its record is kept. */
  close(session: string): Promise<void>;
  /**
   * The turns of the model, one line of JSON each, with secrets masked, for {@link replayModel}.
   * @example
   * const lines = await Array.fromAsync(kernel.sessions.recording('order-77'));
   */
  recording(session: string): AsyncIterableIterator<string>;
};
