/** `createCipheriv`, `createDecipheriv` and key derivation of `node:crypto` in tools, compared with Node. */

import crypto from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const HELPERS = `
const outcome = (work) => {
  try {
    const value = work();
    return Buffer.isBuffer(value) ? value.toString('hex') : value;
  } catch (error) {
    return [error.name, error.code, error.message];
  }
};
const count = (length) => Buffer.from(Array.from({ length }, (_, i) => (i * 7) & 255));
const k = count(16);
const iv = count(16);
const pieces = (cipher, data, encoding) => {
  const out = [];
  for (let at = 0, size = 1; at < data.length; at += size, size += 3) out.push(cipher.update(data.subarray(at, at + size), undefined, encoding));
  out.push(cipher.final(encoding));
  return encoding ? out : Buffer.concat(out).toString('hex');
};
const both = (name, keyLength, ivLength, length, options) => {
  const secret = count(keyLength);
  const start = ivLength ? count(ivLength) : null;
  const lock = crypto.createCipheriv(name, secret, start, options);
  if (name.endsWith('gcm')) lock.setAAD(count(5)).setAAD(count(20));
  const packed = Buffer.from(pieces(lock, count(length)), 'hex');
  const open = crypto.createDecipheriv(name, secret, start, options);
  if (name.endsWith('gcm')) open.setAAD(Buffer.concat([count(5), count(20)])).setAuthTag(lock.getAuthTag());
  return [packed.toString('hex'), name.endsWith('gcm') && lock.getAuthTag().toString('hex'), pieces(open, packed)];
};
`;
const CASES = [
  ...['aes-128-cbc', 'aes-192-cbc', 'aes-256-ctr', 'aes-128-ecb', 'aes-256-gcm', 'id-aes128-GCM', 'AES256'].map(
    (name) => {
      const bits = Number(/128|192|256/.exec(name)?.[0]);
      const ivLength = /ecb/.test(name) ? 0 : /gcm/i.test(name) ? 12 : 16;
      return `[0, 1, 15, 16, 17, 100].map((length) => both('${name}', ${bits / 8}, ${ivLength}, length))`;
    },
  ),
  "both('aes-128-gcm', 16, 20, 50, { authTagLength: 12 })",
  "pieces(crypto.createCipheriv('aes-128-cbc', k, iv), count(70), 'base64')",
  "pieces(crypto.createCipheriv('aes-128-ctr', 'sixteen letters!', iv), count(70), 'hex')",
  "crypto.createCipheriv('x', k, iv)",
  'crypto.createCipheriv(5, k, iv)',
  "crypto.createCipheriv('aes-256-cbc', k, iv)",
  "crypto.createCipheriv('aes-128-cbc', 5, iv)",
  "crypto.createCipheriv('aes-128-cbc', k, 5)",
  "crypto.createCipheriv('aes-128-cbc', k, count(5))",
  "crypto.createCipheriv('aes-128-cbc', k, null)",
  "crypto.createCipheriv('aes-128-ecb', k, iv)",
  "crypto.createCipheriv('aes-128-gcm', k, '')",
  "crypto.createCipheriv('aes-128-gcm', k, iv, { authTagLength: 17 })",
  "const d = crypto.createDecipheriv('aes-128-cbc', k, iv); d.update(count(16)); return d.final()",
  "const d = crypto.createDecipheriv('aes-128-cbc', k, iv); d.update(count(15)); return d.final()",
  "crypto.createDecipheriv('aes-128-cbc', k, iv).final()",
  "crypto.createDecipheriv('aes-128-cbc', k, iv).setAutoPadding(false).final()",
  "const c = crypto.createCipheriv('aes-128-cbc', k, iv).setAutoPadding(false); c.update('abc'); return c.final()",
  "const c = crypto.createCipheriv('aes-128-cbc', k, iv); c.final(); return c.final()",
  "const c = crypto.createCipheriv('aes-128-gcm', k, iv); c.update('a'); return c.setAAD(k)",
  "crypto.createCipheriv('aes-128-gcm', k, iv).getAuthTag()",
  "crypto.createCipheriv('aes-128-cbc', k, iv).setAAD(k)",
  "crypto.createCipheriv('aes-128-gcm', k, iv).setAAD(5)",
  "crypto.createCipheriv('aes-128-gcm', k, iv).update(5)",
  "const d = crypto.createDecipheriv('aes-128-gcm', k, iv, { authTagLength: 16 }); return d.final()",
  "const d = crypto.createDecipheriv('aes-128-gcm', k, iv, { authTagLength: 16 }).setAuthTag(count(16)); d.update('abc'); return d.final()",
  "crypto.createDecipheriv('aes-128-gcm', k, iv).setAuthTag(count(5))",
  "crypto.createCipheriv('aes-128-cbc', crypto.createSecretKey(k), iv).final('hex')",
  "crypto.getCipherInfo('aes-256-gcm')",
  "crypto.getCipherInfo('x')",
  ...['sha1', 'sha256', 'SHA-384', 'sha512', 'sha224', 'md5'].map(
    (hash) =>
      `[1, 2, 5000].map((rounds) => crypto.pbkdf2Sync('password', 'salt', rounds, 70, '${hash}').toString('hex'))`,
  ),
  "crypto.pbkdf2Sync('a', 'b', 0, 1, 'sha1')",
  "crypto.pbkdf2Sync('a', 'b', 1, -1, 'sha1')",
  "crypto.pbkdf2Sync('a', 'b', 1, 1, 'none')",
  "crypto.hkdfSync('sha1', 'a', 'b', 'c', 255 * 20 + 1)",
  'crypto.timingSafeEqual(k, count(3))',
  "crypto.createHash('sha256').update(5)",
  "crypto.createHmac('none', 'a')",
  "const h = crypto.createHash('sha1'); h.digest(); return h.digest()",
  "crypto.createHash('shake128', { outputLength: 8 }).update('x').digest('hex')",
  "crypto.createCipheriv('aes-128-cbc', k, iv) instanceof crypto.Cipheriv",
];
const bodyOf = (/** @type {string} */ code) => (code.startsWith('const ') ? code : `return ${code}`);

