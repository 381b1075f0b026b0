/** `node:zlib` in tools: as in Node, and bounded by the run's limits. */

import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const SANDBOX = { workers: 1, memoryMb: 64, timeoutMs: 5000, wallMs: 20_000 };
const HEAD = `import zlib from 'node:zlib';
import { Buffer } from 'node:buffer';
import { promisify } from 'node:util';
`;

async function kernelWithZlib(sandbox = SANDBOX) {
  const { forge } = await createKernel({ allowedImports: ['zlib', 'buffer', 'util'], sandbox });
  return (/** @type {string} */ body, args = {}) =>
    forge(`${HEAD}export default async function (args: any) {\n${body}\n}\n`, args);
}

/** What a function gives or throws, in both places. */
const OUTCOME = `const outcome = (work) => {
  try {
    const value = work();
    return Buffer.isBuffer(value) ? value.toString('hex') : value;
  } catch (error) {
    return [error.name, error.code, error.errno, error.message, Object.keys(error)];
  }
};
`;

const TEXT = 'hello world, '.repeat(3000);
/** Each with the same result in Node. `big` is long text; what is compressed here is read there, so `packed` is Node's. */
const CASES = [
  ...['gzip gunzip', 'deflate inflate', 'deflateRaw inflateRaw'].flatMap((pair) => {
    const [pack, unpack] = pair.split(' ');
    const packed = `Buffer.from(args.${pack}, 'base64')`;
    return [
      `zlib.${unpack}Sync(${packed}).toString() === args.text`,
      `zlib.${unpack}Sync(zlib.${pack}Sync(args.text)).toString() === args.text`,
      `zlib.${unpack}Sync(zlib.${pack}Sync('')).length`,
      `zlib.${unpack}Sync(${packed}.subarray(0, -1))`,
      `zlib.${unpack}Sync(${packed}.subarray(0, -1), { finishFlush: zlib.constants.Z_SYNC_FLUSH }).length`,
      `zlib.${unpack}Sync(${packed}, { maxOutputLength: 1000 })`,
      `zlib.${unpack}Sync(Buffer.from('ffffffffff', 'hex'))`,
      `zlib.${unpack}Sync('')`,
      `zlib.${unpack}Sync(zlib.${pack}Sync(args.text, { level: 9, memLevel: 9, strategy: zlib.constants.Z_RLE, windowBits: 10 })).length`,
      `zlib.${unpack}Sync(zlib.${pack}Sync(args.text, { level: 0, chunkSize: 64 })).length`,
    ];
  }),
  "zlib.deflateSync('aaaaaaaaaa')",
  "zlib.deflateRawSync('abc')",
  "zlib.deflateRawSync('abc', { level: 0 })",
  "zlib.gzipSync('hi')",
  "zlib.gzipSync('hi', { level: 9 })",
  "zlib.deflateSync('')",
  "zlib.gunzipSync(Buffer.concat([zlib.gzipSync('ab'), zlib.gzipSync('cd'), Buffer.alloc(9)])).toString()",
  "zlib.gunzipSync(Buffer.concat([zlib.gzipSync('ab'), Buffer.from('junk')]))",
  "zlib.inflateSync(Buffer.concat([zlib.deflateSync('ab'), Buffer.from('junk')])).toString()",
  "[zlib.unzipSync(zlib.gzipSync('ab')).toString(), zlib.unzipSync(zlib.deflateSync('ab')).toString()]",
  "zlib.unzipSync('junk')",
  "const bytes = zlib.gzipSync('payload'); bytes[bytes.length - 8] ^= 255; return zlib.gunzipSync(bytes)",
  "zlib.inflateSync(zlib.deflateSync('abcabc', { dictionary: Buffer.from('abc') }), { dictionary: Buffer.from('abc') }).toString()",
  "zlib.inflateSync(zlib.deflateSync('abcabc', { dictionary: Buffer.from('abc') }))",
  "zlib.inflateSync(zlib.deflateSync('abcabc', { dictionary: Buffer.from('abc') }), { dictionary: Buffer.from('xyz') })",
  "zlib.inflateRawSync(zlib.deflateRawSync('abcabc', { dictionary: Buffer.from('abc') }), { dictionary: Buffer.from('abc') }).toString()",
  'zlib.inflateSync(zlib.deflateSync(args.text), { windowBits: 9 })',
  "zlib.brotliDecompressSync(Buffer.from(args.brotli, 'base64')).toString() === args.text",
  'zlib.brotliDecompressSync(zlib.brotliCompressSync(args.text)).toString() === args.text',
  "zlib.brotliDecompressSync(zlib.brotliCompressSync('')).length",
  "zlib.brotliDecompressSync(Buffer.from(args.brotli, 'base64').subarray(0, 9))",
  "zlib.brotliDecompressSync(Buffer.from('ffffffff', 'hex'))",
  "zlib.brotliDecompressSync(Buffer.from('0b', 'hex'))",
  "[zlib.crc32('yellow'), zlib.crc32(Buffer.from('low'), zlib.crc32('yel'))]",
  ...["5, 'x'", "'', -1", "'', 1.5", "'', 'x'"].map((given) => `zlib.crc32(${given})`),
  ...['level: 10', "level: 'x'", 'chunkSize: 1', 'windowBits: 7', 'memLevel: 0', 'strategy: 9', 'flush: 9'].map(
    (option) => `zlib.deflateSync('abc', { ${option} })`,
  ),
  ...['dictionary: 1', 'level: Infinity'].map((option) => `zlib.deflateSync('abc', { ${option} })`),
  "[zlib.gzip, zlib.inflateRaw].map((f) => outcome(() => f('abc')))",
  '[5, null, {}].map((value) => outcome(() => zlib.gzipSync(value)))',
  '[new Uint8Array([1, 2]).buffer, new DataView(new ArrayBuffer(3)), new Uint16Array(3)].map((value) => zlib.gunzipSync(zlib.gzipSync(value)).length)',
  'zlib.codes',
  '[zlib.Z_FINISH, zlib.constants.Z_BEST_COMPRESSION, zlib.constants.BROTLI_PARAM_QUALITY]',
  'const { buffer, engine } = zlib.gzipSync("a", { info: true }); return [zlib.gunzipSync(buffer).toString(), engine instanceof zlib.Gzip]',
];

