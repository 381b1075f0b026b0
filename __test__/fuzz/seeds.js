/**
 * Inputs that once broke something, by the name of the property: seed and path as fast-check told them. Every run tries them first.
 * @type {Record<string, { seed: number, path: string }[]>}
 */
export const SEEDS = {};
