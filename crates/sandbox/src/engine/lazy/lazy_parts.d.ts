/** What the scripts of `lazy/` add to the realm. */

interface LazyParts {
  // inspect_text.js to inspect_format.js
  inspecting: InspectParts;
  inspectWith(value: Guest, options: Guest, most?: number): string;
  formatWith(options: Guest, values: Guest[], most?: number): string;
  inspectFunction: Guest;
  // node_parts.js
  newNodeParts(kind: string): object;
  // node_cipher.js
  openCipher(mode: string, encrypts: boolean, key: Guest, iv: Guest, aad: Guest): object;
  nodePbkdf2(hash: string, password: Guest, salt: Guest, iterations: Guest, length: Guest): Bytes;
  // node_codec.js
  openCodec(
    format: string,
    packs: boolean,
    level: Guest,
    windowBits: Guest,
    memLevel: Guest,
    strategy: Guest,
    dictionary: Guest,
  ): object;
  // console_table.js
  tableText(data: Guest, wanted: Guest): string | undefined;
  // promises.js
  promises: RealmPromises;
  optionalFunction(object: Guest, name: string, owner: string): Guest;
  readStrategy(strategy: Guest, standard: number): Strategy;
  sizeOfChunk(size: SizeOf | undefined, chunk: Guest): number;
  // byte_queue.js, byte_stream.js
  placeOf(view: Guest): Place | undefined;
  newByteQueue(state: ReadableState, chunkSize: number | undefined): ByteQueue;
  newByteController(state: ReadableState, chunkSize: Guest): object;
  newByobReader(stream: ReadableStreamObject): object;
  // readable_chunks.js
  chunksOf(reader: StreamReader, keeps: boolean): object;
  // readable_stream.js, writable_stream.js, stream_pipes.js, transform_stream.js
  readableStates: ReadableStates;
  readable: ReadableFunctions;
  writableStates: WritableStates;
  writable: WritableFunctions;
  pipeStream(stream: Guest, target: Guest, init: Guest): Promise<void>;
  pipeThroughPair(stream: Guest, pair: Guest, init: Guest): Guest;
  teeStream(stream: Guest): ReadableStreamObject[];
  transformOf(ends: StreamEnds): object;
  endsOfTransform(value: Guest): StreamEnds | undefined;
  /** What `console` shows of objects of stream classes, by class. */
  streamParts: Table<any>;
  noteStream(state: ReadableState | WritableState | TransformState, stream: object): void;
  untilSettled(promise: Promise<unknown>): Promise<unknown>;
  newTransform(
    transform: (chunk: Guest, pass: Pass) => Promise<void>,
    flush: (pass: Pass) => Promise<void>,
  ): StreamEnds;
  // kept/temporal.deflate
  toTemporalInstant(this: Date): object;
  // transfer.js
  cloneAndTransfer(value: Guest, transfer: Guest): Guest;
  // blob.js
  isBlob(value: Guest): boolean;
  isFile(value: Guest): boolean;
  bytesOfBlob(blob: BlobObject): Bytes;
  typeOfBlob(blob: BlobObject): string;
  nameOfFile(file: BlobObject): string;
  newBlob(bytes: Bytes, type: string): BlobObject;
  changeOfFile(file: BlobObject): number;
  newFile(bytes: Bytes, name: string, type: string, lastModified?: number): BlobObject;
  joinBytes(chunks: List<Bytes>): Bytes;
  partOfBytes(bytes: Bytes, from: number, to: number): Bytes;
  wholeCopy(bytes: Bytes): Bytes;
  streamOf(bytes: Bytes): ReadableStreamObject;
  // form_data.js, multipart.js
  isFormData(value: Guest): boolean;
  shownForm(form: FormObject): List<string | BlobObject>;
  pairsOfForm(form: FormObject): List<Pair<string | BlobObject>>;
  newForm(pairs: List<Pair<string | BlobObject>>): FormObject;
  writeForm(form: FormObject): { bytes: Bytes; type: string };
  readForm(bytes: Bytes, type: string): FormObject;
  // body.js
  addBody(
    Class: { prototype: object },
    bodyOf: (self: Guest) => Body | undefined,
    typeOf: (self: Guest) => string | undefined,
  ): void;
  toBody(value: Guest): Body;
  textBody(text: string, type?: string): Body;
  bytesBody(bytes: Bytes, type?: string): Body;
  copyBody(body: Body): Body;
  takeBytes(body: Body): Promise<BoxedBytes>;
  isUsableBody(body: Body): boolean;
  bytesInBody(body: Body): Bytes;
  // abortable_answer.js, request.js, response.js
  abortable(answer: Promise<Guest>, signal: SignalObject, token: number): Promise<Guest>;
  requestOf(value: Guest): RequestRecord | undefined;
  responseFrom(answer: Guest): object;
  // crypto_key.js, algorithms.js, key_import.js, subtle_crypto.js
  keys: KeyFunctions;
  algorithms: Algorithms;
  keyImport: KeyImport;
  subtle: object;
  // aes.js
  aesCiphers: AesCiphers;
  // suite_parts.js, aes_keys.js, key_derivation.js, key_agreement.js, rsa_numbers.js, rsa_oaep.js
  suites: Table<Suite>;
  suiteParts: SuiteParts;
  pbkdf2(hash: string, password: Bytes, salt: Bytes, iterations: number, length: number): Bytes;
  hkdf(hash: string, secret: Bytes, salt: Bytes, info: Bytes, length: number): Bytes;
  rsaNumbers: RsaNumbers;
  rsaJwk(found: KeyState): object;
  newRsaKeys(algorithm: Guest, extractable: boolean, usages: Guest): object;
}

