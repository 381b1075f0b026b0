import type { ApprovalError, DeniedError } from './errors.js';

/** What a call does: the words that rules name. */
export type CallEffect = 'read' | 'write' | 'run' | 'sql' | 'net' | 'app' | 'shell';

/** The verdict on a call, and why. It is in `details` of {@link DeniedError} and {@link ApprovalError}. */
export type Verdict = {
  verdict: 'allow' | 'ask' | 'deny';
  /** The id of the rule, or `default`, or `token`. */
  rule: string;
  /** Where it is written: file and line, such as `tgp.policy.yaml:6`. */
  at: string;
  reason: string;
  /** The nearest thing that would be allowed, in words a model can act on. */
  nearest?: string;
};

/** A call as a policy function and an approver see it. */
export type PolicyCall = {
  tool: string;
  effect: CallEffect;
  /** The file that it is about. */
  path?: string;
  /** The arguments by name; by position for functions of the application. Missing where they are too long. */
  args?: any;
  /** The name of the call in the ledger, and of the run that makes it. */
  call: string;
  parent?: string;
  session?: string;
  /** What kind of caller it is: `application`, `agent`, `mcp`, `cli`. */
  agent: string;
};

/** A call that needs approval. */
export type ApprovalRequest = PolicyCall &
  Omit<Verdict, 'verdict'> & {
    /** The name of this request; it counts once, for exactly this call. */
    id: string;
    verdict: 'ask';
    /** A hash of the text that would run, with all that it imports. */
    text?: string;
    /** How long the arguments are, where they are too long to be here: what is not shown should not be approved. */
    hiddenBytes?: number;
    /** What else it reaches: the other side of a move, files whose imports follow, what a change brings with it. */
    also?: { effect: CallEffect; paths: string[] }[];
    /**
     * What a rule would say that allows exactly this call for good: these arguments, and this text of a tool.
     * `{ approved: true, always: true }` writes it into the policy file; `always: { any: ['/amount', 'text'] }` writes it without
     * the conditions that are named. Missing where no rule could: the policy is not a file, a rule asks (which is stricter than one that allows), or the
     * reach of the call is unknown.
     */
    always?: PolicyConditions & { allow: string[] };
    /** Fires when the answer is no longer awaited. */
    signal: AbortSignal;
  };

/** The answer to a request. `by` goes into the ledger, `reason` to the caller too. */
export type ApprovalAnswer =
  | boolean
  | { approved: boolean; always?: boolean | { any: string[] }; by?: string; reason?: string };

/**
 * Asks a person or a program for approval. What it throws, and silence for longer than `agent.approvalMs`, is a refusal.
 *
 * @example
 * new TGP({ config: { policy: 'safe' }, approve: async ({ tool, path, reason }) => ({ approved: await askOnSlack(tool, path, reason), by: 'ann' }) });
 */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** What a policy function says. A failure or anything else is `deny`. */
export type PolicyAnswer = Verdict['verdict'] | { verdict: Verdict['verdict']; rule?: string; reason?: string };

/**
 * Decides in the place of rules: where Cedar, OPA or code of your own is asked. It is asked for every call, and for each file that the
 * call reaches beside what it names, as a call about that file: `read_file` for one that is read, `exec_tool` for one that is run. The
 * strictest answer holds for all.
 */
export type PolicyFunction = (call: PolicyCall) => PolicyAnswer | Promise<PolicyAnswer>;

/** Conditions of a rule. All of them must hold; of the entries of one, one. */
export type PolicyConditions = {
  /** Globs of files: `*` stays within a folder, `**` does not. */
  paths?: string[];
  /** Hosts, `*.example.com` for all below one, with or without a port. */
  hosts?: string[];
  methods?: string[];
  /** Tables and verbs of SQL. */
  tables?: string[];
  verbs?: string[];
  /** Hashes of the texts of tools that run, as an approval request has them. */
  text?: string[];
  /** Values of arguments, by JSON pointer: a value, a list of values, `{ equals }`, `{ glob }`, `{ absent: true }` or `{ sha256 }`. */
  args?: Record<string, unknown>;
  principal?: unknown;
  mode?: unknown;
};

