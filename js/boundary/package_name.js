/** Package names in import specifiers. */

/** @param {string} specifier @returns {string} the name of its package */
export const packageName = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/**
 * Whether a name stays within `node_modules`: `@x/..` would be the folder of all packages.
 * @param {string} name
 */
export const isPackageName = (name) => /^(?:@[^/\\@.][^/\\]*\/)?[^/\\@.][^/\\]*$/.test(name);
