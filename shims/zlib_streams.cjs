/** The stream classes of `node:zlib`. */

const { Buffer } = require('tgp:buffer');
const { Transform } = require('tgp:stream');
const constants = require('tgp:zlib_constants');
const { Engine, KINDS, PIECE, settingsOf, tooLarge } = require('tgp:zlib_engine');

const { BROTLI_OPERATION_FLUSH, Z_FULL_FLUSH } = constants;
/** Marks the empty chunks that `flush` writes. */
const FLUSH = Symbol('flush');
const EMPTY = Buffer.alloc(0);

/** What packages use of Node's internal handle. */
const newHandle = (stream, engine) => ({
  close: () => engine.close(),
  reset: () => engine.reset(),
  writeSync(flush, input, from, length, out, at, room) {
    const part = (input ?? EMPTY).subarray(from, from + length);
    let read = 0;
    let written = 0;
    try {
      while (written < room) {
        const most = Math.min(room - written, PIECE);
        const [taken, bytes] = engine.step(flush, part, read, most);
        out.set(bytes, at + written);
        read += taken;
        written += bytes.length;
        const isDone = read >= part.length || (taken === 0 && bytes.length === 0);
        if (engine.isOver(part, read) || (bytes.length < most && isDone)) break;
      }
    } catch (error) {
      stream.destroy(error);
      return;
    }
    stream._writeState[0] = room - written;
    stream._writeState[1] = length - read;
  },
});

/** Common to all classes; called without `new` by those that inherit from them. */
function construct(stream, name, options) {
  const settings = settingsOf(name, options);
  const engine = new Engine(settings);
  const plain = options?.encoding || options?.objectMode || options?.writableObjectMode;
  Transform.call(stream, {
    autoDestroy: true,
    ...options,
    ...(plain ? { encoding: null, objectMode: false, writableObjectMode: false } : {}),
  });
  Object.defineProperty(stream, 'engine', { value: engine });
  stream._handle = newHandle(stream, engine);
  stream._writeState = new Uint32Array(2);
  stream._chunkSize = settings.chunkSize;
  stream._defaultFlushFlag = settings.flush;
  stream._defaultFullFlushFlag = settings.kind.format === 'brotli' ? BROTLI_OPERATION_FLUSH : Z_FULL_FLUSH;
  stream._finishFlushFlag = settings.finishFlush;
  stream._maxOutputLength = settings.maxOutputLength;
  stream._outBuffer = Buffer.alloc(settings.chunkSize);
  stream._outOffset = 0;
  stream.bytesWritten = 0;
}

function release(stream) {
  if (!stream._handle) return;
  stream._handle.close();
  stream._handle = null;
}

/** Passes the output for a chunk on, as long as the reader takes it. */
function pump(stream, flush, chunk, done) {
  const most = Math.min(stream._chunkSize, PIECE);
  let at = 0;
  const go = () => {
    try {
      for (;;) {
        if (stream.destroyed) return;
        const [read, bytes] = stream.engine.step(flush, chunk, at, most);
        at += read;
        stream.bytesWritten += read;
        const isFull = bytes.length > 0 && !stream.push(bytes);
        const isOver = stream.engine.isOver(chunk, at);
        // Data after the end of a stream is not read.
        if (isOver && at < chunk.length) stream.push(null);
        if (isOver || (bytes.length < most && at >= chunk.length)) return void done();
        if (isFull) return wait();
      }
    } catch (error) {
      done(error);
    }
  };
  const wait = () => {
    const read = stream._read;
    stream._read = (size) => {
      stream._read = read;
      go();
      stream._read(size);
    };
  };
  go();
}

const METHODS = {
  _transform(chunk, _encoding, done) {
    const { ending, ended, length } = this._writableState;
    const isLast = (ending || ended) && length === chunk.byteLength;
    pump(this, chunk[FLUSH] ?? (isLast ? this._finishFlushFlag : this._defaultFlushFlag), chunk, done);
  },
  _flush(done) {
    this._transform(EMPTY, '', done);
  },
  _destroy(error, done) {
    release(this);
    done(error);
  },
  _processChunk(chunk, flush, done) {
    if (typeof done === 'function') return pump(this, flush, chunk, done);
    const pieces = [];
    let length = 0;
    const most = Math.min(this._chunkSize, PIECE);
    try {
      this.bytesWritten += this.engine.run(flush, chunk, most, (bytes) => {
        length += bytes.length;
        if (length > this._maxOutputLength) throw tooLarge(this._maxOutputLength);
        pieces.push(bytes);
      });
    } finally {
      release(this);
    }
    return length === 0 ? EMPTY : Buffer.concat(pieces, length);
  },
  flush(kind, done) {
    if (typeof kind === 'function') return this.flush(undefined, kind);
    if (this.writableFinished) return void (done && queueMicrotask(done));
    if (this.writableEnded) return void (done && this.once('end', done));
    const chunk = Buffer.alloc(0);
    chunk[FLUSH] = kind ?? this._defaultFullFlushFlag;
    this.write(chunk, '', done);
  },
  close(done) {
    if (done) this.destroyed ? queueMicrotask(done) : this.once('close', done);
    this.destroy();
  },
  /** Only flushes: level and strategy stay, which any reader accepts. */
  params(_level, _strategy, done) {
    this.flush(constants.Z_SYNC_FLUSH, done);
  },
  reset() {
    this._handle?.reset();
  },
};

/** The parent of all classes, as in Node. */
function ZlibBase() {}
Object.setPrototypeOf(ZlibBase.prototype, Transform.prototype);
Object.setPrototypeOf(ZlibBase, Transform);
for (const [name, value] of Object.entries(METHODS)) {
  Object.defineProperty(ZlibBase.prototype, name, { value, writable: true, configurable: true });
}
Object.defineProperty(ZlibBase.prototype, '_closed', {
  get() {
    return !this._handle;
  },
  configurable: true,
});

function classOf(name) {
  function Class(options) {
    if (!(this instanceof Class)) return new Class(options);
    construct(this, name, options);
  }
  Object.defineProperty(Class, 'name', { value: name });
  Object.setPrototypeOf(Class.prototype, ZlibBase.prototype);
  Object.setPrototypeOf(Class, ZlibBase);
  return Class;
}

module.exports = Object.fromEntries(Object.keys(KINDS).map((name) => [name, classOf(name)]));
