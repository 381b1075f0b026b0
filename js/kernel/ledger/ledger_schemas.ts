/** Zod schemas for the arguments of `kernel.ledger`. */

import { z } from 'zod';
import { isAbortSignal } from '../../boundary/abort.js';
import { wholeNumber } from '../../boundary/limit_schema.js';

/** Longer than any path, name or session. */
const MAX_TEXT_CHARS = 8_192;
const MAX_EVENTS = 10_000;
const TYPES = [
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
] as const;
/** Event types that an application may append; the others are reserved for the kernel, its guardian and its watcher. */
const OWN_TYPES = ['APPLICATION'] as const;

const text = z.string().min(1).max(MAX_TEXT_CHARS);
const signal = z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional();
const position = wholeNumber(0, Number.MAX_SAFE_INTEGER);
const limit = wholeNumber(1, MAX_EVENTS).optional();
const iso = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);
const time = z
  .custom((value) => !Number.isNaN(timeOf(value)), 'must be a Date, or a string such as "2026-11-16T10:00:00Z"')
  // A Date may be before 1970, an event cannot.
  .transform((value) => Math.max(0, timeOf(value)))
  .optional();
const assigned = z.undefined('is set by the ledger: omit it').optional();

const filter = {
  session: text.optional(),
  path: text.optional(),
  tool: text.optional(),
  type: z.enum(TYPES).optional(),
  call: text.optional(),
  since: time,
  until: time,
};

/** The arguments of `tail`. */
export const LedgerTailSchema = z.strictObject({ ...filter, limit, signal });

/** The arguments of `query`. */
export const LedgerQuerySchema = z.strictObject({ ...filter, limit, after: position.optional(), signal });

/** The arguments of `follow`. */
export const LedgerFollowSchema = z.strictObject({ ...filter, after: position.optional(), signal });

/** The arguments of `prune`. */
export const LedgerPruneSchema = z
  .strictObject({
    keep: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
    before: time.refine((at) => at === undefined || at <= Date.now(), 'is in the future: all events would be removed'),
    dryRun: z.boolean().optional(),
  })
  .refine(({ keep, before }) => keep !== undefined || before !== undefined, 'needs "keep" or "before"');

/** The options of `show` and `export`. */
export const LedgerReadSchema = z.strictObject({ signal });

/** An event in the shape of a chronicle. Types of the kernel, its guardian and its watcher are reserved. */
export const ChronicleEventSchema = z.looseObject({
  type: text.refine(
    (type) => type === 'APPLICATION' || !TYPES.some((known) => known === type),
    'is recorded by the kernel only: use another type',
  ),
  timestamp: z.string().min(1).max(MAX_TEXT_CHARS).optional(),
  actor: z.strictObject({ agent: text, id: z.string().max(MAX_TEXT_CHARS) }).optional(),
  filePath: text.optional(),
  eventId: assigned,
  prevEventId: assigned,
});

/** The number of events of a chronicle's tail. */
export const ChronicleTailSchema = wholeNumber(1, MAX_EVENTS);

/** An event that the application appends. */
export const LedgerEventSchema = z.looseObject({
  type: z.enum(OWN_TYPES).optional(),
  session: text.optional(),
  actor: z.strictObject({ agent: text, id: z.string().max(MAX_TEXT_CHARS) }).optional(),
  path: text.optional(),
  seq: assigned,
  id: assigned,
  ts: assigned,
  prev: assigned,
  hash: assigned,
  call: assigned,
  parent: assigned,
});

/**
 * A time in milliseconds; `NaN` for an invalid one. Only ISO 8601 is accepted, because `Date.parse` guesses: it reads "12.11.2026"
 * as a day in December. A time without a zone is UTC, as `tgp ledger tail` prints it.
 */
function timeOf(value: unknown) {
  if (value instanceof Date) return value.getTime();
  const trimmed = typeof value === 'string' ? value.trim().replace(' ', 'T') : '';
  const text = trimmed.replace(/T(\d\d:\d\d)(?=$|[Z+-])/i, 'T$1:00');
  if (!iso.safeParse(text).success) return Number.NaN;
  return Date.parse(/T[^Z+-]*$/i.test(text) ? `${text}Z` : text);
}
