/**
 * The number of repetitions of something that must never fail: a few with `npm test`, many with `npm run test:long`.
 * @param {{ usual: number, long: number }} times
 */
export function howOften({ usual, long }) {
  return process.env.TGP_LONG_TESTS ? long : usual;
}

/** Whether this is `npm run test:long`: for tests without a short form, whose guarantee another test covers in `npm test`. */
export const IS_LONG = process.env.TGP_LONG_TESTS !== undefined;
