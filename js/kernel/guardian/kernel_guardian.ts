/** The guardian of a kernel. */

import { z } from 'zod';
import { ValidationError } from '../../boundary/errors.js';
import { toJsonText } from '../../boundary/json_text.js';
import { parseArguments } from '../../boundary/validation.js';
import type { KernelGuardian, PlanReview } from '../../types/guardian.js';
import type { KernelCalls } from '../calls/kernel_calls.js';

const MAX_ASSERTIONS = 100;

const AssertionsSchema = z
  .array(
    z.strictObject({
      cypher: z.string().min(1),
      params: z.record(z.string(), z.unknown()).optional(),
      expectRows: z.boolean(),
    }),
  )
  .max(MAX_ASSERTIONS);

const ReconcileSchema = z.strictObject({ filePath: z.string().min(1), diffRef: z.string().min(1) });

const PlanSchema = z.looseObject({
  steps: z.array(z.looseObject({ type: z.string().min(1), filePath: z.string().min(1).optional() })),
});

const DecisionSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('approve'), justification: z.string() }),
  z.strictObject({ type: z.literal('deny'), reason: z.string() }),
]);

/**
 * Implements `kernel.guardian`.
 * @param reviewer a second review of plans that the rules approve
 */
export function kernelGuardian(calls: KernelCalls, reviewer: PlanReview | undefined): KernelGuardian {
  return {
    check: () => calls.read((kernel) => kernel.guardianCheck()),
    assert: async (assertions) => {
      const text = toJsonText(parseArguments(AssertionsSchema, assertions, 'assertions'), 'assertions');
      await calls.read((kernel) => kernel.guardianAssert(text));
    },
    reconcile: async (edit) => {
      const { filePath, diffRef } = parseArguments(ReconcileSchema, edit, 'reconciliation');
      await calls.read((kernel) => kernel.guardianReconcile(filePath, diffRef));
      return { ok: true };
    },
    review: async (plan) => {
      const parsed = parseArguments(PlanSchema, plan, 'plan');
      const text = toJsonText({ steps: parsed.steps.map(({ type, filePath }) => ({ type, filePath })) }, 'plan');
      const decision = await calls.read((kernel) => kernel.guardianReview(text));
      if (decision.type === 'deny' || reviewer === undefined) return decision;
      return reviewed(reviewer, parsed);
    },
    selfInquiry: () => calls.read((kernel) => kernel.guardianSelfInquiry()),
  };
}

/** The decision of the application's reviewer. A reviewer that fails denies. */
async function reviewed(reviewer: PlanReview, plan: z.infer<typeof PlanSchema>) {
  const answer: unknown = await Promise.resolve()
    .then(() => reviewer(plan))
    .catch(() => ({ type: 'deny', reason: 'The reviewer of plans failed; the plan was denied.' }));
  const decision = DecisionSchema.safeParse(answer);
  if (decision.success) return decision.data;
  throw new ValidationError(
    'The reviewer of plans must return { type: "approve", justification } or { type: "deny", reason }.',
    { details: { field: 'reviewPlan' } },
  );
}
