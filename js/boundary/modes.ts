/** The test modes as values, for schemas and options. */

import type { Mode } from '../types/tests.js';

export const MODES = ['explore', 'strict', 'debug'] as const satisfies readonly Mode[];
