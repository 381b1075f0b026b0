import type { TGPErrorCode } from './errors.js';
import type { ApprovalRequest, Approve } from './policy.js';
import type { ToolSet } from './tools.js';

/** What a run of an agent may use up. It is checked before each turn of the model: no call is left half-done. */
export type AgentBudget = {
  /** Tokens in and out together, as the provider reports them. */
  tokens?: number;
  /** Turns of the model. Default: 100. */
  steps?: number;
  /** In the unit of `prices`, which must be given. */
  money?: number;
  /** Time in milliseconds. A call that is being made is waited for; a turn of the model is not. */
  ms?: number;
};

/** What a million tokens of a model cost. */
export type AgentPrices = {
  input: number;
  output: number;
  /** Of input that the provider had cached. Default: `input`. */
  cachedInput?: number;
};

/** Options of {@link TGP.agent}. */
export type AgentOptions = {
  /**
   * A model of the AI SDK (`openai('gpt-…')`), or its name: `openai/…`, `anthropic/…`, `compatible:<url>/<model>`. Their packages
   * are optional; one that is missing is named with the command that installs it.
   */
  model: any;
  /** What the model is told beside `kernel.getSystemPrompt()`. */
  instructions?: string;
  /** How strictly tests come first. */
  mode?: 'explore' | 'strict' | 'debug';
  budget?: AgentBudget;
  /** What tokens cost: of this model, or by the id of the model. */
  prices?: AgentPrices | Record<string, AgentPrices>;
  /** Who is asked about calls that the policy wants approved, in the place of the kernel's own `approve`. */
  approve?: Approve;
  /** Most tokens that the model is sent and may answer, together. Older results then give way to references. Default: 100 000. */
  contextTokens?: number;
  /** Tools of your own beside those of the kernel. Their calls pass the same door: policy (`app`), approval, ledger. */
  tools?: ToolSet;
  /** Nothing is changed: every call that would is answered by a preview. */
  dryRun?: boolean;
  /** The name of the session of the next run; one that exists goes on with its conversation. Default: a new one for each run. */
  session?: string;
  /** The agent's name, for the ledger and for rules (`principal`). */
  name?: string;
  /** A capability token: the agent can do what it covers, and nothing else. */
  token?: string;
  /** How often a turn of the model is asked for that a provider fails to give. Default: 5. */
  attempts?: number;
};

/** Options of {@link Agent.run}. */
export type AgentRunOptions = {
  /** The session: a new name begins one, a known name goes on with its conversation. Default: that of the agent, or a new one. */
  session?: string;
  /**
   * Goes on where a session stopped, with its own task. What was done is not done again: a call with a result has it already, and
   * of one whose end nobody knows the model is told so.
   */
  resume?: boolean;
  /** Ends the run with the outcome `interrupted`. It can be resumed. */
  signal?: AbortSignal;
};

/** What came of what was asked for, and of what the session did on the way. */
export type AgentSummary = {
  /** Tools that did not exist before. */
  forged: string[];
  /** Tools that were there and were run. */
  reused: string[];
  /** Tools and test files that tests were run of. */
  tested: string[];
  /** Files that were written, changed, moved or removed; without those that were forged. */
  changed: string[];
  /** How many calls were made. */
  calls: number;
  /** Turns of the model. */
  steps: number;
  tokens: { input: number; output: number; total: number };
  /** With `prices`. */
  money?: number;
  ms: number;
};

/**
 * How a run ended. `done`: the model has answered. `failed`: the provider or something else did not work; `error` says what.
 * `refused`: the model refused, or its last call was denied or not approved. `budget`: something is used up.
 * `interrupted`: by the signal, or by `kernel.shutdown()`.
 */
export type AgentOutcome = 'done' | 'failed' | 'refused' | 'budget' | 'interrupted';

/** What a run gives. */
export type AgentResult = {
  session: string;
  outcome: AgentOutcome;
  /** The model's last words. */
  text: string;
  summary: AgentSummary;
  /** Why, unless it is `done`. */
  error?: { code: TGPErrorCode | 'ERR_BUDGET' | 'ERR_PROVIDER'; message: string };
};

