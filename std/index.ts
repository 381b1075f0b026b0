/** `@tgp/std`: the standard library for tools. Each part is also a separate module, such as `@tgp/std/csv`. */

export * as csv from './csv.js';
export * as dates from './dates.js';
export * as http from './http.js';
export * as money from './money.js';
export * as stats from './stats.js';
export * as table from './table.js';
export * as text from './text.js';
