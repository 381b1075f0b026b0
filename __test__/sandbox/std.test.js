import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/**
 * The value of an expression that uses a module of the library.
 * @param {string} part
 * @param {string} expression
 */
async function std(part, expression) {
  const { forge } = await createKernel({ sandbox: { timeoutMs: 1000 } });
  return (await forge(`import * as ${part} from '@tgp/std/${part}';\nexport default () => ${expression}`)).result;
}

describe('@tgp/std', () => {
  it('is available without installation, as a whole or by module', async () => {
    const { forge } = await createKernel();
    const source =
      "import { csv, stats } from '@tgp/std';\nimport { parse } from '@tgp/std/csv';\nexport default () => [csv.parse === parse, stats.mean([1, 3])]";
    expect((await forge(source)).result).toEqual([true, 2]);
    await expect(forge("import x from '@tgp/std/none';\nexport default () => x")).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
    });
  });

  it('csv', async () => {
    const text = JSON.stringify('\ufeffa,b\r\n1,"x, ""y""\nz"\r\n\r\n2,\r\n');
    expect(
      await std(
        'csv',
        `[csv.parse(${text}), csv.stringify(csv.parse(${text})), csv.parseRows('a;b', { delimiter: ';' }), csv.parse('')]`,
      ),
    ).toEqual([
      [
        { a: '1', b: 'x, "y"\nz' },
        { a: '2', b: '' },
      ],
      'a,b\r\n1,"x, ""y""\nz"\r\n2,',
      [['a', 'b']],
      [],
    ]);
    await expect(std('csv', "csv.parse('a\\n\"x')")).rejects.toThrow(/quoted/);
    await expect(std('csv', "csv.parse('a\\n1,2')")).rejects.toThrow(/Line 2/);
  });

  it('table', async () => {
    const rows = "[{ k: 'a', m: 'x', n: 1 }, { k: 'b', m: 'x', n: 2 }, { k: 'a', m: 'y', n: 3 }]";
    expect(
      await std(
        'table',
        `[table.summarise(${rows}, 'k', { total: (g) => g.reduce((s, r) => s + r.n, 0) }), table.sortBy(${rows}, 'n', 'descending').map((r) => r.n),
        table.uniqueBy(${rows}, 'k').length, table.join(${rows}, [{ k: 'a', t: 1 }], 'k').length, table.join(${rows}, [{ k: 'a', t: 1 }], 'k', 'left').length,
        table.pivot(${rows}, 'k', 'm', 'n')]`,
      ),
    ).toEqual([
      [
        { k: 'a', total: 4 },
        { k: 'b', total: 2 },
      ],
      [3, 2, 1],
      2,
      2,
      3,
      [
        { k: 'a', x: 1, y: 3 },
        { k: 'b', x: 2 },
      ],
    ]);
  });

  it('money', async () => {
    expect(
      await std(
        'money',
        `[money.toText(money.add(money.money('0.10', 'EUR'), money.money('0.20', 'eur'))), money.allocate(money.money('10.00', 'USD'), [1, 1, 1]).map(money.toText),
        money.toText(money.multiply(money.money('19.99', 'EUR'), 0.19)), money.format(money.money('1234567890123.45', 'EUR'), 'en-US'), money.toText(money.money('5', 'JPY')), money.toText(money.money(-5n, 'EUR')),
        money.toText(money.sum([money.money('1', 'EUR'), money.money('2.5', 'EUR')], 'EUR')), money.allocate(money.money('-0.05', 'EUR'), [1, 0, 1]).map(money.toText)]`,
      ),
    ).toEqual([
      '0.30',
      ['3.34', '3.33', '3.33'],
      '3.80',
      '€1,234,567,890,123.45',
      '5',
      '-0.05',
      '3.50',
      ['-0.03', '0.00', '-0.02'],
    ]);
    await expect(std('money', "money.add(money.money('1', 'EUR'), money.money('1', 'USD'))")).rejects.toThrow(
      /cannot be added/,
    );
    await expect(std('money', "money.money('1.234', 'EUR')")).rejects.toThrow(/2 digits/);
  });

  it('dates', async () => {
    expect(
      await std(
        'dates',
        `[dates.addMonths('2024-01-31', 1), dates.addDays('2023-12-31', 1), dates.daysBetween('2024-02-28', '2024-03-01'), dates.isoWeek('2021-01-03'), dates.weekday('2024-02-29'),
        dates.endOfMonth('2023-02-10'), dates.range('2024-02-28', '2024-03-01'), dates.isDay('2023-02-29'), dates.dayOf(Date.UTC(2024, 0, 1, 23), 'Asia/Tokyo'), dates.format('2024-02-29', 'de-DE', 'long')]`,
      ),
    ).toEqual([
      '2024-02-29',
      '2024-01-01',
      2,
      { year: 2020, week: 53 },
      4,
      '2023-02-28',
      ['2024-02-28', '2024-02-29', '2024-03-01'],
      false,
      '2024-01-02',
      '29. Februar 2024',
    ]);
    await expect(std('dates', "dates.addDays('29.2.2024', 1)")).rejects.toThrow(/not a day/);
  });

  it('text', async () => {
    expect(
      await std(
        'text',
        `[text.slugify('Größe & Maß: Ça va?'), text.truncate('👩‍👩‍👧 family', 3), text.words('Hello, world!'), text.fill('{a} and {b}', { a: 1, b: 2 }), text.dedent('\\n    a\\n      b\\n  '),
        text.distance('kitten', 'sitting'), text.similarity('abcd', 'abcx')]`,
      ),
    ).toEqual(['grosse-mass-ca-va', '👩‍👩‍👧…', ['Hello', 'world'], '1 and 2', 'a\n  b', 3, 0.75]);
    await expect(std('text', "text.fill('{a}', {})")).rejects.toThrow(/\{a\}/);
  });

  it('stats', async () => {
    expect(
      await std(
        'stats',
        `[stats.sum([1e100, 1, -1e100]), stats.mean([1, 2, 4]), stats.median([3, 1, 2, 4]), stats.quantile([1, 2, 3, 4, 5], 0.9), stats.variance([2, 4, 4, 4, 5, 5, 7, 9], 'population'),
        stats.correlation([1, 2, 3], [2, 4, 6]), stats.histogram([1, 2, 3, 4], 2).map((b) => b.count), stats.min([3, 1]), stats.max([3, 1])]`,
      ),
    ).toEqual([1, 7 / 3, 2.5, 4.6, 4, 1, [2, 2], 1, 3]);
    await expect(std('stats', 'stats.mean([])')).rejects.toThrow(/not defined/);
  });

  it('http', async () => {
    expect(await std('http', "http.withQuery('https://x.y/z?a=1', { b: 2, c: null, a: 3 })")).toBe(
      'https://x.y/z?a=3&b=2',
    );
    const { createServer } = await import('node:http');
    let tries = 0;
    const server = createServer((request, response) => {
      tries += 1;
      if (request.url === '/flaky' && tries < 3) return response.writeHead(503).end('later');
      if (request.url === '/gone') return response.writeHead(404).end('gone');
      response.end(JSON.stringify({ tries, method: request.method }));
    });
    await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(undefined)));
    const url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
    try {
      const { forge } = await createKernel({ allowedFetchUrls: [url] });
      const source = `import { getJson, postJson, retry, HttpError } from '@tgp/std/http';
        export default async (a: { url: string }) => [await retry(() => getJson(a.url + '/flaky'), { waitMs: 1 }), await postJson(a.url, {}),
          await getJson(a.url + '/gone').catch((error) => [error instanceof HttpError, error.status, error.body])]`;
      expect((await forge(source, { url })).result).toEqual([
        { tries: 3, method: 'GET' },
        { tries: 4, method: 'POST' },
        [true, 404, 'gone'],
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