/** One rule: what it says, and of which effects or tools. */
export type PolicyRule = PolicyConditions & {
  id: string;
  reason?: string;
  allow?: string[];
  ask?: string[];
  deny?: string[];
};

/** Rules as an object; the file has the same members. */
export type PolicyRules = {
  version?: 1;
  /** What is said where no rule speaks. */
  default?: Verdict['verdict'];
  rules?: PolicyRule[];
  /** Calls and what must be said of them; rules that say otherwise do not come into force. */
  tests?: { name?: string; call: Record<string, unknown>; expect: Verdict['verdict'] }[];
};

/** `allow` (the default), `safe` (reading is allowed, everything else asks), the path of a file, rules, or a function. */
export type PolicyInput = 'allow' | 'safe' | (string & {}) | PolicyRules | PolicyFunction;

/** Keys and revocations of capability tokens. */
export type TokensConfigInput = {
  /**
   * Keys, of at least 32 bytes each and made at random: the first issues, the others are older ones whose tokens still count.
   * Default: one that is made at boot, so that tokens end with the kernel.
   */
  keys?: string[];
  /** Names of tokens that no longer count, with all that were made from them. */
  revoked?: string[];
};

/** What a token is narrowed to: it allows what all of its caveats cover, and nothing else. */
export type TokenCaveats = PolicyConditions & {
  /** Effects or tools. */
  allow?: string[];
  /** Alternatives, of which one must cover the whole call. */
  anyOf?: (PolicyConditions & { allow?: string[] })[];
  /** Milliseconds since 1970, or a moment such as `2026-12-31T12:00:00Z`. */
  expires?: number | string;
  /** How many calls may be made with it; what a run asks for is part of its call. */
  calls?: number;
  /** How many milliseconds its calls may take together. */
  budget?: number;
};

/** `kernel.policy`: what the rules say, and what others would have said. */
export type KernelPolicy = {
  /**
   * Whether rules can be meant: those in force, or others.
   *
   * @throws {ConfigError} with file and line
   */
  check(policy?: PolicyInput): Promise<{ version: string; rules: number }>;
  /**
   * What rules say of a call, written as tests in a policy write it: `{ tool, args }`, and `principal`, `effects`, `paths` and so on
   * where the arguments do not tell.
   *
   * @throws {ConfigError} for a call or rules that are not valid
   */
  explain(call: Record<string, unknown>, policy?: PolicyInput): Promise<Verdict>;
  /**
   * What other rules would have said of the calls in the ledger.
   *
   * @throws {ConfigError} for rules that are not valid
   */
  replay(
    policy: PolicyInput,
    options?: { limit?: number },
  ): Promise<{
    judged: number;
    stricter: number;
    milder: number;
    changes: { call: number; tool: string; before: Verdict; after: Verdict }[];
  }>;
};

/**
 * A token that allows less: what it allowed, as far as these caveats cover it too. It needs neither a key nor a kernel.
 *
 * @throws {ValidationError} for caveats that are not valid
 * @throws {DeniedError} for what is not a token
 */
export declare function attenuate(token: string, caveats: TokenCaveats): string;

/**
 * A request as a person should see it before saying yes: whole, with every hidden character spelt out and a hash of all of it. The
 * terminal and the forms of MCP show the same. A call that the AI SDK has approved is given as `{ tool: toolName, args: input }`.
 *
 * @example
 * new TGP({ config: { policy: 'safe' }, approve: async (request) => askOnSlack(approvalText(request)) });
 */
export declare function approvalText(
  request: Pick<PolicyCall, 'tool'> & Partial<Omit<ApprovalRequest, 'tool' | 'signal'>>,
): string;
