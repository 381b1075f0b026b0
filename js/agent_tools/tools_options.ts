/** The options of `tgpTools`. */

import { z } from 'zod';
import { MODES } from '../boundary/modes.js';
import type { Approve } from '../types/policy.js';

export const TgpToolsOptionsSchema = z.strictObject({
  session: z.string().optional(),
  model: z.string().optional(),
  agent: z.string().optional(),
  token: z.string().min(1).optional(),
  approve: z.custom<Approve>((value) => typeof value === 'function', 'must be a function').optional(),
  approval: z.literal('sdk').optional(),
  dryRun: z.boolean().optional(),
  mode: z.enum(MODES).optional(),
});
