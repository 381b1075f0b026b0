/** What `kernel.ledger` takes, as zod schemas. */

import { z } from 'zod';
import { isAbortSignal } from '../boundary/abort.js';
import { wholeNumber } from '../boundary/limit_schema.js';

/** Longer than any path, name or session. */
const MAX_TEXT_CHARS = 8_192;
const MAX_EVENTS = 10_000;
const TYPES = /** @type {const} */ ([
  'CALL',
  'RESULT',
  'DENIED',
  'APPROVAL',
  'POLICY',
  'STATE',
  'SESSION',
  'COMMIT',
  'HALT',
  'RECONCILIATION',
  'VALVE_PERSONA_TRIGGER',
  'APPLICATION',
  'RETENTION',
]);
/** What an application may say happened; the rest belongs to the kernel, its guardian and its watcher. */
const OWN_TYPES = /** @type {const} */ (['APPLICATION']);

const text = z.string().min(1).max(MAX_TEXT_CHARS);
const signal = z.custom(isAbortSignal, 'must be an AbortSignal').optional();
const position = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const limit = wholeNumber(1, MAX_EVENTS).optional();
const iso = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);
const time = z
  .custom((value) => !Number.isNaN(timeOf(value)), 'must be a Date, or a text such as "2026-11-16T10:00:00Z"')
  // A clock may be before 1970; no event is.
  .transform((value) => Math.max(0, timeOf(value)))
  .optional();
const given = z.undefined('is given by the ledger: leave it out').optional();

const filter = {
  session: text.optional(),
  path: text.optional(),
  tool: text.optional(),
  type: z.enum(TYPES).optional(),
  call: text.optional(),
  since: time,
  until: time,
};

export const LedgerTailSchema = z.strictObject({ ...filter, limit, signal });

export const LedgerQuerySchema = z.strictObject({ ...filter, limit, after: position.optional(), signal });

export const LedgerFollowSchema = z.strictObject({ ...filter, after: position.optional(), signal });

export const LedgerPruneSchema = z
  .strictObject({
    keep: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
    before: time.refine((at) => at === undefined || at <= Date.now(), 'is in the future: no event would stay'),
    dryRun: z.boolean().optional(),
  })
  .refine(({ keep, before }) => keep !== undefined || before !== undefined, 'needs "keep" or "before"');

export const LedgerReadSchema = z.strictObject({ signal });

export const LedgerEventSchema = z.looseObject({
  type: z.enum(OWN_TYPES).optional(),
  session: text.optional(),
  actor: z.strictObject({ agent: text, id: z.string().max(MAX_TEXT_CHARS) }).optional(),
  path: text.optional(),
  seq: given,
  id: given,
  ts: given,
  prev: given,
  hash: given,
  call: given,
  parent: given,
});

/**
 * A time in ms; `NaN` for what is none. Nothing is guessed: what `Date.parse` makes of "12.11.2026" is a day in December. A text without
 * a zone is in UTC, as `tgp ledger tail` prints times.
 * @param {unknown} value
 */
function timeOf(value) {
  if (value instanceof Date) return value.getTime();
  const given = typeof value === 'string' ? value.trim().replace(' ', 'T') : '';
  const text = given.replace(/T(\d\d:\d\d)(?=$|[Z+-])/i, 'T$1:00');
  if (!iso.safeParse(text).success) return Number.NaN;
  return Date.parse(/T[^Z+-]*$/i.test(text) ? `${text}Z` : text);
}
