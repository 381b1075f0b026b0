/** Streams of the web platform, and the classes that transform them. */

interface QueuingStrategy<Chunk = any> {
  highWaterMark?: number;
  size?(chunk: Chunk): number;
}

declare class ReadableStreamDefaultController<Chunk = any> {
  private constructor();
  readonly desiredSize: number | null;
  enqueue(chunk: Chunk): void;
  close(): void;
  error(reason?: unknown): void;
}

interface ReadableStreamReadValueResult<Chunk> {
  done: false;
  value: Chunk;
}
interface ReadableStreamReadDoneResult<Chunk> {
  done: true;
  value?: Chunk;
}
type ReadableStreamReadResult<Chunk> = ReadableStreamReadValueResult<Chunk> | ReadableStreamReadDoneResult<Chunk>;

declare class ReadableStreamDefaultReader<Chunk = any> {
  constructor(stream: ReadableStream<Chunk>);
  readonly closed: Promise<undefined>;
  read(): Promise<ReadableStreamReadResult<Chunk>>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

declare class ReadableStreamBYOBRequest {
  private constructor();
  readonly view: Uint8Array<ArrayBuffer> | null;
  respond(bytesWritten: number): void;
  respondWithNewView(view: ArrayBufferView): void;
}

declare class ReadableByteStreamController {
  private constructor();
  readonly byobRequest: ReadableStreamBYOBRequest | null;
  readonly desiredSize: number | null;
  enqueue(chunk: ArrayBufferView): void;
  close(): void;
  error(reason?: unknown): void;
}

interface ReadableStreamBYOBReader {
  readonly closed: Promise<undefined>;
  read<View extends ArrayBufferView>(
    view: View,
    options?: { min?: number },
  ): Promise<{ done: false; value: View } | { done: true; value: View | undefined }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}
declare var ReadableStreamBYOBReader: {
  prototype: ReadableStreamBYOBReader;
  new (stream: ReadableStream): ReadableStreamBYOBReader;
};

interface StreamPipeOptions {
  preventAbort?: boolean;
  preventCancel?: boolean;
  preventClose?: boolean;
  signal?: AbortSignal;
}

interface UnderlyingByteSource {
  type: 'bytes';
  autoAllocateChunkSize?: number;
  start?(controller: ReadableByteStreamController): unknown;
  pull?(controller: ReadableByteStreamController): unknown;
  cancel?(reason?: any): unknown;
}
interface UnderlyingDefaultSource<Chunk = any> {
  type?: undefined;
  start?(controller: ReadableStreamDefaultController<Chunk>): unknown;
  pull?(controller: ReadableStreamDefaultController<Chunk>): unknown;
  cancel?(reason?: any): unknown;
}
type UnderlyingSource<Chunk = any> = UnderlyingByteSource | UnderlyingDefaultSource<Chunk>;
interface ReadableWritablePair<Out = any, In = any> {
  readable: ReadableStream<Out>;
  writable: WritableStream<In>;
}
type ReadableStreamReader<Chunk> = ReadableStreamDefaultReader<Chunk> | ReadableStreamBYOBReader;

declare class ReadableStream<Chunk = any> implements AsyncIterable<Chunk> {
  constructor(source: UnderlyingByteSource, strategy?: { highWaterMark?: number });
  constructor(source?: UnderlyingDefaultSource<Chunk>, strategy?: QueuingStrategy<Chunk>);
  static from<Item>(items: AsyncIterable<Item> | Iterable<Item | PromiseLike<Item>>): ReadableStream<Item>;
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>;
  getReader(options: { mode: 'byob' }): ReadableStreamBYOBReader;
  getReader(options?: { mode?: undefined }): ReadableStreamDefaultReader<Chunk>;
  pipeThrough<Out>(pair: ReadableWritablePair<Out, Chunk>, options?: StreamPipeOptions): ReadableStream<Out>;
  pipeTo(target: WritableStream<Chunk>, options?: StreamPipeOptions): Promise<void>;
  tee(): [ReadableStream<Chunk>, ReadableStream<Chunk>];
  values(options?: { preventCancel?: boolean }): AsyncIterableIterator<Chunk>;
  [Symbol.asyncIterator](options?: { preventCancel?: boolean }): AsyncIterableIterator<Chunk>;
}

declare class WritableStreamDefaultController {
  private constructor();
  readonly signal: AbortSignal;
  error(reason?: unknown): void;
}

declare class WritableStreamDefaultWriter<Chunk = any> {
  constructor(stream: WritableStream<Chunk>);
  readonly closed: Promise<undefined>;
  readonly ready: Promise<undefined>;
  readonly desiredSize: number | null;
  write(chunk: Chunk): Promise<void>;
  close(): Promise<void>;
  abort(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

interface UnderlyingSink<Chunk = any> {
  start?(controller: WritableStreamDefaultController): unknown;
  write?(chunk: Chunk, controller: WritableStreamDefaultController): unknown;
  close?(): unknown;
  abort?(reason?: any): unknown;
}

declare class WritableStream<Chunk = any> {
  constructor(sink?: UnderlyingSink<Chunk>, strategy?: QueuingStrategy<Chunk>);
  readonly locked: boolean;
  abort(reason?: unknown): Promise<void>;
  close(): Promise<void>;
  getWriter(): WritableStreamDefaultWriter<Chunk>;
}

declare class TransformStreamDefaultController<Out = any> {
  private constructor();
  readonly desiredSize: number | null;
  enqueue(chunk: Out): void;
  error(reason?: unknown): void;
  terminate(): void;
}

interface Transformer<In = any, Out = any> {
  start?(controller: TransformStreamDefaultController<Out>): unknown;
  transform?(chunk: In, controller: TransformStreamDefaultController<Out>): unknown;
  flush?(controller: TransformStreamDefaultController<Out>): unknown;
  cancel?(reason?: any): unknown;
}

declare class TransformStream<In = any, Out = any> {
  constructor(
    transformer?: Transformer<In, Out>,
    writableStrategy?: QueuingStrategy<In>,
    readableStrategy?: QueuingStrategy<Out>,
  );
  readonly readable: ReadableStream<Out>;
  readonly writable: WritableStream<In>;
}

interface QueuingStrategyInit {
  highWaterMark: number;
}

declare class CountQueuingStrategy {
  constructor(init: QueuingStrategyInit);
  readonly highWaterMark: number;
  size(): number;
}

declare class ByteLengthQueuingStrategy {
  constructor(init: QueuingStrategyInit);
  readonly highWaterMark: number;
  size(chunk: { byteLength: number }): number;
}

declare class TextEncoderStream {
  readonly encoding: string;
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<string>;
}

declare class TextDecoderStream {
  constructor(label?: string, options?: TextDecoderOptions);
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<BufferSource>;
}

type CompressionFormat = 'gzip' | 'deflate' | 'deflate-raw';

declare class CompressionStream {
  constructor(format: CompressionFormat);
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<BufferSource>;
}

declare class DecompressionStream {
  constructor(format: CompressionFormat);
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<BufferSource>;
}
