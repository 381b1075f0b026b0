/** `URL` and `URLSearchParams`, where Node 20 agrees with the current standard. */

const tries = (/** @type {string} */ code) => `try { ${code}; return 'nothing' } catch (error) { return error.name }`;

const INPUTS = [
  'http://a/b/../c/./d?e#f',
  'HTTP://USER:pass@Example.COM:80/%7Efoo/../a%2fb?q=1#frag',
  'https://a:443/',
  'http://a:0443/',
  'ftp://a:21/x',
  'http://1.2.3',
  'http://0x7f.1/',
  'http://0300.168.0.0xF0',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://[::1]:80/',
  'http://[1:2::3:4]/',
  'http://[::ffff:1.2.3.4]/',
  'http://[1::2::3]/',
  'http://[::1',
  'http://münchen.de/ä?ö#ü',
  'http://faß.de/',
  'http://xn--mnchen-3ya.de/',
  'http://a b/',
  'http://a%41/',
  'http://a%00/',
  'http://a<b/',
  'http:/a/b',
  'http:a',
  'http:\\\\a\\b',
  'http://a\\b',
  '//a/b',
  '/a',
  'a',
  '',
  '#x',
  '?y',
  'mailto:a@b.c',
  'data:text/plain,hello world',
  'javascript:alert(1)',
  'blob:https://a.b/c',
  'file:///C|/a/../b',
  'file://localhost/a',
  'file:c:\\x\\y',
  'file:///a//b/..//c',
  'file://host/C:/',
  'non-special://host:80/a/../b?c',
  'non-special:/a//b',
  'non-special:/..//p',
  'non-special:opaque path',
  'a:b:c',
  '1a:b',
  'http://a:99999/',
  'http://a:b/',
  'http://@/',
  'http://u@/',
  'http://:80/',
  'http://a:@b/',
  'http://a@b@c/',
  ' http://a/\n\tb ',
  'http://a/%zz%2',
  'http://a/\ud800',
  'http://a/😀',
  'ws://a/b#c',
  'http://a?b',
  'http://a#b',
  'http://a/?\'"<>`',
  'http://a/{}|"<>`',
  'http://a./',
  'http://a..b/',
  'http://-a.b/',
  'http://\u00ad/',
  'http://a/..%2e/%2E%2e/b',
];
const BASES = ['http://base/x/y?q#f', 'file:///C:/d/e', 'mailto:x', 'non-special://h/p/q'];
const PARTS =
  '(u) => [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash]';

const SETS = {
  protocol: ['https', 'https:foo', 'file', 'mailto', 'x', '', '1a', 'HTTPS:'],
  username: ['a b', '', 'ä:@'],
  password: ['p@:/', ''],
  host: ['b', 'b:81', ':81', '', 'b:', 'b/c', '[::1]:1', 'b?c', 'b:99999', 'ä.de'],
  hostname: ['b', 'b:81', '', '[::1]', 'b#c'],
  port: ['80', '81', '', '65536', '8x', ' 9', '0'],
  pathname: ['', 'a', '/a/../b', '\\a', '?#', 'ä b', '//x'],
  search: ['', '?', 'a=b', '?a#b', "'ä"],
  hash: ['', '#', 'a b', '#ä`'],
};
const FROM = ['http://u:p@a:8080/b?c#d', 'https://a/', 'file:///x', 'mailto:y', 'non-special://h/p', 'non-special:/p'];

