/** The numbers of calls and runs: one row for all kernels of this copy of the package. */

/** Above this are the numbers that the native part gives out. */
const MAX_NUMBER = 2 ** 32 - 1;

let last = 0;

/** A number that no other call of this process has, as long as it does not make four thousand million of them. */
export function nextCallNumber() {
  last = last >= MAX_NUMBER ? 1 : last + 1;
  return last;
}
