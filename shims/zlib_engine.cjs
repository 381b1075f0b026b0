/** Compression and decompression by the sandbox's engine, step by step, with the options and errors of Node. */

const { Buffer } = require('tgp:buffer');
const { nodeError, invalidType, outOfRange } = require('tgp:node_error');
const constants = require('tgp:zlib_constants');
const part = require('tgp:engine');

const { Z_BLOCK, Z_FINISH, Z_NO_FLUSH } = constants;
const MAX_LENGTH = Number.MAX_SAFE_INTEGER;
/** First byte of a member of a gzip file. */
const GZIP = 0x1f;

/** Each kind of Node's class: the format, whether it compresses, and the constant of its mode. */
const KINDS = {
  __proto__: null,
  Deflate: { format: 'deflate', packs: true, mode: constants.DEFLATE },
  Inflate: { format: 'deflate', packs: false, mode: constants.INFLATE },
  Gzip: { format: 'gzip', packs: true, mode: constants.GZIP },
  Gunzip: { format: 'gzip', packs: false, mode: constants.GUNZIP },
  DeflateRaw: { format: 'deflate-raw', packs: true, mode: constants.DEFLATERAW },
  InflateRaw: { format: 'deflate-raw', packs: false, mode: constants.INFLATERAW },
  Unzip: { format: 'unzip', packs: false, mode: constants.UNZIP },
  BrotliCompress: { format: 'brotli', packs: true, mode: constants.BROTLI_ENCODE },
  BrotliDecompress: { format: 'brotli', packs: false, mode: constants.BROTLI_DECODE },
};

/** An option as a number in a range; absent and NaN are the default. */
function inRange(options, name, min, max, standard) {
  const value = options?.[name];
  if (value === undefined || Number.isNaN(value)) return standard;
  if (typeof value !== 'number') throw invalidType(`options.${name}`, ['number'], value);
  if (value < min || value > max || !Number.isFinite(value)) {
    const range = max === Infinity ? `>= ${min}` : `>= ${min} and <= ${max}`;
    throw outOfRange(`options.${name}`, Number.isFinite(value) ? range : 'a finite number', value);
  }
  return value;
}

