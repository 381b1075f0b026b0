import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const LIMITS = { timeoutMs: 2000 };

/**
 * The value of an expression in the sandbox.
 * @param {string} source
 */
async function guest(source) {
  const { forge } = await createKernel({ sandbox: LIMITS });
  return (await forge(`export default async () => { ${source} }`)).result;
}

describe('URL and URLSearchParams', () => {
  it('parse, resolve and reject URLs as browsers do', async () => {
    const parts = [
      'href',
      'origin',
      'protocol',
      'username',
      'password',
      'host',
      'hostname',
      'port',
      'pathname',
      'search',
      'hash',
    ];
    const inputs = [
      ['https://user:pa%20ss@ExAmple.com:8443/a/../b c?x=1&y=%20#frag', undefined],
      ['../c?d', 'http://example.org/a/b/'],
      ['http://例え.jp/ü', undefined],
      ['http://0x7f.1/', undefined],
      ['mailto:a@b.c', undefined],
      ['//other', 'https://x.y/z'],
      ['http://[::1]:80/', undefined],
    ];
    const result = await guest(`return ${JSON.stringify(inputs)}.map(([input, base]) => {
      const url = new URL(input, base ?? undefined);
      return ${JSON.stringify(parts)}.map((part) => url[part]);
    })`);
    const expected = inputs.map(([input, base]) => {
      const url = new URL(String(input), base);
      return parts.map((part) => Reflect.get(url, part));
    });
    expect(result).toEqual(expected);
    expect(
      await guest(`return ['', 'x', 'http://', 'http://a:99999'].map((text) => {
        try { new URL(text); return 'parsed' } catch (error) { return [error.name, URL.canParse(text), URL.parse(text)] }
      })`),
    ).toEqual(Array(4).fill(['TypeError', false, null]));
  });

  it('stay consistent when a part is changed', async () => {
    expect(
      await guest(`
        const url = new URL('http://a.b/c?x=1');
        url.protocol = 'https'; url.host = 'd.e:81'; url.pathname = '/f g'; url.hash = 'h'; url.username = 'me';
        url.searchParams.append('y', 'ä &'); url.searchParams.set('x', '2');
        const first = url.href;
        url.search = '?z=3&z=4';
        return [first, url.searchParams.getAll('z'), String(url), JSON.stringify({ url })];
      `),
    ).toEqual([
      'https://me@d.e:81/f%20g?x=2&y=%C3%A4+%26#h',
      ['3', '4'],
      'https://me@d.e:81/f%20g?z=3&z=4#h',
      '{"url":"https://me@d.e:81/f%20g?z=3&z=4#h"}',
    ]);
  });

  it('URLSearchParams from text, pairs, records and itself', async () => {
    expect(
      await guest(`
        const params = new URLSearchParams('?b=2&a=1&b=3');
        const copy = new URLSearchParams(params);
        copy.delete('b', '2'); copy.sort();
        return [params.toString(), params.get('none'), params.has('b', '3'), params.size, [...params], [...copy.keys()],
          new URLSearchParams({ q: 'ä ö' }).toString(), Object.fromEntries(new URLSearchParams([['k', 'v']]))];
      `),
    ).toEqual([
      'b=2&a=1&b=3',
      null,
      true,
      3,
      [
        ['b', '2'],
        ['a', '1'],
        ['b', '3'],
      ],
      ['a', 'b'],
      'q=%C3%A4+%C3%B6',
      { k: 'v' },
    ]);
  });
});

describe('text and bytes', () => {
  it('TextEncoder and TextDecoder, whole and in pieces', async () => {
    expect(
      await guest(`
        const bytes = new TextEncoder().encode('a€😀');
        const decoder = new TextDecoder();
        let pieces = '';
        for (const byte of bytes) pieces += decoder.decode(new Uint8Array([byte]), { stream: true });
        pieces += decoder.decode();
        const into = new Uint8Array(5);
        return [[...bytes], pieces, new TextEncoder().encodeInto('a€😀', into),
          new TextDecoder('latin1').decode(new Uint8Array([228])), new TextDecoder('utf-16le').decode(new Uint8Array([0x61, 0])),
          new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])), new TextDecoder().encoding,
          new TextDecoder('shift_jis').decode(new Uint8Array([0x83, 0x65])), new TextDecoder().decode(new Uint8Array([255]).buffer)];
      `),
    ).toEqual([
      [97, 226, 130, 172, 240, 159, 152, 128],
      'a€😀',
      { read: 2, written: 4 },
      'ä',
      'a',
      'a',
      'utf-8',
      'テ',
      '�',
    ]);
    expect(
      await guest(`
        const caught = [];
        for (const job of [() => new TextDecoder('none'), () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])), () => new TextDecoder().decode('x')]) {
          try { job() } catch (error) { caught.push(error.name) }
        }
        return caught;
      `),
    ).toEqual(['RangeError', 'TypeError', 'TypeError']);
  });

  it('atob and btoa', async () => {
    expect(
      await guest(`
        const caught = [];
        for (const job of [() => btoa('€'), () => atob('a'), () => atob('a=bc'), () => atob('*')]) {
          try { caught.push(job()) } catch (error) { caught.push([error.name, error.code, error instanceof DOMException]) }
        }
        return [btoa('\\xff\\0a'), atob(' /w Bh '), atob('YQ'), atob(''), caught];
      `),
    ).toEqual(['/wBh', '\xff\0a', 'a', '', Array(4).fill(['InvalidCharacterError', 5, true])]);
  });
});

