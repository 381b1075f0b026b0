import type { ApprovalError, DeniedError } from '../boundary/errors.js';

/** The effect of a call, as named in rules. */
export type CallEffect = 'read' | 'write' | 'run' | 'sql' | 'net' | 'app' | 'shell';

/** The verdict on a call, and why. It is in `details` of {@link DeniedError} and {@link ApprovalError}. */
export type Verdict = {
  verdict: 'allow' | 'ask' | 'deny';
  /** The id of the rule, or `default`, or `token`. */
  rule: string;
  /** Location of the rule: file and line, such as `tgp.policy.yaml:6`. */
  at: string;
  reason: string;
  /** The nearest allowed alternative, as advice for a model. */
  nearest?: string;
};

/** A call as a policy function and an approver see it. */
export type PolicyCall = {
  tool: string;
  effect: CallEffect;
  /** The file of the call. */
  path?: string;
  /** The arguments by name; by position for functions of the application. Missing if they are too long. */
  args?: any;
  /** The id of the call in the ledger, and of the run that makes it. */
  call: string;
  parent?: string;
  session?: string;
  /** The caller, as `principal: agent:NAME` of a rule names it: an agent's own name, or `agent`, `application`, `mcp`, `cli`. */
  agent: string;
};

/** A call that needs approval. */
export type ApprovalRequest = PolicyCall &
  Omit<Verdict, 'verdict'> & {
    /** The id of this request. It is valid once, for exactly this call. */
    id: string;
    verdict: 'ask';
    /** A hash of the text that would run, with all that it imports. */
    text?: string;
    /** Size of the arguments, if they are too long to be included. Do not approve arguments that were not shown. */
    hiddenBytes?: number;
    /** Other files that the call affects: the target of a move, files whose imports are updated, related changes. */
    also?: { effect: CallEffect; paths: string[] }[];
    /**
     * A permanent rule that allows exactly this call: these arguments, and this text of a tool.
     * `{ approved: true, always: true }` writes it into the policy file; `always: { any: ['/amount', 'text'] }` writes it without
     * the named conditions. Missing if no rule is possible: the policy is not a file, a rule asks (which is stricter than one that allows), or the
     * reach of the call is unknown.
     */
    always?: PolicyConditions & { allow: string[] };
    /** Fires when the answer is no longer needed. */
    signal: AbortSignal;
  };

/** The answer to a request. `by` goes into the ledger, `reason` to the caller too. */
export type ApprovalAnswer =
  | boolean
  | { approved: boolean; always?: boolean | { any: string[] }; by?: string; reason?: string };

/**
 * Asks a person or a program for approval. An error, or no answer within `agent.approvalMs`, is a refusal.
 *
 * @example
 * new TGP({ config: { policy: 'safe' }, approve: async ({ tool, path, reason }) => ({ approved: await askOnSlack(tool, path, reason), by: 'ann' }) });
 */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** The answer of a policy function. A failure or any other value is `deny`. */
export type PolicyAnswer = Verdict['verdict'] | { verdict: Verdict['verdict']; rule?: string; reason?: string };

/**
 * A policy function instead of rules, for example for Cedar, OPA or your own code. It is called for every call, and for each further
 * file that the call reaches, as a call for that file: `read_file` for a file that is read, `exec_tool` for a tool that is run. The
 * strictest answer applies.
 */
export type PolicyFunction = (call: PolicyCall) => PolicyAnswer | Promise<PolicyAnswer>;

/** Conditions of a rule. All conditions must match; within a condition, one entry must match. */
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

/** One rule: a verdict for effects or tools. */
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
  /** The verdict if no rule matches. */
  default?: Verdict['verdict'];
  rules?: PolicyRule[];
  /** Calls with expected verdicts; rules that fail them are not activated. */
  tests?: { name?: string; call: Record<string, unknown>; expect: Verdict['verdict'] }[];
};

/** `allow` (the default), `safe` (reading is allowed, everything else asks), the path of a file, rules, or a function. */
export type PolicyInput = 'allow' | 'safe' | (string & {}) | PolicyRules | PolicyFunction;

/** Keys and revocations of capability tokens. */
export type TokensConfigInput = {
  /**
   * Keys, of at least 32 bytes each and random: the first one issues tokens, the others are older keys whose tokens are still valid.
   * Default: one that is made at boot, so that tokens end with the kernel.
   */
  keys?: string[];
  /** Ids of revoked tokens; tokens derived from them are revoked too. */
  revoked?: string[];
};

/** Restrictions of a token: it allows only what all of its caveats cover. */
export type TokenCaveats = PolicyConditions & {
  /** Effects or tools. */
  allow?: string[];
  /** Alternatives, of which one must cover the whole call. */
  anyOf?: (PolicyConditions & { allow?: string[] })[];
  /** Milliseconds since 1970, or a moment such as `2026-12-31T12:00:00Z`. */
  expires?: number | string;
  /** Maximum number of calls; calls of a run count as part of the run. */
  calls?: number;
  /** Maximum total duration of its calls, in milliseconds. */
  budget?: number;
};

/** `kernel.policy`: validates rules, explains calls and replays recorded calls. */
export type KernelPolicy = {
  /**
   * Validates rules: those in force, or others.
   *
   * @throws {ConfigError} with file and line
   */
  check(policy?: PolicyInput): Promise<{ version: string; rules: number }>;
  /**
   * The verdict on a call, written like a test in a policy: `{ tool, args }`, and `principal`, `effects`, `paths` and so on
   * if the arguments do not imply them.
   *
   * @throws {ConfigError} for a call or rules that are not valid
   */
  explain(call: Record<string, unknown>, policy?: PolicyInput): Promise<Verdict>;
  /**
   * Replays recorded calls of the ledger under other rules.
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
