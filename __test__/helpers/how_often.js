/**
 * How often something is repeated that must never fail: enough to notice in every run of the tests, and as often as it takes
 * to be sure with `npm run test:long`.
 * @param {{ usual: number, long: number }} times
 */
export function howOften({ usual, long }) {
  return process.env.TGP_LONG_TESTS ? long : usual;
}

/** Whether this is `npm run test:long`: for what has no short form, and whose promise another test keeps in `npm test`. */
export const IS_LONG = process.env.TGP_LONG_TESTS !== undefined;
