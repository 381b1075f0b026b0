/** `structuredClone` with `transfer`, compared with what Node 24 does. */

import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const HELPERS = `
  const bytes = () => new Uint8Array([1, 2, 3]).buffer;
  const errorOf = (act: () => unknown) => { try { act(); return 'none' } catch (error: any) { return error.name } };
`;

/** @param {string} source */
async function guest(source) {
  const { forge } = await createKernel({ sandbox: { timeoutMs: 2000 } });
  return (await forge(`${HELPERS} export default async () => { ${source} }`)).result;
}

describe('structuredClone with transfer', () => {
  it('moves array buffers, with the views of them, and detaches the originals', async () => {
    const result = await guest(`
      const buffer = bytes();
      const unlisted = bytes();
      const view = new Uint8Array(buffer, 1);
      const copy = structuredClone({ buffer, view, again: view, data: new DataView(buffer, 1, 2), map: new Map([[buffer, unlisted]]) }, { transfer: new Set([buffer]) } as any);
      const [[key, other]] = copy.map;
      const unused = bytes();
      const none = structuredClone(1, { transfer: [unused] });
      return [buffer.detached, buffer.byteLength, view.length, copy.view.buffer === copy.buffer, copy.again === copy.view, [...copy.view], copy.data.byteOffset,
        copy.data.byteLength, key === copy.buffer, unlisted.detached, [...new Uint8Array(other)], other === unlisted, unused.detached, none, structuredClone(1, null as any)];
    `);
    expect(result).toEqual([true, 0, 0, true, true, [2, 3], 1, 2, true, false, [1, 2, 3], false, true, 1, 1]);
  });

  it('refuses what cannot be transferred, and leaves everything in place', async () => {
    const result = await guest(`
      const gone = bytes();
      gone.transfer();
      const twice = bytes();
      const kept = bytes();
      const raced = bytes();
      const locked = new ReadableStream();
      locked.getReader();
      const lists: any[] = [[twice, twice], [{}], [new Uint8Array(1)], [gone], [locked], [() => 1], [1], null, 'ab', 5];
      return [
        lists.map((transfer) => errorOf(() => structuredClone(1, { transfer }))),
        errorOf(() => structuredClone(1, 5 as any)), errorOf(() => structuredClone(gone)), errorOf(() => structuredClone(new ReadableStream())),
        errorOf(() => structuredClone({ kept, refused() {} }, { transfer: [kept] })), kept.detached,
        errorOf(() => structuredClone({ get a() { raced.transfer(); return 1 } }, { transfer: [kept, raced] })), kept.detached, twice.detached,
      ];
    `);
    const refused = 'DataCloneError';
    expect(result).toEqual([
      [...Array(6).fill(refused), ...Array(4).fill('TypeError')],
      'TypeError',
      refused,
      refused,
      refused,
      false,
      refused,
      false,
      false,
    ]);
  });

  it('moves streams: the originals are locked, and their chunks are copied', async () => {
    const result = await guest(`
      const chunk = { a: 1 };
      const source = new ReadableStream({ start(c) { c.enqueue(chunk); c.close() } });
      const out = structuredClone(source, { transfer: [source] } as any);
      const read: any[] = [];
      for await (const item of out) read.push(item);
      const written: any[] = [];
      const sink = new WritableStream({ write(item) { written.push(item) }, close() { written.push('close') } });
      const writer = structuredClone({ sink }, { transfer: [sink] } as any).sink.getWriter();
      await writer.write(chunk);
      await writer.close();
      const through = new TransformStream();
      const moved = structuredClone(through, { transfer: [through] } as any);
      const into = moved.writable.getWriter();
      into.write('x');
      into.close();
      const passed: any[] = [];
      for await (const item of moved.readable) passed.push(item);
      const failing = new ReadableStream({ start(c) { c.error(new RangeError('x')) } });
      const failed = await structuredClone(failing, { transfer: [failing] } as any).getReader().read().catch((error: any) => error.name);
      const wrong = new ReadableStream({ start(c) { c.enqueue(() => 1) } });
      const uncopied = await structuredClone(wrong, { transfer: [wrong] } as any).getReader().read().catch((error: any) => error.name);
      return [source.locked, out instanceof ReadableStream, read, read[0] !== chunk, sink.locked, written, written[0] !== chunk, through.readable.locked,
        through.writable.locked, moved instanceof TransformStream, passed, failed, uncopied];
    `);
    expect(result).toEqual([
      true,
      true,
      [{ a: 1 }],
      true,
      true,
      [{ a: 1 }, 'close'],
      true,
      true,
      true,
      true,
      ['x'],
      'RangeError',
      'DataCloneError',
    ]);
  });

  it('shows a guest that replaced built-ins no internal value', async () => {
    const result = await guest(`
      const seen: any[] = [];
      const note = function (this: any, ...values: any[]) { seen.push(this, ...values) };
      const buffer = bytes();
      const value = { buffer, view: new Uint8Array(buffer) };
      for (const name of ['get', 'set', 'has', 'forEach']) (Map.prototype as any)[name] = note;
      (ArrayBuffer.prototype as any).transfer = note;
      for (const name of ['push', 'map', 'then', 'keep', 'mark', 'isMark', '0', '1']) Object.defineProperty(Object.prototype, name, { set: note, configurable: true });
      const copy = structuredClone(value, { transfer: [buffer] });
      return [seen.length, copy.view.length, copy.view.buffer === copy.buffer];
    `);
    expect(result).toEqual([0, 3, true]);
  });
});
