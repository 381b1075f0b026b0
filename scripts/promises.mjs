/**
 * The guarantees that `npm run break-promises` breaks on purpose, one at a time, each with the tests that must fail. They
 * represent those of docs/threats.md; add an entry for a new kind of guarantee.
 */

import { GUEST_PROMISES } from './promises/guest_promises.mjs';
import { JS_PROMISES } from './promises/js_promises.mjs';
import { RUST_PROMISES } from './promises/rust_promises.mjs';

/**
 * @typedef {object} BrokenPromise
 * @property {string} id
 * @property {string} promise one sentence
 * @property {string} source where it is made: a section of the contract (`CONTRACT 6`, `DOOR Ledger`) or a row of the threats
 * (`THREATS 12`)
 * @property {'js' | 'guest' | 'rust'} layer what has to be built before the tests see the change: `js/` alone, or the addon
 * @property {string} file
 * @property {string} search text that occurs exactly once in the file
 * @property {string} replace what a careless change makes of it
 * @property {string[]} tests test files of `npm test`; at least one of their tests must fail
 * @property {{ package: string, filter: string }} [cargo] a Rust test that finds it too: the crate, and the function
 */

/** The guarantees; those that are built fastest come first. */
export const PROMISES = [...JS_PROMISES, ...GUEST_PROMISES, ...RUST_PROMISES];
