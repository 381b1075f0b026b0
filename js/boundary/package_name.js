/** Names of packages, as imports hold them. */

/** @param {string} specifier the name of the package that it is in */
export const packageName = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/**
 * Whether it names a folder in `node_modules` and nothing beside it: `@x/..` would be all packages.
 * @param {string} name
 */
export const isPackageName = (name) => /^(?:@[^/\\@.][^/\\]*\/)?[^/\\@.][^/\\]*$/.test(name);
