/** Hostile values that a function of the application returns as rows, by name. */

const MB = 2 ** 20;

/** @param {number} levels */
function nested(levels) {
  /** @type {unknown[]} */
  let value = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

/** @returns {unknown} */
function cycle() {
  /** @type {any} */
  const value = { name: 'a' };
  value.self = value;
  return value;
}

/** @returns {unknown} */
function branching() {
  /** @type {any[]} */
  const value = [];
  value.push(value, value, value);
  return value;
}

const endlessProxy = () =>
  new Proxy(
    {},
    {
      ownKeys: () => ['next'],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: (_target, name) => (name === 'next' ? endlessProxy() : undefined),
    },
  );

const throwing = () => {
  throw new Error('no');
};

/** @type {Record<string, () => unknown>} */
export const ANSWERS = {
  'nested 100 000 deep': () => [{ v: nested(100_000) }],
  'a cycle': () => [cycle()],
  'a cycle with branches': () => [branching()],
  'a getter that throws': () => [Object.defineProperty({}, 'v', { enumerable: true, get: throwing })],
  'toJSON that throws': () => [{ v: { toJSON: throwing } }],
  'toJSON that never ends': () => {
    const value = { toJSON: () => ({ ...value }) };
    return [{ v: value }];
  },
  'a proxy that throws': () => [new Proxy({}, { ownKeys: throwing, has: throwing, get: throwing })],
  'a proxy without end': () => [endlessProxy()],
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return [proxy];
  },
  'an integer of a million digits': () => [{ v: 1n << 4_000_000n }],
  'an array with holes for 4 billion': () => {
    /** @type {unknown[]} */
    const holes = [];
    holes.length = 2 ** 32 - 1;
    return [{ v: holes }];
  },
  '100 MB of bytes': () => [{ v: Buffer.alloc(100 * MB) }],
  '100 MB of text': () => [{ v: 'x'.repeat(100 * MB) }],
  '4 MB of control characters': () => [{ v: '\u0001'.repeat(4 * MB - 100) }],
  '10 million rows': () => Array(10_000_000).fill({ v: 1 }),
  'rows that throw': () => ({
    get rows() {
      return throwing();
    },
  }),
  'an error without a message': () => {
    throw Object.create(null);
  },
  'an error of 100 MB': () => {
    throw new Error('x'.repeat(100 * MB));
  },
  'an error that throws': () => {
    throw new Proxy(new Error('x'), { get: throwing, has: throwing, getPrototypeOf: throwing });
  },
  'odd values': () => [
    { a: undefined, b: Number.NaN, c: Symbol('s'), d: () => 1, e: new Date(Number.NaN), f: new Map([[1, 2]]), g: -0 },
  ],
};