/** Bytes that a promise is resolved with: resolving reads `then`, which bytes inherit. */
interface BoxedBytes extends Internal {
  readonly bytes: Bytes;
}
interface RequestRecord extends Internal {
  url: string;
  method: string;
  headers: HeadersObject;
  body: Body | undefined;
  signal: SignalObject;
  keepalive: boolean;
  redirect: string;
  [plain: string]: Guest;
}
interface ResponseRecord extends Internal {
  readonly type: string;
  status: number;
  statusText: string;
  url: string;
  redirected: boolean;
  headers: HeadersObject;
  body: Body | undefined;
}

interface PipeEnd extends Internal {
  readonly how: 'aborted' | 'source' | 'target' | 'done';
  readonly error: Guest;
}
interface PipeOptions extends Internal {
  readonly preventAbort: boolean;
  readonly preventCancel: boolean;
  readonly preventClose: boolean;
  readonly signal: SignalObject | undefined;
}

/** The state of an entry of `performance`. */
interface EntryFacts extends Internal {
  readonly name: string;
  readonly type: string;
  readonly start: number;
  readonly duration: number;
}

type SizeOf = (chunk: Guest) => Guest;
type Pass = (chunk: Guest) => Promise<void>;
interface Strategy extends Internal {
  readonly most: number;
  readonly size: SizeOf | undefined;
}
interface StreamEnds extends Internal {
  readable: ReadableStreamObject;
  writable: WritableStreamObject;
}
interface Chunk extends Internal {
  readonly chunk?: Guest;
  readonly size: number;
}

