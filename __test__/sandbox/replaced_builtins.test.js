import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { serveHttp } from '../helpers/http_server.js';

/**
 * The result of a guest's code, which sees its argument as `url`.
 * @param {string} body
 * @param {string} [url] may be fetched
 */
async function guest(body, url = '') {
  const { forge } = await createKernel({ sandbox: { timeoutMs: 5000 }, allowedFetchUrls: url === '' ? [] : [url] });
  const source = `export default async ({ url }: { url: string }) => { const all: any = globalThis; ${body} }`;
  return (await forge(source, { url })).result;
}

describe('THREAT: a guest that replaces what a class of the sandbox extends', () => {
  it('gets no key to constructors that are not for guests', async () => {
    const result = await guest(`
      const seen: unknown[] = [];
      for (const Class of [PerformanceMark, PerformanceMeasure, all.CustomEvent, AbortSignal, File, DOMException, Performance]) {
        Object.setPrototypeOf(Class, function Spy(...given: unknown[]) { seen.push(...given); return {} } as any);
      }
      const attempts = [() => new PerformanceMark('mark'), () => performance.mark('mark'), () => performance.measure('measure'),
        () => new all.CustomEvent('type'), () => AbortSignal.abort(), () => new AbortController(), () => new File(['part'], 'name'), () => new DOMException('message')];
      for (const attempt of attempts) try { attempt() } catch {}
      const strangers = seen.filter((value) => typeof value !== 'string' && value !== undefined && !Array.isArray(value));
      let made = 'nothing';
      try { made = Object.prototype.toString.call(new all.PerformanceEntry(...strangers, 'forged', 'mark', 1, 2)) } catch (error: any) { made = error.message }
      return [strangers.length, made];`);
    expect(result).toEqual([0, 'Illegal constructor: use performance.mark or performance.measure']);
  });

  it('makes no entry of an interrupted one', async () => {
    const result = await guest(`
      Object.setPrototypeOf(PerformanceMark, function () { throw new Error('interrupted') });
      try { performance.mark('left') } catch {}
      try { return new all.PerformanceEntry().name } catch (error: any) { return error.name }`);
    expect(result).toBe('TypeError');
  });
});

