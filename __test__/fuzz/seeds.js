/**
 * Inputs that once failed, by the name of the property: seed and path as fast-check reports them. Every run tries them first.
 * @type {Record<string, { seed: number, path: string }[]>}
 */
export const SEEDS = {
  // A blank line of context at the end of a hunk, in a text that has moved.
  'moved diff': [{ seed: -627729020, path: '279:2:1:1:2:3' }],
};