/** @type {{ name: string, code: string, expected?: unknown }[]} */
export const cases = [
  ...INPUTS.map((input) => ({
    name: `URL ${JSON.stringify(input)}`,
    code: `const parts = ${PARTS}; return [undefined, ...${JSON.stringify(BASES)}].map((base) => { try { return parts(new URL(${JSON.stringify(input)}, base)) } catch (error) { return error.name } })`,
  })),
  ...Object.entries(SETS).flatMap(([part, values]) =>
    // Node 20 differs from the standard when setting hosts of unknown schemes.
    FROM.filter((from) => !part.startsWith('host') || !from.startsWith('non-special')).map((from) => ({
      name: `${part} of ${from}`,
      code: `const parts = ${PARTS}; return ${JSON.stringify(values)}.map((value) => { const u = new URL(${JSON.stringify(from)}); u.${part} = value; return parts(u) })`,
    })),
  ),
  {
    // Node 20 drops the port; by the standard it stays.
    name: 'port that begins with no digit',
    code: "const u = new URL('http://a:8080/'); u.port = 'x8'; return u.href",
    expected: 'http://a:8080/',
  },
  {
    name: 'canParse and parse',
    code: "return [URL.canParse('a', 'http://b'), URL.canParse('a'), String(URL.parse?.('http://a') ?? 'http://a/'), URL.canParse(undefined, 'http://a')]",
  },
  { name: 'no arguments', code: tries('new URL()') },
  { name: 'href that is none', code: tries("new URL('http://a').href = 'x'") },
  { name: 'toJSON', code: "return JSON.stringify({ u: new URL('http://a/b?c=d#e') })" },
  {
    name: 'searchParams follow',
    code: "const u = new URL('http://a/?x=1&y=2'); const p = u.searchParams; u.search = '?z=3'; const a = [...p]; p.append('ä', ' '); p.delete('z'); return [a, u.href, u.searchParams === p, (u.href = 'http://b/?n=1', [...p])]",
  },
  {
    name: 'the last parameter takes the mark along',
    code: "const u = new URL('http://a/?x=1#h'); u.searchParams.delete('x'); return u.href",
  },
  {
    name: 'halves of characters',
    code: "const p = new URLSearchParams({ 'a\\ud800': 'b\\udc00', 'a\\ufffd': 'c' }); p.append('\\ud83d', '\\ude00'); p.set('x\\ud800y', '1'); return [[...p].map(([n, v]) => [...n, '=', ...v].map((c) => c.codePointAt(0))), p.toString(), p.has('\\ufffd'), p.get('\\udfff')]",
  },
  {
    name: 'params from everything',
    code: "return ['a=b&c', '?a=b', '??a', '', undefined, null, 1, [['a', 'b'], new Set(['c', 'd'])], { a: 1, b: undefined }, new Map([['m', 2]]), new URLSearchParams('q=1')].map((x) => String(new URLSearchParams(x)))",
    expected: ['a=b&c=', 'a=b', '%3Fa=', '', '', 'null=', '1=', 'a=b&c=d', 'a=1&b=undefined', 'm=2', 'q=1'],
  },
  ...["['a']", "[['a']]", "[['a', 'b', 'c']]", '[1]', '{ [Symbol.iterator]: 1 }', '[null]'].map((input) => ({
    name: `params from ${input}`,
    code: tries(`new URLSearchParams(${input})`),
  })),
  {
    name: 'live iteration of params',
    code: "const p = new URLSearchParams('a=1&b=2&c=3'); const o = []; for (const [n] of p) { o.push(n); p.delete(n) } const q = new URLSearchParams('a=1'); for (const [n] of q) if (q.size < 4) q.append(n + 'x', ''); return [o, String(p), String(q)]",
  },
  {
    name: 'iterators of params',
    code: "const i = new URLSearchParams('a=b').keys(); return [Object.prototype.toString.call(i), i.next(), i.next(), [...new URLSearchParams('a=b').values()]]",
  },
  {
    name: 'sort is stable, by units',
    code: "const p = new URLSearchParams('z=b&a=b&z=a&a=a&😀=1&ﬃ=2'); p.sort(); return p.toString()",
  },
  {
    name: 'delete and has with a value',
    code: "const p = new URLSearchParams('a=1&a=2&b=1'); const h = [p.has('a', '2'), p.has('a', '3'), p.has('a', undefined)]; p.delete('a', '1'); return [h, String(p), p.size]",
  },
  {
    name: 'missing arguments of params',
    code: "const p = new URLSearchParams(); return ['append', 'delete', 'get', 'getAll', 'has', 'set', 'forEach'].map((m) => { try { p[m](); return m } catch (e) { return e.name } })",
  },
  {
    name: 'form encoding',
    code: "return [String(new URLSearchParams({ a: \"*-._ ~!'()äö+&=%\\u0000\\n\" })), [...new URLSearchParams('a+b=c%20d&%zz=%&e=f=g&&h')]]",
  },
];
