/** `Temporal` and `URLPattern`, which are built when a run first uses them. */

import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** @param {string} source @param {import('../../index.js').ExecOptions} [options] */
async function guest(source, options) {
  const { forge } = await createKernel({ sandbox: { timeoutMs: 2000, workers: 1 } });
  return (await forge(`export default async () => { ${source} }`, {}, options)).result;
}

describe('Temporal', () => {
  it('computes with dates, times, zones, durations and calendars', async () => {
    const result = await guest(`
      const date = Temporal.PlainDate.from('2024-01-31');
      const meeting = Temporal.ZonedDateTime.from('2024-03-30T02:30[Europe/Berlin]');
      return [
        date.add({ months: 1 }).toString(), date.until('2024-12-25').toString(), meeting.add({ days: 1 }).toString(),
        Temporal.Duration.from({ hours: 36 }).round({ largestUnit: 'days' }).toString(), Temporal.PlainDate.compare(date, '2024-02-01'),
        date.withCalendar('hebrew').year, Temporal.Instant.fromEpochMilliseconds(0).toString(), JSON.stringify({ date }),
        date.toLocaleString('de-DE', { dateStyle: 'full' }), new Intl.DateTimeFormat('en-GB').format(date as any),
        new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC' }).format(new Date(0)), Object.prototype.toString.call(Temporal),
        Temporal.Now.timeZoneId(), new Date(5).toTemporalInstant().epochMilliseconds,
      ];
    `);
    expect(result).toEqual([
      '2024-02-29',
      'P329D',
      '2024-03-31T03:30:00+02:00[Europe/Berlin]',
      'P1DT12H',
      -1,
      5784,
      '1970-01-01T00:00:00Z',
      '{"date":"2024-01-31"}',
      'Mittwoch, 31. Januar 2024',
      '31/01/2024',
      '01/01/1970',
      '[object Temporal]',
      'UTC',
      5,
    ]);
  });

  it('reads the clock of the run, in milliseconds', async () => {
    const source =
      'const { epochNanoseconds } = Temporal.Now.instant(); return [Temporal.Now.plainDateISO().toString(), Number(epochNanoseconds % 1000000n)]';
    expect(await guest(source, { now: Date.UTC(2020, 1, 29) })).toEqual(['2020-02-29', 0]);
  });

  it('is new in every run, and look like other globals before it is built', async () => {
    const { forge } = await createKernel({ sandbox: { timeoutMs: 2000, workers: 1 } });
    const source = `
      const { value, ...rest } = Object.getOwnPropertyDescriptor(globalThis, 'Temporal')!;
      const before = (value as any).mine;
      (value as any).mine = 1;
      (Intl as any).mine = 1;
      const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(Date.prototype, 'toTemporalInstant')!;
      return [typeof value, rest, before, [writable, enumerable, configurable], Date.prototype.toTemporalInstant.length];`;
    for (let run = 0; run < 2; run++) {
      expect((await forge(source)).result).toEqual([
        'object',
        { writable: true, enumerable: false, configurable: true },
        null,
        [true, false, true],
        0,
      ]);
    }
  });

  it('errors have no frames of the sandbox', async () => {
    const [name, stack] = await guest(`
      try { Temporal.PlainDate.from('2024-13-01') } catch (error: any) { return [error.name, error.stack] }`);
    expect(name).toBe('RangeError');
    expect(stack).toContain('forged.ts');
    expect(stack).not.toContain('tgp:bootstrap');
  });
});

describe('URLPattern', () => {
  it('matches URLs as in Node 24', async () => {
    const result = await guest(`
      const book = new URLPattern({ pathname: '/books/:id(\\\\d+)' });
      const host = new URLPattern('https://*.example.com/:area/*');
      return [
        book.test('https://a.b/books/12'), book.test('https://a.b/books/x'), book.exec('https://a.b/books/12')!.pathname.groups,
        host.exec('https://shop.example.com/a/b/c?d=1')!.pathname.groups, host.hostname, host.exec('https://example.org/a/b'),
        new URLPattern('/a{/b}?', 'https://x.y').test({ pathname: '/a/b', baseURL: 'https://x.y' }), new URLPattern({ pathname: '/A' }, { ignoreCase: true }).test('https://x/a'),
        book.hasRegExpGroups, (() => { try { return new URLPattern('https://x/(') } catch (error: any) { return error.name } })(),
      ];
    `);
    expect(result).toEqual([
      true,
      false,
      { id: '12' },
      { 0: 'b/c', area: 'a' },
      '*.example.com',
      null,
      true,
      true,
      true,
      'TypeError',
    ]);
  });
});