describe('THREAT: a guest that changes prototypes', () => {
  it('does not change the body of a response by a member of Object.prototype', async () => {
    const { url } = await serveHttp((_, response) => response.end('what the server sent'));
    const result = await guest(
      `all.Object.prototype.base64 = 'Zm9yZ2Vk';
      try { return await (await fetch(url)).text() } finally { delete all.Object.prototype.base64 }`,
      url,
    );
    expect(result).toBe('what the server sent');
  });

  it('gets no internal promise when a request is aborted', async () => {
    const { url } = await serveHttp(() => {});
    const result = await guest(
      `const stop = new AbortController();
      const fetched = fetch(url, { signal: stop.signal }).catch((error) => error.name);
      const read: unknown[] = [];
      Object.defineProperty(Promise.prototype, 'constructor', { configurable: true, get() { read.push(this); return Promise } });
      stop.abort();
      const count = read.length;
      Object.defineProperty(Promise.prototype, 'constructor', { configurable: true, writable: true, value: Promise });
      return [count, await fetched];`,
      url,
    );
    expect(result).toEqual([0, 'AbortError']);
  });

  it('does not change a response by a then of Object.prototype', async () => {
    const { url } = await serveHttp((_, response) => response.end('what the server sent'));
    const result = await guest(
      `Object.defineProperty(Object.prototype, 'then', { configurable: true, get() {
        if (!Object.hasOwn(this, 'redirected')) return undefined;
        delete all.Object.prototype.then;
        return (resolve: any) => resolve({ status: 'odd', statusText: '', url: '', redirected: false, headers: ['x\\r\\ny', '1'], text: 'forged' });
      } });
      try { return await (await fetch(url)).text() } finally { delete all.Object.prototype.then }`,
      url,
    );
    expect(result).toBe('what the server sent');
  });

  it('does not keep the bytes of a Blob', async () => {
    const result = await guest(`
      let bytes: Uint8Array | undefined;
      Object.defineProperty(Uint8Array.prototype, 'then', { configurable: true, get() { bytes = this; return undefined } });
      const blob = await new Response('secret').blob();
      delete all.Uint8Array.prototype.then;
      bytes?.fill(65);
      return [await blob.text(), bytes === undefined];`);
    expect(result).toEqual(['secret', true]);
  });

  it('does not change what a pipe and a tee pass on', async () => {
    const result = await guest(`
      const source = () => new ReadableStream({ start(controller) { controller.enqueue('a'); controller.close() } });
      const written: unknown[] = [];
      const [one, other] = source().tee();
      Object.defineProperty(Object.prototype, 'then', { configurable: true, get() {
        return this.value === 'a' ? (resolve: any) => resolve({ value: 'forged', done: false }) : undefined;
      } });
      const target = () => new WritableStream({ write(chunk) { written.push(chunk) } });
      try { await source().pipeTo(target()); await one!.pipeTo(target()); await other!.pipeTo(target()) } finally { delete all.Object.prototype.then }
      return written;`);
    expect(result).toEqual(['a', 'a', 'a']);
  });

  it('does not change how an abort is reported by a species of Promise', async () => {
    const { url } = await serveHttp(() => {});
    const result = await guest(
      `const stop = new AbortController();
      const fetched = fetch(url, { signal: stop.signal }).catch((error) => error.name);
      let heard = 0;
      stop.signal.addEventListener('abort', () => { heard += 1 });
      Object.defineProperty(Promise, Symbol.species, { get() { throw new Error('species') } });
      stop.abort();
      return [heard, await fetched];`,
      url,
    );
    expect(result).toEqual([1, 'AbortError']);
  });

  it('gets no promise of the evaluation of its module', async () => {
    const { forge } = await createKernel();
    const { result } = await forge(`
      const read: unknown[] = [];
      Object.defineProperty(Promise.prototype, 'constructor', { configurable: true, get() { read.push(this); return Promise } });
      await undefined;
      const count = read.length;
      export default () => count;`);
    expect(result).toBe(0);
  });

  it('does not lose an answer by a call that it makes while another answer arrives', async () => {
    // The answer to the outer call arrives while the inner one waits.
    const policy = async (/** @type {{ effect: string, path?: string }} */ { effect, path }) => {
      if (effect === 'read') await pause(path === 'outer.md' ? 300 : 600);
      return /** @type {const} */ ('allow');
    };
    const { forge, tools } = await createKernel(
      { policy, sandbox: { wallMs: 5000 } },
      { sandboxAPI: { quick: () => ({ a: 1 }) } },
    );
    await tools.write_file.execute({ path: 'outer.md', content: 'outer' });
    await tools.write_file.execute({ path: 'inner.md', content: 'inner' });
    const { result } = await forge(`export default async () => {
      const all: any = globalThis;
      let inner = '';
      const answer = all.tgp.quick();
      Object.defineProperty(Object.prototype, 'then', { configurable: true, get() {
        if (Object.hasOwn(this, 'a') && inner === '') inner = tgp.read_file('inner.md');
        return undefined;
      } });
      const outer = tgp.read_file('outer.md');
      await answer;
      delete all.Object.prototype.then;
      return [outer, inner];
    }`);
    expect(result).toEqual(['outer', 'inner']);
  });

  it('gets no internal decoder of a stream', async () => {
    const result = await guest(`
      const stream = new TextDecoderStream('latin1', { fatal: true, ignoreBOM: true });
      const read: unknown[] = [];
      for (const name of ['encoding', 'fatal', 'ignoreBOM']) {
        Object.defineProperty(TextDecoder.prototype, name, { configurable: true, get() { read.push(this); return 'forged' } });
      }
      return [stream.encoding, stream.fatal, stream.ignoreBOM, read.length];`);
    expect(result).toEqual(['windows-1252', true, true, 0]);
  });

  it('does not change what methods of events and entries do', async () => {
    const result = await guest(`
      const event = new Event('x', { cancelable: true });
      const mark = performance.mark('mine', { startTime: 5 });
      const measure = performance.measure('span', { start: 1, end: 3 });
      let calls = 0;
      all.Event.prototype.preventDefault = () => { calls += 1 };
      for (const name of ['name', 'startTime', 'duration']) {
        Object.defineProperty(PerformanceEntry.prototype, name, { configurable: true, get() { calls += 1; return 'forged' } });
      }
      event.returnValue = false;
      return [event.defaultPrevented, mark.toJSON(), measure.toJSON(), performance.getEntriesByName('mine').length, calls];`);
    const mark = { name: 'mine', entryType: 'mark', startTime: 5, duration: 0, detail: null };
    const measure = { name: 'span', entryType: 'measure', startTime: 1, duration: 2, detail: null };
    expect(result).toEqual([true, mark, measure, 1, 0]);
  });

  it('does not change the copy of a file', async () => {
    const result = await guest(`
      const file = new File(['text'], 'a.txt', { type: 'text/plain' });
      const blob = new Blob(['text'], { type: 'text/html' });
      const { get: name } = Object.getOwnPropertyDescriptor(File.prototype, 'name')! as { get(): string };
      const { get: type } = Object.getOwnPropertyDescriptor(Blob.prototype, 'type')! as { get(): string };
      let calls = 0;
      const forged = { configurable: true, get() { calls += 1; return 'forged' } };
      Object.defineProperty(File.prototype, 'name', forged);
      Object.defineProperty(Blob.prototype, 'type', forged);
      const [copy, other] = [structuredClone(file), structuredClone(blob)];
      return [name.call(copy), type.call(copy), type.call(other), calls];`);
    expect(result).toEqual(['a.txt', 'text/plain', 'text/html', 0]);
  });

  it('does not damage the entries by a name that clears them', async () => {
    const result = await guest(`
      performance.mark('a');
      performance.clearMarks({ toString() { performance.clearMarks(); return 'x' } } as any);
      performance.mark('b');
      performance.getEntriesByName({ toString() { performance.clearMarks(); return 'b' } } as any);
      return performance.getEntries().length;`);
    expect(result).toBe(0);
  });

  it('gets no internal descriptor when an object is logged', async () => {
    const { forge } = await createKernel();
    const { result, logs } = await forge(`export default () => {
      class Mine { field = 1 }
      Object.defineProperty(Mine.prototype, 'constructor', { configurable: true, get: () => Mine });
      let calls = 0;
      Object.defineProperty(Object.prototype, 'value', { configurable: true, get() { calls += 1; return class Forged {} } });
      console.log(new Mine());
      delete (Object.prototype as any).value;
      return calls;
    }`);
    expect([result, logs]).toEqual([0, [expect.objectContaining({ message: '{ field: 1 }' })]]);
  });
});