interface StreamReader extends Internal {
  state: ReadableState | undefined;
  readonly newStep: NewStep;
  /** Whether it brings the views that are to be filled. */
  readonly isByob: boolean;
  readonly requests: Queue<Later<StreamStep>>;
  closed: Later<undefined>;
}
/** Where a view lies in its buffer, and its class. */
interface Place extends Internal {
  readonly View: Guest;
  readonly unit: number;
  readonly data: ArrayBuffer;
  readonly offset: number;
  readonly length: number;
}
/** A view that a reader wants filled, with at least `least` bytes. */
interface WantedView extends Omit<Place, 'data'> {
  data: ArrayBuffer;
  readonly whole: number;
  filled: number;
  readonly least: number;
  /** The kind of the reader; `none` if it has released the stream. */
  by: 'default' | 'byob' | 'none';
}
interface ByobRequest extends Internal {
  readonly state: ReadableState;
  readonly view: Bytes;
  isOver: boolean;
  object: object | undefined;
}
interface ByteQueue extends Internal {
  allocate(): void;
  checkEnd(): void;
  enqueue(chunk: Guest): void;
  finish(): void;
  forget(): void;
  readInto(reader: StreamReader, at: Place, least: number): Promise<StreamStep>;
  released(): void;
  request(): ByobRequest | undefined;
  respond(count: number): void;
  respondWith(at: Place): void;
}
interface ReadableState extends Internal {
  status: 'readable' | 'closed' | 'errored';
  error: Guest;
  stream: object | undefined;
  reader: StreamReader | undefined;
  disturbed: boolean;
  controller: object | undefined;
  queue: Queue<Chunk>;
  held: number;
  most: number;
  size: SizeOf | undefined;
  bytes: ByteQueue | undefined;
  pull: AsyncCallback | undefined;
  cancel: AsyncCallback | undefined;
  started: boolean;
  closing: boolean;
  pulling: boolean;
  again: boolean;
}
interface ReadableStates extends Internal {
  acquire(state: ReadableState, newStep?: NewStep, isByob?: boolean): StreamReader;
  afterChunk(state: ReadableState): void;
  cancel(state: ReadableState, reason: Guest): Promise<void>;
  cancelBy(reader: StreamReader, reason: Guest): Promise<void>;
  close(state: ReadableState): void;
  enqueue(state: ReadableState, chunk: Guest): void;
  fail(state: ReadableState, error: Guest): void;
  invalid(text: string): TypeError;
  nextChunk(state: ReadableState): Guest;
  /** What `console` shows of a reader. */
  partsOf(reader: StreamReader, requests: string): Table<Guest>;
  pullMore(state: ReadableState): void;
  begin(state: ReadableState, started: Promise<unknown>): void;
  newState(): ReadableState;
  read(reader: StreamReader): Promise<StreamStep>;
  release(reader: StreamReader): void;
  wanted(state: ReadableState): number | null;
}
interface ReadableFunctions
  extends Omit<
    ReadableStates,
    'afterChunk' | 'begin' | 'cancelBy' | 'invalid' | 'newState' | 'nextChunk' | 'partsOf' | 'pullMore'
  > {
  /** Ends the stream without answering views that wait. */
  closeOnly(state: ReadableState): void;
  isStream(value: Guest): boolean;
  needStream(value: Guest): ReadableState;
  newByteStream(pull: AsyncCallback, cancelled: AsyncCallback | undefined): ReadableStreamObject;
  newStream(
    pull: AsyncCallback,
    cancelled: AsyncCallback | undefined,
    most: number,
    size?: SizeOf,
    started?: Promise<unknown>,
  ): ReadableStreamObject;
  stateOf(stream: ReadableStreamObject): ReadableState;
}

interface StreamWriter extends Internal {
  state: WritableState | undefined;
  ready: Later<undefined>;
  closed: Later<undefined>;
}
interface WritableState extends Internal {
  status: string;
  error: Guest;
  stream: object | undefined;
  writer: StreamWriter | undefined;
  controller: object | undefined;
  readonly signal: SignalObject;
  write: AsyncCallback | undefined;
  close: AsyncCallback | undefined;
  abort: AsyncCallback | undefined;
  most: number;
  size: SizeOf | undefined;
  held: number;
  queue: Queue<Chunk>;
  readonly requests: Queue<Later<undefined>>;
  started: boolean;
  writing: Later<undefined> | undefined;
  closing: Later<undefined> | undefined;
  closeRequest: Later<undefined> | undefined;
  aborting: Aborting | undefined;
  isFull: boolean;
}
interface Aborting extends Internal {
  readonly request: Later<undefined>;
  readonly reason: Guest;
  readonly wasErroring: boolean;
}
interface Sink extends Internal {
  readonly started?: Promise<unknown>;
  readonly write: AsyncCallback;
  readonly close: AsyncCallback;
  readonly abort: AsyncCallback;
}
interface WritableStates extends Internal {
  abort(state: WritableState, reason: Guest): Promise<unknown>;
  acquire(state: WritableState): StreamWriter;
  close(state: WritableState): Promise<unknown>;
  fail(state: WritableState, error: Guest): void;
  isClosing(state: WritableState): boolean;
  begin(state: WritableState, started: Promise<unknown>): void;
  newState(): WritableState;
  release(writer: StreamWriter): void;
  wanted(state: WritableState): number;
  write(writer: StreamWriter, chunk: Guest): Promise<unknown>;
}
interface WritableFunctions extends Omit<WritableStates, 'begin' | 'newState'> {
  isStream(value: Guest): boolean;
  newStream(sink: Sink, strategy: Strategy): WritableStreamObject;
  stateOf(stream: WritableStreamObject): WritableState;
}
interface TransformState extends Internal {
  out: ReadableState;
  into: WritableState;
  stream: object | undefined;
  controller: object | undefined;
  transform: AsyncCallback | undefined;
  flush: AsyncCallback | undefined;
  cancel: AsyncCallback | undefined;
  /** The end of the stream, from its start. */
  ending: Later<undefined> | undefined;
  change: Later<undefined>;
  isFull: boolean;
}
