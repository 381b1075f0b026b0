/** Preloaded into a program: resolves packages of the AI SDK from the folder `PACKAGES_FROM`, as in an application. */

import * as modules from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const FROM = pathToFileURL(join(String(process.env.PACKAGES_FROM), 'application.js')).href;

// Node 22 has it, and the types of Node 20 do not.
/** @type {any} */ (modules).registerHooks({
  resolve: (
    /** @type {string} */ specifier,
    /** @type {{ parentURL?: string }} */ context,
    /** @type {any} */ next,
  ) => {
    const isRedirected = /^(?:ai|@ai-sdk\/[\w-]+)$/.test(specifier) && !isInstalled(context);
    return next(specifier, isRedirected ? { ...context, parentURL: FROM } : context);
  },
});

/**
 * Whether a package imports it: packages get their own dependencies.
 * @param {{ parentURL?: string }} context
 */
function isInstalled({ parentURL = '' }) {
  return parentURL.includes('/node_modules/');
}
