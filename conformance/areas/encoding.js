/** `TextEncoder`, `TextDecoder`, `atob`, `btoa`. */

const STREAMED = {
  shift_jis: [0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x41, 0xb1],
  'euc-jp': [0xa5, 0xc6, 0x8f, 0xb0, 0xa1, 0x8e, 0xb1, 0x41],
  'iso-2022-jp': [0x41, 0x1b, 0x24, 0x42, 0x25, 0x46, 0x25, 0x39, 0x1b, 0x28, 0x42, 0x42],
  'euc-kr': [0xc7, 0xd1, 0xb1, 0xdb, 0x41],
  gbk: [0xd6, 0xd0, 0xce, 0xc4, 0x41],
  gb18030: [0xd6, 0xd0, 0x81, 0x30, 0x81, 0x30, 0x41, 0x90, 0x30, 0x81, 0x30],
  big5: [0xa4, 0xa4, 0xa4, 0xe5, 0x41],
  'utf-8': [0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0x41],
  'utf-16le': [0x3d, 0xd8, 0x00, 0xde, 0x41, 0x00],
  'utf-16be': [0xd8, 0x3d, 0xde, 0x00, 0x00, 0x41],
  'windows-1251': [0x80, 0x41, 0xff],
};
const WRONG = {
  shift_jis: [0x83],
  'euc-jp': [0x8f, 0xb0],
  gb18030: [0x81, 0x30],
  big5: [0xa4],
  'utf-8': [0x41, 0xe2, 0x82],
  'utf-16le': [0x3d, 0xd8],
};

/** @type {{ name: string, code: string, expected?: unknown }[]} */
export const cases = [
  ...Object.entries(STREAMED).flatMap(([label, bytes]) =>
    [1, 2, 3].map((size) => ({
      name: `${label} in pieces of ${size}`,
      code: `const d = new TextDecoder('${label}', { fatal: true }); const b = new Uint8Array(${JSON.stringify(bytes)}); let t = ''; for (let i = 0; i < b.length; i += ${size}) t += d.decode(b.subarray(i, i + ${size}), { stream: true }); return [t + d.decode(), new TextDecoder('${label}').decode(b), d.encoding]`,
    })),
  ),
  ...Object.entries(WRONG).flatMap(([label, bytes]) => [
    {
      name: `${label} that is cut, and over`,
      code: `const d = new TextDecoder('${label}'); const b = new Uint8Array(${JSON.stringify(bytes)}); return [d.decode(b, { stream: true }).length, d.decode().length > 0, d.decode(new Uint8Array([0x41, 0])).charCodeAt(0)]`,
    },
    {
      name: `${label} that is cut, and fatal`,
      code: `const d = new TextDecoder('${label}', { fatal: true }); d.decode(new Uint8Array(${JSON.stringify(bytes)}), { stream: true }); try { d.decode(); return 'nothing' } catch (error) { return error.name }`,
    },
  ]),
  {
    name: 'a mark at the start, once',
    code: "const b = new Uint8Array([0xef, 0xbb, 0xbf, 0x41]); const d = new TextDecoder(); return [d.decode(b).length, d.decode(b).length, new TextDecoder('utf-8', { ignoreBOM: true }).decode(b).length, d.decode(b.subarray(0, 2), { stream: true }) + d.decode(b.subarray(2), { stream: true }) + d.decode(b)]",
  },
  {
    name: 'labels',
    code: "return ['utf8', 'UTF-8', ' latin1 ', 'ascii', 'sjis', 'x-sjis', 'gb2312', 'korean', 'utf-16', 'unicode'].map((l) => new TextDecoder(l).encoding)",
  },
  {
    name: 'labels that are none',
    code: "return ['utf-7', '', 'x', 'replacement'].map((l) => { try { return new TextDecoder(l).encoding } catch (e) { return e.name } })",
  },
  {
    name: 'views of everything',
    code: 'const b = new Uint8Array([65, 66, 67, 68]); return [b.buffer, new DataView(b.buffer, 1, 2), new Uint16Array(b.buffer)].map((v) => new TextDecoder().decode(v))',
  },
  {
    name: 'halves of characters',
    code: "return [[...new TextEncoder().encode('a\\ud800b')], new TextEncoder().encodeInto('é€😀', new Uint8Array(5))]",
  },
  {
    name: 'base64',
    code: "return ['', 'YQ==', 'YQ', ' Y Q = = ', 'YWI=', 'YWI', 'a', '=', 'YQ=', 'Y===', '-_', 'YQ==='].map((t) => { try { return atob(t) } catch (e) { return [e.name, e.code] } })",
  },
  {
    name: 'to base64',
    code: "return ['', 'a', 'ÿ\\0', '€', null, 1].map((t) => { try { return btoa(t) } catch (e) { return [e.name, e.code] } })",
  },
  {
    name: 'what decode does not take',
    code: "return [1, 'x', {}, null].map((v) => { try { return new TextDecoder().decode(v) } catch (e) { return e.name } })",
  },
];
