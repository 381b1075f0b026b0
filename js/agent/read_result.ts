/** The tool that reads long results in pages. */

import { z } from 'zod';
import { checkedTool } from '../agent_tools/checked_tool.js';
import { NotFoundError } from '../boundary/errors.js';
import type { Conversation } from './conversation.js';

/** Default number of characters. */
const PAGE_CHARS = 8_000;
/** Room for the note on the rest. */
const NOTE_CHARS = 200;

const ReadResultParams = z.strictObject({
  call: z.string().min(1).describe('The call, as "kept" names it, such as "c12".'),
  offset: z.int().nonnegative().optional().describe('The first character to return, counted from 0.'),
  limit: z.int().positive().optional().describe('Most characters to return.'),
});

/**
 * The tool `read_result`: reads results that were replaced by references.
 * @param maxChars of a result
 */
export function readResult(conversation: Conversation, maxChars: number) {
  return checkedTool(
    'read_result',
    'Read again what an earlier call of this session returned, if it was replaced by a reference ("kept").',
    ReadResultParams,
    async ({ call, offset = 0, limit = PAGE_CHARS }) => {
      const outcome = conversation.outcomeOf(call);
      if (outcome === undefined) {
        throw new NotFoundError(`There is no call "${call}" in this session. Calls are named c1, c2 and so on.`);
      }
      const value = outcome.output ?? outcome.error ?? '';
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const most = Math.min(limit, Math.max(NOTE_CHARS, maxChars - NOTE_CHARS));
      const shown = text.slice(offset, offset + most).toWellFormed();
      const next = offset + most;
      if (next >= text.length) return shown;
      return `${shown}\n[Characters ${offset} to ${next - 1} of ${text.length}. Continue with offset: ${next}.]`;
    },
  );
}
