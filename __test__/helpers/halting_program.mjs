/** Preloaded into a program: blocks its event loop at times that `HALT_SEED` determines, as on a busy machine. */

const MAX_HALT_MS = 12;
const EVERY_MS = 12;

let state = Number(process.env.HALT_SEED ?? 1);
const cell = new Int32Array(new SharedArrayBuffer(4));

function halt() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  Atomics.wait(cell, 0, 0, (state / 2 ** 32) * MAX_HALT_MS);
}

setInterval(halt, EVERY_MS).unref();