/** The options of a stream, checked in Node's order. */
function settingsOf(name, options) {
  const kind = KINDS[name];
  const isBrotli = kind.format === 'brotli';
  const [low, high, standard] = isBrotli ? [0, 3, 0] : [Z_NO_FLUSH, Z_BLOCK, Z_NO_FLUSH];
  const settings = {
    kind,
    chunkSize: inRange(options, 'chunkSize', constants.Z_MIN_CHUNK, Infinity, constants.Z_DEFAULT_CHUNK),
    flush: inRange(options, 'flush', low, high, standard),
    finishFlush: inRange(options, 'finishFlush', low, high, isBrotli ? 2 : Z_FINISH),
    maxOutputLength: inRange(options, 'maxOutputLength', 1, MAX_LENGTH, MAX_LENGTH),
  };
  if (isBrotli) return settings;
  const takesHeader = !kind.packs && kind.format !== 'deflate-raw';
  const window = options?.windowBits;
  settings.windowBits =
    takesHeader && (window === undefined || window === null || window === 0)
      ? 0
      : inRange(options, 'windowBits', kind.mode === constants.GZIP ? 9 : 8, 15, 15);
  settings.level = inRange(options, 'level', -1, 9, -1);
  settings.memLevel = inRange(options, 'memLevel', 1, 9, 8);
  settings.strategy = inRange(options, 'strategy', 0, 4, 0);
  const { dictionary } = options ?? {};
  if (dictionary !== undefined && !ArrayBuffer.isView(dictionary) && !(dictionary instanceof ArrayBuffer)) {
    throw invalidType('options.dictionary', ['Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], dictionary);
  }
  settings.dictionary = dictionary;
  return settings;
}

/** The name of an error of Brotli, as Node shows it. */
function brotliCode(number) {
  const prefix = 'BROTLI_DECODER_ERROR';
  const name = Object.keys(constants).find((key) => key.startsWith(prefix) && constants[key] === number);
  return `ERR_${name?.slice('BROTLI_DECODER'.length)}`;
}

/** Text such as `Z_DATA_ERROR incorrect header check` or `-15 Decompression failed` as an error of Node. */
function errorOf(text) {
  const [what, ...message] = text.split(' ');
  const number = Number(what);
  const found = Number.isNaN(number)
    ? { errno: constants[what], code: what }
    : { errno: number, code: brotliCode(number) };
  return Object.assign(new Error(message.join(' ')), found);
}

const tooLarge = (most) =>
  nodeError(RangeError, 'ERR_BUFFER_TOO_LARGE', `Cannot create a Buffer larger than ${most} bytes`);

/** One stream of data. */
class Engine {
  #codec;
  #settings;
  #isOver = false;
  /** Whether more members may follow: in gzip files. */
  #mayContinue;
  constructor(settings) {
    this.#settings = settings;
    this.#mayContinue = settings.kind.format === 'gzip' && !settings.kind.packs;
    this.#open();
  }
  #open() {
    const { kind, level, windowBits, memLevel, strategy, dictionary } = this.#settings;
    const { openCodec } = part('zlib');
    this.#codec?.close();
    this.#codec = openCodec(kind.format, kind.packs, level, windowBits, memLevel, strategy, dictionary);
    this.#isOver = false;
  }
  /** Whether the data has ended before this place of the input. */
  isOver(input, from) {
    return this.#isOver && !(this.#mayContinue && from < input.length && input[from] !== 0);
  }
  /** @returns bytes read, and output: at most `most` bytes */
  step(flush, input, from, most) {
    if (this.#isOver && this.isOver(input, from)) return [0, Buffer.alloc(0)];
    if (this.#isOver) this.#open();
    if (this.#settings.kind.format === 'unzip' && input[from] === GZIP) this.#mayContinue = true;
    const step = this.#codec.push(input, from, most, flush);
    if (typeof step === 'string') throw errorOf(step);
    const [read, bytes, isOver] = step;
    this.#isOver = isOver;
    const isTruncated = !isOver && flush === this.#lastFlush() && bytes.length < most && from + read >= input.length;
    if (isTruncated && !this.#settings.kind.packs) throw errorOf('Z_BUF_ERROR unexpected end of file');
    return [read, Buffer.from(bytes.buffer, 0, bytes.length)];
  }
  #lastFlush() {
    return this.#settings.kind.format === 'brotli' ? constants.BROTLI_OPERATION_FINISH : Z_FINISH;
  }
  /** All output for a part of the data, in pieces that `emit` takes. @returns bytes read */
  run(flush, input, most, emit) {
    let read = 0;
    for (;;) {
      const [taken, bytes] = this.step(flush, input, read, most);
      read += taken;
      if (bytes.length > 0) emit(bytes);
      const isDone = read >= input.length || (taken === 0 && bytes.length === 0);
      if (this.isOver(input, read) || (!this.#isOver && bytes.length < most && isDone)) return read;
    }
  }
  reset() {
    this.#open();
  }
  /** Other settings for what follows. */
  change(settings) {
    Object.assign(this.#settings, settings);
  }
  close() {
    this.#codec.close();
  }
}

/** The largest piece that the engine returns. */
const PIECE = 65536;

/** The whole output for the whole input. */
function process(settings, input) {
  const engine = new Engine(settings);
  const { maxOutputLength, finishFlush } = settings;
  const pieces = [];
  let length = 0;
  try {
    engine.run(finishFlush, input, PIECE, (bytes) => {
      length += bytes.length;
      if (length > maxOutputLength) throw tooLarge(maxOutputLength);
      pieces.push(bytes);
    });
  } finally {
    engine.close();
  }
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, length);
}

module.exports = { Engine, KINDS, PIECE, process, settingsOf, tooLarge };
