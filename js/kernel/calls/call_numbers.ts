/** Numbers of calls and runs: one sequence for all kernels of this copy of the package. */

/** Higher numbers are assigned by the native part. */
const MAX_NUMBER = 2 ** 32 - 1;

let last = 0;

/** The next call number. It is unique in this process until it wraps after 2³² − 1 calls. */
export function nextCallNumber() {
  last = last >= MAX_NUMBER ? 1 : last + 1;
  return last;
}
