/** Guarantees implemented in the scripts of the guest's realm. */

const REALM = 'crates/sandbox/src/engine/isolate/bootstrap';

/** @type {import('../promises.mjs').BrokenPromise[]} */
export const GUEST_PROMISES = [
  {
    id: 'bridge-prototypes',
    promise: 'The bridge returns correct answers whatever a guest does to the prototypes.',
    source: 'THREATS 6',
    layer: 'guest',
    file: `${REALM}/host.js`,
    search: "    define(values, 'toJSON', undefined);\n",
    replace: '',
    tests: ['__test__/sandbox/authority.test.js'],
  },
  {
    id: 'bridge-primordials',
    promise: 'Results are serialised by the rules whatever a guest does to JSON.',
    source: 'THREATS 6',
    layer: 'guest',
    file: `${REALM}/results.js`,
    search: "JSONStringify(value, replace) ?? 'null'",
    replace: "JSON.stringify(value, replace) ?? 'null'",
    tests: ['__test__/sandbox/fresh_realm.test.js'],
  },
  {
    id: 'host-error-codes',
    promise: 'A guest cannot throw an error with a code of the host.',
    source: 'THREATS 6',
    layer: 'guest',
    file: `${REALM}/errors.js`,
    search: 'out.host_code = weakMapGet(hostFaults, error) ?? null;',
    replace: 'out.host_code = weakMapGet(hostFaults, error) ?? error.code ?? null;',
    tests: ['__test__/sandbox/fresh_realm.test.js'],
  },
  {
    id: 'result-size',
    promise: 'A result that is too large is rejected before it is written, with its path and size.',
    source: 'CONTRACT 6',
    layer: 'guest',
    file: `${REALM}/start.js`,
    search: 'realm.most.result = resultBytes;',
    replace: 'realm.most.result = callBytes;',
    tests: ['__test__/sandbox/huge_values.test.js'],
  },
  {
    id: 'fixed-clock',
    promise: 'With a fixed seed and time, a run gives the same output every time.',
    source: 'THREATS 22',
    layer: 'guest',
    file: `${REALM}/start.js`,
    search: '    if (now !== undefined) realm.startClock(now);\n',
    replace: '',
    tests: ['__test__/sandbox/determinism.test.js'],
  },
  {
    id: 'crypto-points',
    promise: 'A curve point is accepted in one encoding only.',
    source: 'THREATS 40',
    layer: 'guest',
    file: 'crates/sandbox/src/engine/lazy/crypto_key.js',
    search: 'return point[0] === 4 && x < p',
    replace: 'return x < p',
    tests: ['__test__/sandbox/crypto_import.test.js'],
  },
];
