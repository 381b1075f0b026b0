/** Values that are too large to be transferred: a matching error, and the next case runs in the same worker. */

const huge = "const huge = 'x'.repeat(1e9 / 2);\n";
const caught = (/** @type {string} */ code) =>
  `${huge}try { ${code} } catch (error) { return error.code ?? error.name }`;

/** @type {import('../outcome.mjs').Case[]} */
export const cases = [
  { name: 'host call', code: caught('return await tgp.exec_tool(huge, {})'), expected: 'ERR_LIMIT' },
  { name: 'write_file', code: caught("return tgp.write_file('/tmp/a', huge)"), expected: 'ERR_LIMIT' },
  { name: 'fetch', code: caught('return await fetch(huge)'), expected: 'ERR_LIMIT' },
  { name: 'URL', code: caught('return new URL(huge).href'), expected: 'RangeError' },
  { name: 'require', code: caught('return require(huge)'), expected: 'RangeError' },
  { name: 'TextEncoder', code: caught('return new TextEncoder().encode(huge).length'), expected: 'RangeError' },
  { name: 'log', code: `${huge}console.log(huge, { huge });\nreturn 1`, expected: 1 },
  { name: 'stack', code: `${huge}return new Error(huge).stack.length < 1000`, expected: true },
];
