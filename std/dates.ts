/** Calendar days as text, `'2024-02-29'`, without a clock or time zone. */

export type Day = string;

const MS_PER_DAY = 86_400_000;
const PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;

function toTime(day: Day): number {
  const match = PATTERN.exec(day);
  const time = match ? Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) : Number.NaN;
  if (Number.isNaN(time) || fromTime(time) !== day)
    throw new RangeError(`"${day}" is not a day; write it as 2024-02-29`);
  return time;
}

const fromTime = (time: number): Day => new Date(time).toISOString().slice(0, 10);

export function isDay(text: string): boolean {
  try {
    toTime(text);
    return true;
  } catch {
    return false;
  }
}

/** The day of a moment in a time zone. */
export function dayOf(moment: Date | number | string, timeZone = 'UTC'): Day {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date(moment));
}

export const addDays = (day: Day, days: number): Day => fromTime(toTime(day) + days * MS_PER_DAY);

/** Adds months. A day that the target month does not have becomes its last day. */
export function addMonths(day: Day, months: number): Day {
  const date = new Date(toTime(day));
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
  const last = daysInMonth(fromTime(first));
  return addDays(fromTime(first), Math.min(date.getUTCDate(), last) - 1);
}

/** The number of days from one day to another; negative if `to` is earlier. */
export const daysBetween = (from: Day, to: Day): number => (toTime(to) - toTime(from)) / MS_PER_DAY;

export function daysInMonth(day: Day): number {
  const date = new Date(toTime(day));
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
}

export const startOfMonth = (day: Day): Day => `${fromTime(toTime(day)).slice(0, 8)}01`;

export const endOfMonth = (day: Day): Day => addDays(startOfMonth(day), daysInMonth(day) - 1);

/** 1 is Monday, 7 is Sunday. */
export const weekday = (day: Day): number => new Date(toTime(day)).getUTCDay() || 7;

/** The ISO week, such as `{ year: 2024, week: 9 }`, with its week-numbering year. */
export function isoWeek(day: Day): { year: number; week: number } {
  const thursday = addDays(day, 4 - weekday(day));
  const year = Number(thursday.slice(0, 4));
  return { year, week: Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7) + 1 };
}

const MAX_DAYS = 100_000;

/** Every day from the first to the last, both included. */
export function range(from: Day, to: Day): Day[] {
  const days = daysBetween(from, to) + 1;
  if (days > MAX_DAYS) throw new RangeError(`A range holds at most ${MAX_DAYS} days`);
  return Array.from({ length: Math.max(days, 0) }, (_, index) => addDays(from, index));
}

/** Formats a day for a locale. */
export function format(day: Day, locale = 'en-US', dateStyle: 'full' | 'long' | 'medium' | 'short' = 'medium'): string {
  return new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).format(toTime(day));
}
