/** How streams end: closing, cancelling and waiting, as in Node 24. */

import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** @param {string} source */
async function guest(source) {
  const { forge } = await createKernel({ sandbox: { timeoutMs: 2000, wallMs: 5000 } });
  return (await forge(`export default async () => { ${source} }`)).result;
}

describe('ends of streams', () => {
  it('a branch of tee() reads ahead: closed settles without a reader that reads', async () => {
    const result = await guest(`
      const [a, b] = new ReadableStream({ start(c) { c.close() } }).tee();
      const closed = [await a.getReader().closed.then(() => 'closed'), await b.getReader().closed.then(() => 'closed')];
      let pulls = 0;
      new ReadableStream({ pull(c) { c.enqueue(++pulls) } }, { highWaterMark: 0 }).tee();
      await new Promise((done) => setTimeout(done, 5));
      return [closed, pulls];
    `);
    expect(result).toEqual([['closed', 'closed'], 1]);
  });

  it('pipeTo a target that is full ends when its source does', async () => {
    const result = await guest(`
      const outcomes: any[] = [];
      for (const end of ['close', 'error'] as const) {
        const log: any[] = [];
        let controller: any;
        const source = new ReadableStream({ start(c) { controller = c } });
        const target = new WritableStream({ write(k) { log.push(k) }, close() { log.push('close') }, abort(e) { log.push('abort', e) } }, { highWaterMark: 0 });
        const piped = source.pipeTo(target).then(() => 'done', (error) => ['failed', error]);
        setTimeout(() => controller[end]('reason'), 1);
        outcomes.push([await piped, log]);
      }
      const all: any[] = [];
      await new ReadableStream({ start(c) { c.enqueue(1); c.enqueue(2); c.close() } }).pipeTo(new WritableStream({ write(k) { all.push(k) } }));
      return [outcomes, all];
    `);
    expect(result).toEqual([
      [
        ['done', ['close']],
        [
          ['failed', 'reason'],
          ['abort', 'reason'],
        ],
      ],
      [1, 2],
    ]);
  });

  it('pipeTo fails with the error of the other end, if its abort or cancel fails', async () => {
    const result = await guest(`
      const outcomes: any[] = [];
      const failing = (name: string) => async () => { throw name };
      for (const prevent of [{}, { preventAbort: true, preventCancel: true }]) {
        const open = new ReadableStream({ cancel: failing('cancel') });
        const broken = new ReadableStream({ start(c) { c.error('source') } });
        const target = () => new WritableStream({ abort: failing('abort') });
        const badTarget = new WritableStream({ start(c) { c.error('target') } });
        const closed = new WritableStream();
        await closed.close();
        const signal = AbortSignal.abort('signal');
        const pipes = [
          () => broken.pipeTo(target(), prevent),
          () => open.pipeTo(badTarget, prevent),
          () => new ReadableStream({ cancel: failing('cancel') }).pipeTo(closed, prevent),
          () => new ReadableStream({ cancel: failing('cancel') }).pipeTo(target(), { ...prevent, signal }),
          () => new ReadableStream().pipeTo(target(), { ...prevent, signal }),
          () => new ReadableStream({ cancel: failing('cancel') }).pipeTo(new WritableStream(), { ...prevent, signal }),
          () => new ReadableStream().pipeTo(new WritableStream(), { ...prevent, signal }),
        ];
        outcomes.push(await Promise.all(pipes.map((pipe) => pipe().then(() => 'done', (error) => error?.name ?? error))));
      }
      return outcomes;
    `);
    expect(result).toEqual([
      ['abort', 'cancel', 'cancel', 'abort', 'abort', 'cancel', 'signal'],
      ['source', 'target', 'TypeError', 'signal', 'signal', 'signal', 'signal'],
    ]);
  });

  it('an aborted pipeTo aborts and cancels at once, and waits for both', async () => {
    const result = await guest(`
      const log: any[] = [];
      const controller = new AbortController();
      let aborted: any;
      let cancelled: any;
      const source = new ReadableStream({ cancel(reason) { log.push(['cancel', reason]); return new Promise((done) => { cancelled = done }) } });
      const target = new WritableStream({ abort(reason) { log.push(['abort', reason]); return new Promise((done) => { aborted = done }) } });
      const piped = source.pipeTo(target, { signal: controller.signal }).then(() => {}, (error) => log.push(['failed', error]));
      await new Promise((done) => setTimeout(done, 1));
      controller.abort('why');
      await new Promise((done) => setTimeout(done, 1));
      log.push('both called');
      aborted();
      await new Promise((done) => setTimeout(done, 1));
      log.push('one done');
      cancelled();
      await piped;
      return [log, source.locked, target.locked];
    `);
    const calls = [['abort', 'why'], ['cancel', 'why'], 'both called', 'one done', ['failed', 'why']];
    expect(result).toEqual([calls, false, false]);
  });

  it('the first reason ends a pipeTo, at once', async () => {
    const result = await guest(`
      const outcome = (promise: Promise<any>) => promise.then(() => 'done', (error) => error?.name ?? error);
      const late = async (end: 'close' | 'error') => {
        let source: any;
        const stop = new AbortController();
        const target = new WritableStream();
        const piped = new ReadableStream({ start(c) { source = c } }).pipeTo(target, { signal: stop.signal, preventAbort: true, preventClose: true });
        source[end]('source');
        await undefined;
        stop.abort('signal');
        return [await outcome(piped), await outcome(target.getWriter().write(1))];
      };
      const broken = () => new ReadableStream({ start(c) { c.error('source') } });
      const erroring = await outcome(broken().pipeTo(new WritableStream({ start(c) { c.error('target') } })));
      const closing: string[] = [];
      const target = new WritableStream({ close() { closing.push('close') }, abort(reason) { closing.push(reason) } });
      const writer = target.getWriter();
      const closed = outcome(writer.close());
      writer.releaseLock();
      const piped = [erroring, await outcome(broken().pipeTo(target)), await closed];
      return [await late('close'), await late('error'), piped, closing];
    `);
    expect(result).toEqual([['done', 'done'], ['source', 'done'], ['target', 'source', 'source'], ['source']]);
  });

  it('pipeTo fails with the error of a write that fails while the source closes', async () => {
    const result = await guest(`
      const source = new ReadableStream({ start(c) { c.enqueue(1); c.close() } });
      const target = new WritableStream({ write() { return new Promise((_, fail) => setTimeout(() => fail('write'), 1)) } });
      return source.pipeTo(target).then(() => 'done', (error) => error);
    `);
    expect(result).toBe('write');
  });

  it('a transformer is called once at the end, and a failure of cancel rejects what waits for it', async () => {
    const result = await guest(`
      const log: string[] = [];
      const failing = () => new TransformStream({ cancel() { log.push('cancel'); throw 'no' }, flush() { log.push('flush') } });
      const outcome = (promise: Promise<any>) => promise.then(() => 'done', (error) => error);
      const one = failing();
      const both = await Promise.all([outcome(one.readable.cancel('why')), outcome(one.writable.close())]);
      const two = failing();
      const aborted = await Promise.all([outcome(two.readable.cancel('why')), outcome(two.writable.abort('why'))]);
      const three = failing();
      const reversed = await Promise.all([outcome(three.writable.abort('why')), outcome(three.readable.cancel('why'))]);
      const fine = new TransformStream({ cancel() { log.push('fine') } });
      const quiet = await Promise.all([outcome(fine.readable.cancel('why')), outcome(fine.writable.abort('other'))]);
      let controller: any;
      const flushed = new TransformStream({ start(c) { controller = c }, flush() { controller.error('late') } });
      flushed.readable.getReader().closed.catch(() => {});
      return [both, aborted, reversed, quiet, await outcome(flushed.writable.close()), log];
    `);
    expect(result).toEqual([
      ['no', 'no'],
      ['no', 'no'],
      ['no', 'no'],
      ['done', 'done'],
      'late',
      ['cancel', 'cancel', 'cancel', 'fine'],
    ]);
  });

  it('a compression whose reader has left ends', async () => {
    const result = await guest(`
      const { readable, writable } = new CompressionStream('gzip');
      const writer = writable.getWriter();
      const ended = writer.write(crypto.getRandomValues(new Uint8Array(60_000))).then(() => writer.close()).then(() => 'done', (error) => error.name ?? error);
      await new Promise((done) => setTimeout(done, 1));
      await readable.cancel('enough');
      const open = new Promise((done) => setTimeout(() => done('open'), 500));
      return Promise.race([ended, open]);
    `);
    expect(['done', 'enough', 'TypeError']).toContain(result);
  });

  it('sums of sizes are those of floating-point numbers, and not negative', async () => {
    const result = await guest(`
      const sizes: number[] = [];
      let controller: any;
      const strategy = { size: (chunk: number) => chunk, highWaterMark: 0 };
      const reader = new ReadableStream({ start(c) { controller = c } }, strategy).getReader();
      const writer = new WritableStream({}, strategy).getWriter();
      for (const chunk of [1e-16, 1, 2e-16]) { controller.enqueue(chunk); writer.write(chunk).catch(() => {}) }
      for (let i = 0; i < 3; i++) { await reader.read(); sizes.push(controller.desiredSize) }
      await new Promise((done) => setTimeout(done, 1));
      return [sizes, writer.desiredSize];
    `);
    const held = 1e-16 + 1 + 2e-16;
    const sums = [held - 1e-16, held - 1e-16 - 1, held - 1e-16 - 1 - 2e-16].map((size) => 0 - size);
    expect(result).toEqual([sums, sums[2]]);
  });

  it('errors of constructors and controllers have the class of the standard', async () => {
    const result = await guest(`
      const caught = (act: () => unknown) => { try { act(); return 'none' } catch (error: any) { return error.name ?? error } };
      const found: string[] = [];
      new TransformStream({ start(c) { c.error(new RangeError('no')); found.push(caught(() => c.enqueue(1))) } });
      const size = () => { throw new SyntaxError('second') };
      found.push(caught(() => new ReadableStream().getReader(5 as any)));
      found.push(caught(() => new WritableStream({}, { size: 1 as any, highWaterMark: NaN })));
      let controller: any;
      const first = { size: () => { controller.error(new URIError('first')); return size() } };
      found.push(caught(() => new TransformStream({ start(c) { controller = c; c.enqueue(1) } }, undefined, first)));
      return found;
    `);
    expect(result).toEqual(['TypeError', 'TypeError', 'TypeError', 'URIError']);
  });

  it('functions of sinks and iterators get and return what the standard says', async () => {
    const result = await guest(`
      const counts: Record<string, number> = {};
      const count = (name: string) => (...all: unknown[]) => { counts[name] = all.length };
      const sink = { start: count('start'), write: count('write'), close: count('close'), abort: count('abort') };
      const writer = new WritableStream(sink).getWriter();
      writer.write(1);
      await writer.close();
      await new WritableStream(sink).abort('why');
      await new ReadableStream({ cancel: count('cancel') }).cancel();
      await new TransformStream({ cancel: count('cancelled') }).readable.cancel();
      const stopped: any[] = [];
      const answers = [5, {}, Promise.resolve(5), undefined];
      for (const symbol of ['iterator', 'asyncIterator'] as const) for (const answer of answers) {
        const source: any = { [Symbol[symbol]]() { return this }, next: () => ({ done: false, value: 1 }), return: () => answer };
        stopped.push(await ReadableStream.from(source).cancel().then(() => 'done', (error) => error.name));
      }
      return [counts, stopped];
    `);
    expect(result).toEqual([
      { start: 1, write: 2, close: 0, abort: 1, cancel: 1, cancelled: 1 },
      ['TypeError', 'done', 'done', 'TypeError', 'TypeError', 'done', 'TypeError', 'TypeError'],
    ]);
  });

  it('return() of an iterator cancels the stream, even before the first next()', async () => {
    const result = await guest(`
      const cancelled: any[] = [];
      const make = () => new ReadableStream({ start(c) { c.enqueue(1); c.enqueue(2); c.close() }, cancel(reason) { cancelled.push(reason) } });
      const first = make();
      const early = first.values();
      const stopped = await early.return!('why');
      const after = [await early.next(), await early.return!('again')];
      const second = make();
      const kept = await second.values({ preventCancel: true }).return!('kept');
      const promised = new ReadableStream({ start(c) { c.enqueue(Promise.resolve(1)); c.close() } });
      const unchanged = (await promised.values().next()).value instanceof Promise;
      const third = make();
      const overlapping = third.values();
      const steps = await Promise.all([overlapping.next(), overlapping.next(), overlapping.next(), overlapping.return!(9)]);
      const own = Object.getOwnPropertyNames(Object.getPrototypeOf(early));
      const failing = new ReadableStream({ cancel() { throw new RangeError('no') } });
      const failed = await failing.values().return!().catch((error: any) => error.name);
      return [stopped, cancelled, first.locked, after, kept, second.locked, unchanged, steps, third.locked, own, failed, failing.locked];
    `);
    expect(result).toEqual([
      { done: true, value: 'why' },
      ['why'],
      false,
      [{ done: true }, { done: true, value: 'again' }],
      { done: true, value: 'kept' },
      false,
      true,
      [{ done: false, value: 1 }, { done: false, value: 2 }, { done: true }, { done: true, value: 9 }],
      false,
      ['next', 'return'],
      'RangeError',
      false,
    ]);
  });

  it('a copied or renamed File keeps lastModified', async () => {
    const result = await guest(`
      const file = new File(['x'], 'a.txt', { lastModified: 5 });
      const form = new FormData();
      form.append('same', file);
      form.append('renamed', file, 'b.txt');
      return [structuredClone(file).lastModified, ...['same', 'renamed'].map((name) => (form.get(name) as File).lastModified)];
    `);
    expect(result).toEqual([5, 5, 5]);
  });
});
