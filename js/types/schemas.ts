import type { z } from 'zod';
import type { ToolSchema } from '../tool_shape/tool_parameters.js';

/** Output of {@link ToolSchema}. */
export type ToolDefinition = z.output<typeof ToolSchema>;
