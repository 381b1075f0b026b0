/**
 * The promises that `npm run break-promises` breaks on purpose, one at a time: each names the tests that must find it. They stand for
 * the others of docs/threats.md; a new kind of promise gets an entry of its own.
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
 * @property {'js' | 'guest' | 'rust'} layer what has to be built before the tests see the change: nothing, or the addon
 * @property {string} file
 * @property {string} search text that occurs exactly once in the file
 * @property {string} replace what a careless change makes of it
 * @property {string[]} tests test files of `npm test`; at least one of their tests must fail
 * @property {{ package: string, filter: string }} [cargo] a Rust test that finds it too: the crate, and the function
 */

/** Those that need no build come first. */
export const PROMISES = [...JS_PROMISES, ...GUEST_PROMISES, ...RUST_PROMISES];