describe('node:crypto', () => {
  it('encrypts, decrypts and derives as in Node, with its errors', async () => {
    const { forge } = await createKernel({ allowedImports: ['crypto', 'buffer'], sandbox: { timeoutMs: 20_000 } });
    const works = CASES.map((code) => `() => { ${bodyOf(code)} }`).join(',\n');
    const { result } = await forge(
      `// @ts-nocheck\nimport crypto from 'node:crypto';\nimport { Buffer } from 'node:buffer';\n${HELPERS}export default () => [${works}].map(outcome);`,
    );
    const found = /** @type {unknown[]} */ (result);
    for (const [at, code] of CASES.entries()) {
      const expected = new Function('crypto', 'Buffer', `${HELPERS}return outcome(() => { ${bodyOf(code)} })`)(
        crypto,
        Buffer,
      );
      expect(found[at] ?? null, code).toEqual(JSON.parse(JSON.stringify(expected ?? null)));
    }
  });

  it('THREAT: iterations without end are stopped at the CPU time', async () => {
    const sandbox = { workers: 1, timeoutMs: 300, wallMs: 20_000 };
    const { forge } = await createKernel({ allowedImports: ['crypto'], sandbox });
    const tool = (/** @type {string} */ body) => `import crypto from 'node:crypto';\nexport default () => ${body};`;
    const endless = tool("crypto.pbkdf2Sync('a', 'b', 2147483647, 64, 'sha512').length");
    await expect(forge(endless)).rejects.toMatchObject({ code: 'ERR_ISOLATE_TIMEOUT' });
    expect((await forge(tool("crypto.pbkdf2Sync('a', 'b', 1, 8, 'sha1').length"))).result).toBe(8);
  });

  it('calls the engine with values of any kind', async () => {
    const { forge } = await createKernel({ sandbox: { timeoutMs: 10_000 } });
    const { result } = await forge(`
      const parts = (console as any)[Symbol.for('tgp.node')]('crypto');
      const odd: any[] = [undefined, null, -1, 1e9, NaN, 'x', {}, [], () => 1, Symbol(), 2n, new Uint8Array(3), new Uint8Array(16), new ArrayBuffer(32), { valueOf() { throw new Error('asked') } }];
      let opened = 0;
      for (const mode of ['gcm', 'ctr', 'cbc', 'ecb', 'none', ...odd])
        for (const key of odd) for (const iv of odd) {
          try {
            const cipher = parts.openCipher(mode, true, key, iv, iv);
            opened += 1;
            for (const other of odd) try { cipher.update(other) } catch {}
            cipher.end?.(); cipher.end?.();
          } catch {}
          try { parts.pbkdf2('SHA-1', key, iv, key, iv) } catch {}
        }
      return opened > 0;`);
    expect(result).toBe(true);
  });
});