const inNode = (/** @type {string} */ code, /** @type {unknown} */ args) =>
  new Function(
    'zlib',
    'Buffer',
    'args',
    `${OUTCOME}return outcome(() => { ${code.startsWith('const ') ? code : `return ${code}`} })`,
  )(zlib, Buffer, args);

/** Node 20 has no `crc32`; it is only compared where it is there. */
const hasCrc = 'crc32' in zlib;

describe('node:zlib', () => {
  it('gives what Node gives, with its errors', async () => {
    const run = await kernelWithZlib();
    const packed = (/** @type {Buffer} */ bytes) => bytes.toString('base64');
    const args = {
      text: TEXT,
      gzip: packed(zlib.gzipSync(TEXT)),
      deflate: packed(zlib.deflateSync(TEXT)),
      deflateRaw: packed(zlib.deflateRawSync(TEXT)),
      brotli: packed(zlib.brotliCompressSync(TEXT)),
    };
    const cases = CASES.filter((code) => hasCrc || !code.includes('crc32'));
    const works = cases.map((code) => `() => { ${code.startsWith('const ') ? code : `return ${code}`} }`);
    const { result } = await run(`${OUTCOME}return [${works.join(',\n')}].map(outcome);`, args);
    const expected = JSON.parse(JSON.stringify(cases.map((code) => inNode(code, args))));
    const named = (/** @type {unknown[]} */ found) => cases.map((code, at) => [code, found[at]]);
    expect(named(/** @type {unknown[]} */ (result))).toEqual(named(expected));
  });

  it('compresses what Node reads', async () => {
    const run = await kernelWithZlib();
    const { result } = await run(
      'return [zlib.gzipSync(args.text), zlib.deflateSync(args.text), zlib.deflateRawSync(args.text, { level: 9 }), zlib.brotliCompressSync(args.text)].map((b) => b.toString("base64"))',
      { text: TEXT },
    );
    const [gzip, deflate, raw, brotli] = /** @type {string[]} */ (result).map((text) => Buffer.from(text, 'base64'));
    expect(zlib.gunzipSync(gzip ?? '').toString()).toBe(TEXT);
    expect(zlib.inflateSync(deflate ?? '').toString()).toBe(TEXT);
    expect(zlib.inflateRawSync(raw ?? '').toString()).toBe(TEXT);
    expect(zlib.brotliDecompressSync(brotli ?? '').toString()).toBe(TEXT);
    expect(brotli?.length).toBeLessThan(300);
    expect(gzip?.length).toBeLessThan(TEXT.length / 100);
  });

  it('has functions with callbacks, promises and streams', async () => {
    const run = await kernelWithZlib();
    const { result } = await run(
      `const collect = async (stream: any) => { const parts: any[] = []; for await (const part of stream) parts.push(part); return Buffer.concat(parts); };
      const found: any[] = [];
      found.push((await promisify(zlib.unzip as any)(await promisify(zlib.gzip as any)('hi')) as any).toString());
      found.push(await new Promise((resolve) => zlib.inflate(Buffer.from('junk'), (error: any, value: any) => resolve([error.code, value]))));
      const pack = zlib.createGzip({ level: 1 });
      pack.write('abc');
      await new Promise((resolve) => pack.flush(resolve as any));
      found.push(zlib.gunzipSync(pack.read(), { finishFlush: 2 }).toString());
      pack.end('def');
      found.push((await collect(pack)).length > 0);
      const unpack = zlib.createGunzip();
      const bytes = Buffer.from(args.gzip, 'base64');
      let at = 0;
      const write = () => { while (at < bytes.length) { const more = unpack.write(bytes.subarray(at, at += 7)); if (!more) return unpack.once('drain', write); } unpack.end(); };
      write();
      found.push((await collect(unpack)).toString() === args.text, unpack.bytesWritten === bytes.length);
      const broken = zlib.createInflate();
      const failure = new Promise((resolve) => broken.on('error', (error: any) => resolve([error.code, error.errno])));
      broken.end('junk');
      found.push(await failure);
      found.push(zlib.createInflate() instanceof zlib.Inflate, new zlib.Unzip() instanceof zlib.Unzip);
      try { (zlib as any).zstdCompressSync('a'); } catch (error: any) { found.push(error.message.split('.')[1].split(' ')[0]); }
      return found;`,
      { text: TEXT, gzip: zlib.gzipSync(TEXT).toString('base64') },
    );
    expect(result).toEqual([
      'hi',
      ['Z_DATA_ERROR', null],
      'abc',
      true,
      true,
      true,
      ['Z_DATA_ERROR', -3],
      true,
      true,
      'zstdCompressSync',
    ]);
  });
});

