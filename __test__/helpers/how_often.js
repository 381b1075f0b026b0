/**
 * How often something is repeated that must never fail: enough to notice in every run of the tests, and as often as it takes
 * to be sure with `npm run test:long`.
 * @param {{ usual: number, long: number }} times
 */
export function howOften({ usual, long }) {
  return process.env.TGP_LONG_TESTS ? long : usual;
}
