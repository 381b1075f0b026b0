/** Types of the guardian. */

import type { Verdict } from './policy.js';
import type { Mode } from './tests.js';

/** What contradictions between the records of a workspace lead to: see {@link TGPConfigInput.guardian}. */
export type GuardianMode = 'off' | 'warn' | 'halt';

/** A file that exists according to the ledger or to Git, and not according to the other. */
export type Contradiction = {
  filePath: string;
  ledger: 'exists' | 'absent';
  git: 'exists' | 'absent';
  /** The commit, made outside of the kernel, that added or removed it. */
  commit?: string;
  message: string;
};

/** An invariant of the policy that does not hold. */
export type InvariantViolation = {
  /** Its id. */
  invariant: string;
  expected: 'rows' | 'no rows';
  actual: 'rows found' | 'no rows found';
  /** File and line. */
  at: string;
  message: string;
};

/** Result of {@link KernelGuardian.check}. */
export type GuardianReport = {
  /** Whether nothing was found, and nothing halts the workspace. */
  ok: boolean;
  contradictions: Contradiction[];
  violations: InvariantViolation[];
  /** Paths of files, and ids of invariants, that halt the workspace. */
  halts: string[];
};

/** A query of the graph, and whether it must have rows. */
export type GraphAssertion = {
  cypher: string;
  params?: Record<string, unknown>;
  expectRows: boolean;
};

/** A plan for review. Other members are ignored. */
export type ReviewablePlan = {
  id?: string;
  /** `type` is a word such as `DELETE_FILE`, `WRITE_FILE` or `RUN_TOOL`. */
  steps: { type: string; filePath?: string; [more: string]: unknown }[];
  [more: string]: unknown;
};

/** The decision on a plan. */
export type ReviewDecision = { type: 'approve'; justification: string } | { type: 'deny'; reason: string };

/** A review of plans by the application, for example with a model. */
export type PlanReview = (plan: ReviewablePlan) => ReviewDecision | Promise<ReviewDecision>;

/** A call, as {@link TGP.isToolAllowed} is asked about it. */
export type AllowedQuery = {
  /** A kernel tool such as `'write_file'`, or the path of a forged tool. */
  tool: string;
  args?: Record<string, unknown>;
  /** The name of the agent. */
  agent?: string;
  session?: string;
  token?: string;
  mode?: Mode;
};

/** Whether a call would be made: the answer of {@link TGP.isToolAllowed}. */
export type ToolAllowed = Partial<Omit<Verdict, 'verdict'>> & {
  /** Whether it would be made without an approval. */
  allowed: boolean;
  verdict: Verdict['verdict'];
  /** The code of the error that it would fail with: `ERR_HALT`, `ERR_STATE`, `ERR_DENIED` or `ERR_APPROVAL`. */
  code?: string;
};

/**
 * `kernel.guardian`: compares what ledger, Git, registry and graph say about the workspace. The configuration `guardian` decides
 * whether it acts by itself.
 */
export type KernelGuardian = {
  /** Compares ledger and Git, and checks the invariants of the policy. In mode `'halt'` what it finds halts the workspace. */
  check(): Promise<GuardianReport>;
  /**
   * Checks queries of the graph.
   * @example
   * await kernel.guardian.assert([{ cypher: "MATCH (f:File {name: 'critical.ts'}) RETURN f", expectRows: true }]);
   * @throws {HaltError} for the first that does not hold: `details` has `invariant`, `expected` and `actual`. Nothing is halted.
   * @throws {ValidationError} for a query that does not parse
   */
  assert(assertions: GraphAssertion[]): Promise<void>;
  /**
   * Records that a person accepts what Git has of a file, and ends the halt because of it. One event for each pair of `filePath` and
   * `diffRef`, however often it is called.
   * @param edit `filePath` is a path in the root or the id of an invariant; `diffRef` names what was accepted, such as a commit
   */
  reconcile(edit: { filePath: string; diffRef: string }): Promise<{ ok: true }>;
  /** Reviews a plan by `reviews:` of the policy, then by {@link TGPOptions.reviewPlan} if it is set. It changes nothing. */
  review(plan: ReviewablePlan): Promise<ReviewDecision>;
  /** One line for each contradiction between ledger, Git, registry and graph; one that says so if there is none. */
  selfInquiry(): Promise<{ findings: string[] }>;
};