describe('THREAT: a tool that decompresses hostile data', () => {
  const bomb = zlib.gzipSync(Buffer.alloc(256 << 20), { level: 9 }).toString('base64');
  const brotli = zlib
    .brotliCompressSync(Buffer.alloc(256 << 20), { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } })
    .toString('base64');

  it.each([
    ['gzip', 'return zlib.gunzipSync(Buffer.from(args.bomb, "base64")).length'],
    ['Brotli', 'return zlib.brotliDecompressSync(Buffer.from(args.brotli, "base64")).length'],
    [
      'a stream that is not read',
      'const unpack = zlib.createGunzip(); const kept: any[] = []; unpack.on("data", (part: any) => kept.push(part)); unpack.end(Buffer.from(args.bomb, "base64")); await new Promise((resolve) => unpack.on("end", resolve)); return kept.length',
    ],
    ['codecs that stay open', 'const kept: any[] = []; for (;;) kept.push(zlib.createGzip())'],
  ])('is bounded in memory: %s', async (_name, body) => {
    const run = await kernelWithZlib();
    await expect(run(body, { bomb, brotli })).rejects.toMatchObject({ code: 'ERR_ISOLATE_MEMORY' });
    expect((await run('return zlib.gunzipSync(zlib.gzipSync("a")).length')).result).toBe(1);
  });

  it('is bounded in time between pieces', async () => {
    const run = await kernelWithZlib({ ...SANDBOX, timeoutMs: 300 });
    const body =
      'const bytes = Buffer.from(args.bomb, "base64"); for (;;) { try { zlib.gunzipSync(bytes, { maxOutputLength: 8 << 20 }); } catch {} }';
    await expect(run(body, { bomb })).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
  });

  it('stops at maxOutputLength', async () => {
    const run = await kernelWithZlib();
    const body =
      'try { zlib.gunzipSync(Buffer.from(args.bomb, "base64"), { maxOutputLength: 1 << 20 }); } catch (error: any) { return error.code; }';
    expect((await run(body, { bomb })).result).toBe('ERR_BUFFER_TOO_LARGE');
  });

  it('calls the engine with values of any kind', async () => {
    const run = await kernelWithZlib();
    const { result } = await run(`
      const parts = (console as any)[Symbol.for('tgp.node')]('zlib');
      const odd: any[] = [undefined, null, -1, 1e9, NaN, 'x', {}, [], () => 1, Symbol(), 2n, new Uint8Array(3), { valueOf() { throw new Error('asked') } }];
      let tried = 0;
      for (const format of ['gzip', 'deflate', 'deflate-raw', 'unzip', 'brotli', 'none'])
        for (const packs of [true, false])
          for (const value of odd) {
            try {
              const codec = parts.openCodec(format, packs, value, value, value, value, value instanceof Uint8Array ? value : undefined);
              for (const other of odd) try { codec.push(new Uint8Array(9), other, other, other) } catch {}
              for (const other of odd) try { codec.push(other, 0, 10, 4) } catch {}
              codec.close(); codec.close();
              try { codec.push(new Uint8Array(9), 0, 10, 4) } catch { tried += 1 }
            } catch {}
          }
      return tried > 0;`);
    expect(result).toBe(true);
  });
});
