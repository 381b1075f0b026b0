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
