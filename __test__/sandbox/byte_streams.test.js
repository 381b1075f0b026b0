/** Byte streams and the readers that bring their own buffers, as in Node 24. */

import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** @param {string} source */
async function guest(source) {
  const { forge } = await createKernel({ sandbox: { timeoutMs: 2000, wallMs: 5000 } });
  const helpers = `const caught = (act: () => unknown) => { try { return act() } catch (error: any) { return error.name } };
    const failed = (promise: Promise<unknown>) => promise.then(() => 'good', (error) => error.name);
    const byteStream = (source: object = {}, strategy?: object) => {
      let controller: any;
      const stream = new ReadableStream({ type: 'bytes', start(one) { controller = one }, ...source } as any, strategy);
      return { stream, controller };
    };
    const step = ({ done, value }: any) => [done, value && [value.constructor.name, value.byteOffset, ...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)]];`;
  return (await forge(`export default async () => { ${helpers} ${source} }`)).result;
}

describe('byte streams', () => {
  it('fill the view of a reader, in its class, and keep what does not fit', async () => {
    const result = await guest(`
      const { stream, controller } = byteStream();
      const reader = stream.getReader({ mode: 'byob' });
      const first = reader.read(new Uint16Array(2));
      controller.enqueue(new Uint8Array([1]));
      controller.enqueue(new Uint8Array([2, 3]));
      const given = new Uint8Array(new ArrayBuffer(8), 3, 4);
      const second = reader.read(given);
      controller.enqueue(new DataView(new Uint8Array([4, 5, 6, 7, 8]).buffer));
      const third = reader.read(new DataView(new ArrayBuffer(2), 1));
      return [step(await first), step(await second), given.byteLength, step(await third)];
    `);
    expect(result).toEqual([
      [false, ['Uint16Array', 0, 1, 2]],
      [false, ['Uint8Array', 3, 3]],
      0,
      [false, ['DataView', 1, 4]],
    ]);
  });

  it('wait for the minimum of a read, and end with an empty view of its buffer', async () => {
    const result = await guest(`
      const { stream, controller } = byteStream();
      const reader = stream.getReader({ mode: 'byob' });
      const first = reader.read(new Uint8Array(4), { min: 3 });
      for (const byte of [1, 2, 3, 4]) controller.enqueue(new Uint8Array([byte]));
      const steps = [step(await first), step(await reader.read(new Uint8Array(4)))];
      const last = reader.read(new Uint8Array(4));
      controller.close();
      controller.byobRequest.respond(0);
      return [...steps, step(await last), (await last).value!.buffer.byteLength, await reader.closed];
    `);
    expect(result).toEqual([
      [false, ['Uint8Array', 0, 1, 2, 3]],
      [false, ['Uint8Array', 0, 4]],
      [true, ['Uint8Array', 0]],
      4,
      null,
    ]);
  });

  it('let the source write into the view of a request, once', async () => {
    const result = await guest(`
      const requests: any[] = [];
      const { stream } = byteStream({
        pull(controller: any) {
          const request = controller.byobRequest;
          requests.push([request === controller.byobRequest, request.view.byteLength]);
          if (requests.length === 1) {
            request.view.set([7, 8]);
            request.respond(2);
          } else request.respondWithNewView(new Uint8Array(request.view.buffer.transfer(), 0, 1));
          requests.push(request.view, caught(() => request.respond(1)));
        },
      });
      const reader = stream.getReader({ mode: 'byob' });
      return [step(await reader.read(new Uint8Array(3))), step(await reader.read(new Uint8Array([5, 6]))), requests];
    `);
    expect(result).toEqual([
      [false, ['Uint8Array', 0, 7, 8]],
      [false, ['Uint8Array', 0, 5]],
      [[true, 3], null, 'TypeError', [true, 2], null, 'TypeError'],
    ]);
  });

  it('allocate chunks for default readers with autoAllocateChunkSize', async () => {
    const result = await guest(`
      let pulls = 0;
      const { stream } = byteStream({
        autoAllocateChunkSize: 3,
        pull(controller: any) {
          pulls += 1;
          if (pulls === 3) controller.close();
          else controller.byobRequest.view.fill(pulls);
          controller.byobRequest.respond(pulls === 3 ? 0 : pulls);
        },
      });
      const chunks: any[] = [];
      for await (const chunk of stream) chunks.push([...chunk]);
      return [chunks, caught(() => byteStream({ autoAllocateChunkSize: 0 }))];
    `);
    expect(result).toEqual([[[1], [2, 2]], 'TypeError']);
  });

  it('take over the buffers of chunks and views', async () => {
    const result = await guest(`
      const { stream, controller } = byteStream({}, { highWaterMark: 10 });
      const chunk = new Uint8Array([1, 2, 3]);
      controller.enqueue(chunk);
      const left = controller.desiredSize;
      const view = new Uint8Array(2);
      const reader = stream.getReader({ mode: 'byob' });
      const read = step(await reader.read(view));
      return [chunk.byteLength, left, read, view.buffer.detached, await failed(reader.read(view)), caught(() => controller.enqueue(chunk)),
        caught(() => controller.enqueue('text')), await failed(reader.read(new Uint8Array(2), { min: 3 })), await failed(reader.read(new Uint8Array(2), { min: 0 }))];
    `);
    expect(result).toEqual([
      0,
      7,
      [false, ['Uint8Array', 0, 1, 2]],
      true,
      'TypeError',
      'TypeError',
      'TypeError',
      'RangeError',
      'TypeError',
    ]);
  });

  it('keep what was written for a reader that let go', async () => {
    const result = await guest(`
      const { stream, controller } = byteStream();
      const first = stream.getReader({ mode: 'byob' });
      const lost = failed(first.read(new Uint8Array(4), { min: 4 }));
      controller.enqueue(new Uint8Array([1, 2]));
      first.releaseLock();
      const second = stream.getReader();
      const read = second.read();
      controller.enqueue(new Uint8Array([3]));
      return [await lost, step(await read), step(await second.read())];
    `);
    expect(result).toEqual(['TypeError', [false, ['Uint8Array', 0, 1, 2]], [false, ['Uint8Array', 0, 3]]]);
  });

  it('fail, cancel and close with part of an element as the standard says', async () => {
    const result = await guest(`
      const reads = async (act: (controller: any, reader: any) => unknown) => {
        const { stream, controller } = byteStream();
        const reader = stream.getReader({ mode: 'byob' });
        const read = reader.read(new Uint16Array(1)).then(step, (error: any) => error?.name ?? error);
        const acted = await caught(() => act(controller, reader));
        return [acted, await read, await failed(reader.closed)];
      };
      return [await reads((controller) => controller.error('bad')), await reads((_, reader) => reader.cancel()),
        await reads((controller) => { controller.enqueue(new Uint8Array(1)); controller.close() }),
        caught(() => new ReadableStream().getReader({ mode: 'byob' })), caught(() => new ReadableStreamBYOBReader(new ReadableStream())),
        caught(() => new (ReadableStreamBYOBRequest as any)()), caught(() => new (ReadableByteStreamController as any)())];
    `);
    expect(result).toEqual([
      [null, 'bad', null],
      [null, [true, null], 'good'],
      ['TypeError', 'TypeError', 'TypeError'],
      'TypeError',
      'TypeError',
      'TypeError',
      'TypeError',
    ]);
  });

  it('are split by tee() and read by pipes', async () => {
    const result = await guest(`
      const requested: any[] = [];
      let count = 0;
      const { stream } = byteStream({
        pull(controller: any) {
          const request = controller.byobRequest;
          requested.push(request?.view.byteLength ?? null);
          count += 1;
          if (count > 2) {
            controller.close();
            request?.respond(0);
          } else if (request) {
            request.view[0] = count;
            request.respond(1);
          } else controller.enqueue(new Uint8Array([count]));
        },
      });
      const [left, right] = stream.tee();
      const reader = left.getReader({ mode: 'byob' });
      const first = step(await reader.read(new Uint8Array(5)));
      const chunks: any[] = [];
      const piped = right.pipeTo(new WritableStream({ write(chunk) { chunks.push([...chunk]) } }));
      const rest = [step(await reader.read(new Uint8Array(5))), step(await reader.read(new Uint8Array(5)))];
      await piped;
      return [first, rest, chunks, requested[0]];
    `);
    expect(result).toEqual([
      [false, ['Uint8Array', 0, 1]],
      [
        [false, ['Uint8Array', 0, 2]],
        [true, ['Uint8Array', 0]],
      ],
      [[1], [2]],
      5,
    ]);
  });

  it('are what bodies and blobs give', async () => {
    const result = await guest(`
      const sources = [new Response('hello').body!, new Response('hello').clone().body!, new Blob(['hello']).stream(),
        new Request('http://a/', { method: 'POST', body: 'hello' }).body!];
      const texts = [];
      for (const source of sources) {
        const reader = source.getReader({ mode: 'byob' });
        let text = '';
        for (let view = new Uint8Array(2); ; ) {
          const { done, value } = await reader.read(view);
          if (done) break;
          text += new TextDecoder().decode(value) + '|';
          view = new Uint8Array(value.buffer);
        }
        texts.push(text);
      }
      return texts;
    `);
    expect(result).toEqual(Array(4).fill('he|ll|o|'));
  });
});
