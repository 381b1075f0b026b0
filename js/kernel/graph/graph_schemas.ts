/** Zod schemas for the arguments of `kernel.graph`. */

import { z } from 'zod';
import { isAbortSignal } from '../../boundary/abort.js';

/** Longer than any path or hash. */
const MAX_TEXT_CHARS = 8_192;

const text = z.string().min(1).max(MAX_TEXT_CHARS);
const signal = z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional();
const scope = { commit: text.optional(), root: text.optional(), signal };

/** The options of `query`, `impact` and `history`. */
export const GraphScopeSchema = z.strictObject(scope);

/** The arguments of `ingest`. */
export const GraphIngestSchema = z.strictObject({ projectPath: text.optional(), commitHash: text.optional(), signal });

/** The arguments of `picture`. */
export const GraphPictureSchema = z.strictObject({
  ...scope,
  format: z.enum(['mermaid', 'dot', 'svg']).optional(),
  path: text.optional(),
});
