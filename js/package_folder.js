import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of this package. This file lies directly in `js/` because its CommonJS copy lies directly in `dist/`: both are
 * one folder deep, so one way up is right for both.
 */
export const PACKAGE_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));