describe('structuredClone and queueMicrotask', () => {
  it('copies supported values including cycles, and refuses the others', async () => {
    expect(
      await guest(`
        const source: any = { date: new Date(0), map: new Map([[1, { a: 1 }]]), set: new Set(['x']), re: /a/gi, n: [1, , 3],
          bytes: new Uint8Array([1, 2, 3]).subarray(1), error: new RangeError('r', { cause: 1 }), big: 1n, boxed: Object(5) };
        source.self = source;
        const copy = structuredClone(source);
        const refused = [() => 1, Symbol('s'), Promise.resolve(1), new Proxy({}, {}), new WeakMap()].map((value) => {
          try { structuredClone({ value }); return 'cloned' } catch (error) { return error.name + error.code }
        });
        return [copy.self === copy, copy !== source, copy.date.getTime(), copy.map.get(1).a, copy.set.has('x'), String(copy.re),
          1 in copy.n, copy.n.length, [...copy.bytes], copy.bytes.buffer !== source.bytes.buffer, copy.error instanceof RangeError,
          copy.error.cause, copy.big === 1n, copy.boxed.valueOf(), refused];
      `),
    ).toEqual([
      true,
      true,
      0,
      1,
      true,
      '/a/gi',
      false,
      3,
      [2, 3],
      true,
      true,
      1,
      true,
      5,
      Array(5).fill('DataCloneError25'),
    ]);
  });

  it('microtasks run in order, and an uncaught error ends the run', async () => {
    expect(
      await guest(`
        const order: string[] = [];
        queueMicrotask(() => order.push('micro'));
        order.push('now');
        await new Promise((done) => setTimeout(done, 0));
        return order;
      `),
    ).toEqual(['now', 'micro']);
    await expect(
      guest("queueMicrotask(() => { throw new Error('lost') }); await new Promise((done) => setTimeout(done, 5000))"),
    ).rejects.toThrow('lost');
  });
});

describe('AbortController and events', () => {
  it('signal once, with a reason, to every kind of listener', async () => {
    expect(
      await guest(`
        const controller = new AbortController();
        const seen: unknown[] = [];
        controller.signal.addEventListener('abort', (event) => seen.push(event.type, event.target === controller.signal), { once: true });
        controller.signal.addEventListener('abort', { handleEvent: () => seen.push('object') });
        controller.signal.onabort = () => seen.push('handler');
        const any = AbortSignal.any([controller.signal]);
        controller.abort(); controller.abort('again');
        const timed = AbortSignal.timeout(1);
        await new Promise((done) => timed.addEventListener('abort', done));
        let thrown;
        try { controller.signal.throwIfAborted() } catch (error) { thrown = error.name }
        return [seen, thrown, any.aborted, any.reason === controller.signal.reason, timed.reason.name, AbortSignal.abort(7).reason];
      `),
    ).toEqual([['abort', true, 'object', 'handler'], 'AbortError', true, true, 'TimeoutError', 7]);
  });

  it('EventTarget supports stopping and preventing, and calls every listener before it throws', async () => {
    expect(
      await guest(`
        const target = new EventTarget();
        const seen: unknown[] = [];
        target.addEventListener('a', () => { throw new Error('first') });
        target.addEventListener('a', (event) => { seen.push('second'); event.preventDefault(); event.stopImmediatePropagation() });
        target.addEventListener('a', () => seen.push('never'));
        const event = new Event('a', { cancelable: true });
        let thrown;
        try { target.dispatchEvent(event) } catch (error) { thrown = error.message }
        return [seen, thrown, event.defaultPrevented, event.currentTarget];
      `),
    ).toEqual([['second'], 'first', true, null]);
  });
});

describe('crypto', () => {
  it('gives random values and version 4 UUIDs', async () => {
    const [uuid, other, length, zeros, refused] = await guest(`
      const bytes = crypto.getRandomValues(new Uint32Array(64));
      let refused;
      try { crypto.getRandomValues(new Uint8Array(70000)) } catch (error) { refused = error.name }
      return [crypto.randomUUID(), crypto.randomUUID(), bytes.length, bytes.filter((n) => n === 0).length, refused];
    `);
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(other).not.toBe(uuid);
    expect([length, refused]).toEqual([64, 'QuotaExceededError']);
    expect(zeros).toBeLessThan(4);
  });
});

describe('Intl', () => {
  it('has the data of every locale', async () => {
    expect(
      await guest(`
        const day = new Date(Date.UTC(2024, 0, 31));
        const date = (locale: string) => day.toLocaleDateString(locale, { dateStyle: 'full', timeZone: 'UTC' });
        return [date('de-DE'), date('ja-JP'), (1234.5).toLocaleString('ar-EG'), new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5),
          new Intl.PluralRules('ar').select(3), ['ö', 'z', 'o'].sort(new Intl.Collator('sv').compare).join(''),
          day.toLocaleString('en-US', { timeZone: 'Asia/Tokyo' })];
      `),
    ).toEqual([
      'Mittwoch, 31. Januar 2024',
      '2024年1月31日水曜日',
      '١٬٢٣٤٫٥',
      '1.234,50\u00a0€',
      'few',
      'ozö',
      '1/31/2024, 9:00:00 AM',
    ]);
  });
});