/** A run has begun, or goes on. */
export type AgentStartEvent = { type: 'start'; session: string; task: string; model: string; resumed: boolean };
/** The model wants a call. It is made now, unless `from` says that it has been made before. */
export type AgentToolCallEvent = {
  type: 'tool_call';
  step: number;
  /** Its name in the session, such as `c12`; `read_result` takes it. */
  call: string;
  tool: string;
  args: any;
  /** The file or tool that it is about. */
  path?: string;
};
/** What came of a call. */
export type AgentToolResultEvent = {
  type: 'tool_result';
  step: number;
  call: string;
  tool: string;
  path?: string;
  ok: boolean;
  /** As the model reads it. */
  result: any;
  /** Of a call that failed or was refused. */
  code?: string;
  error?: string;
  /** `made` now; `ledger`: it was made before the session was resumed; `unknown`: it had begun then, and nobody knows its end. */
  from: 'made' | 'ledger' | 'unknown';
  ms: number;
};
/** A piece of what the model says, as it comes. */
export type AgentTextEvent = { type: 'text'; step: number; text: string };
/** Somebody is asked about a call, or has answered. */
export type AgentApprovalEvent = {
  type: 'approval';
  state: 'asked' | 'answered';
  request: Omit<ApprovalRequest, 'signal'>;
  approved?: boolean;
  by?: string;
  reason?: string;
};
/** The provider has failed, and the turn is asked for again after a pause. What `text` said of this step does not count. */
export type AgentRetryEvent = {
  type: 'retry';
  step: number;
  /** The attempt that failed, from 1 on. */
  attempt: number;
  waitMs: number;
  reason: string;
};
/** Older results have given way to references, so that the conversation fits `contextTokens`. */
export type AgentCompactedEvent = {
  type: 'compacted';
  step: number;
  /** Calls whose results are references now, and steps that were left out as a whole. */
  results: number;
  steps: number;
  /** Tokens before and after, estimated. */
  before: number;
  after: number;
};
/** What a turn of the model has used. */
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
 * What happens in a run. Of each call `tool_call` comes before its `tool_result`, the answer's `text` after the results that it
 * rests on, and `end` last, once.
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
 * A run that has begun. Whoever iterates gets every event in order; the run waits for a slow reader after some events, and drops
 * none. Whoever does not iterate need not: `result` is enough. Leaving the loop early interrupts the run.
 */
export type AgentRun = AsyncIterable<AgentEvent> & {
  readonly session: string;
  /** Never rejects for what happens in the run: `outcome` and `error` tell. */
  readonly result: Promise<AgentResult>;
};

/** A model with the tools of a kernel. */
export type Agent = {
  /**
   * Works on a task.
   * @example
   * const run = kernel.agent({ model }).run('How many orders came in yesterday?');
   * for await (const event of run) if (event.type === 'text') process.stdout.write(event.text);
   * const { outcome, summary } = await run.result;
   * @param task what to do. With `resume` it may be left out; one that is given is said to the model as well.
   * @throws {ValidationError} for options that cannot be meant
   */
  run(task?: string, options?: AgentRunOptions): AgentRun;
};

/** A conversation of an agent, as the ledger has it. */
export type AgentSession = {
  session: string;
  /** `open`: it can be resumed, or be given another task. `running`: in this or another process. `closed`: nothing more of it. */
  state: 'open' | 'running' | 'closed';
  /** The last task. */
  task: string;
  model: string;
  /** When it began, and when something happened last; universal time. */
  started: string;
  updated: string;
  /** Of the last run. Missing while it runs, and after a process that was killed. */
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

/** `kernel.sessions`: the conversations of agents, of this and other processes. With `ledger: false` all of it is a {@link LedgerError}. */
export type KernelSessions = {
  /** Newest first. */
  list(options?: { limit?: number; state?: AgentSession['state'] }): Promise<AgentSession[]>;
  /** @throws {NotFoundError} when there is none of this name */
  get(session: string): Promise<AgentSessionDetail>;
  /** Nothing more can be done in it; its record stays. */
  close(session: string): Promise<void>;
  /**
   * The turns of the model, one line of JSON each, secrets masked: what {@link replayModel} takes.
   * @example
   * const lines = await Array.fromAsync(kernel.sessions.recording('order-77'));
   */
  recording(session: string): AsyncIterableIterator<string>;
};

/**
 * A model that says what another one said: the same turns in the same order, whatever it is asked.
 * @example
 * const agent = kernel.agent({ model: replayModel(await readFile('session.ndjson', 'utf8')) });
 * @param recording lines of {@link KernelSessions.recording}, or all of them as one text
 * @throws {ValidationError} when it is no recording
 */
export declare function replayModel(recording: string | Iterable<string>): any;
