/** Symbols of a kernel's internal members. Registered ones work across the ESM and the CommonJS copy of this package. */

/**
 * Method of a kernel that gives agent tools access for one caller. A registered symbol, so that tools of the CommonJS copy of
 * this package work with a kernel of the ESM copy.
 */
export const ON_BEHALF = Symbol.for('@tgp/core/on_behalf');

/** File operations of a kernel, for its owner. */
export const FILES = Symbol.for('@tgp/core/files');

/** Kernel option, set by the command line: the owner, if it is not the application. */
export const OWNER = Symbol('owner');

/** Method of a kernel that validates arguments against a tool's schema before a run for a caller who may not know it. */
export const ARGUMENTS_OF = Symbol.for('@tgp/core/arguments_of');

/** The limits for results shown to a model, and the storage for longer ones. */
export const RESULTS = Symbol.for('@tgp/core/results');

/** Method of a kernel that returns its database and the limits for its tools. */
export const SQL = Symbol.for('@tgp/core/sql');
