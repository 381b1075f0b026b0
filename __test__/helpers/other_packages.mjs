/** Preloaded into a program: packages of the AI SDK come from the folder that `PACKAGES_FROM` names, as an application has them. */

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
    const isMeant = /^(?:ai|@ai-sdk\/[\w-]+)$/.test(specifier) && !isInstalled(context);
    return next(specifier, isMeant ? { ...context, parentURL: FROM } : context);
  },
});

/**
 * Whether a package asks, which gets its own.
 * @param {{ parentURL?: string }} context
 */
function isInstalled({ parentURL = '' }) {
  return parentURL.includes('/node_modules/');
}
