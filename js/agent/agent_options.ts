/** Zod schemas of the options of `kernel.agent` and `agent.run`. */

import { z } from 'zod';
import { isAbortSignal } from '../boundary/abort.js';
import { wholeNumber } from '../boundary/limit_schema.js';
import { MODES } from '../boundary/modes.js';
import type { Approve } from '../types/policy.js';
import type { ToolSet } from '../types/tools.js';

const MAX_NAME_CHARS = 200;
const MAX_TEXT_CHARS = 1_000_000;
const MAX_COUNT = 1_000_000_000;
const MAX_ATTEMPTS = 20;
/** Minimum context for the system prompt, the tools and the task. */
const MIN_CONTEXT = 8_000;
/** Session names appear in commands, messages and the history of files. */
const NAME = /^[\w.:@/-]+$/;

const name = z.string().min(1).max(MAX_NAME_CHARS);
const session = name.regex(NAME, 'may contain only letters, digits and . : @ / _ -');
const price = z.number().nonnegative();
const prices = z.strictObject({ input: price, output: price, cachedInput: price.optional() });
const isFunction = (value: unknown) => typeof value === 'function';
const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** The options of `kernel.agent`. */
export const AgentOptionsSchema = z.strictObject({
  // resolveModel() checks the rest.
  model: z.custom<string | object>(
    (value) => typeof value === 'string' || isObject(value),
    'must be a model of the AI SDK, or its name',
  ),
  instructions: z.string().max(MAX_TEXT_CHARS).optional(),
  mode: z.enum(MODES).optional(),
  budget: z
    .strictObject({
      tokens: wholeNumber(1, MAX_COUNT).optional(),
      steps: wholeNumber(1, MAX_COUNT).optional(),
      money: z.number().positive().optional(),
      ms: wholeNumber(1, MAX_COUNT).optional(),
    })
    .optional(),
  prices: z.union([prices, z.record(z.string(), prices)]).optional(),
  approve: z
    .custom<Approve>(isFunction, 'must be a function that takes a request and returns true, false or { approved }')
    .optional(),
  contextTokens: wholeNumber(MIN_CONTEXT, MAX_COUNT).optional(),
  tools: z.custom<ToolSet>(isObject, 'must be an object of tools by name').optional(),
  dryRun: z.boolean().optional(),
  session: session.optional(),
  name: name.optional(),
  token: z.string().min(1).optional(),
  attempts: wholeNumber(1, MAX_ATTEMPTS).optional(),
});

/** The options of `agent.run`. */
export const RunOptionsSchema = z.strictObject({
  session: session.optional(),
  resume: z.boolean().optional(),
  signal: z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional(),
});
