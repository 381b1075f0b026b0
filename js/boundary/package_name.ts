/** Package names in import specifiers. */

/** @returns the name of its package */
export const packageName = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** Whether a name stays within `node_modules`: `@x/..` would be the folder of all packages. */
export const isPackageName = (name: string) => /^(?:@[^/\\@.][^/\\]*\/)?[^/\\@.][^/\\]*$/.test(name);
