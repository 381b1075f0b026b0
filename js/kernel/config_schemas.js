/** Public zod schemas of the configuration that fill in all defaults. */

import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { DEFAULTS } from '../boundary/limits.js';
import {
  AgentInputSchema,
  ConfigInputSchema,
  FSInputSchema,
  GitInputSchema,
  LedgerInputSchema,
  NetworkInputSchema,
  SandboxInputSchema,
} from './option_schemas.js';

/**
 * A schema with defaults for its keys. Keys without a default stay optional.
 * @param {z.ZodObject} schema
 * @param {Record<string, any>} defaults
 * @returns {any}
 */
function withDefaults(schema, defaults) {
  const members = Object.entries(schema.shape).map(([key, member]) => {
    const optional = /** @type {z.ZodOptional<any>} */ (member);
    const inner = optional.unwrap();
    const value = defaults[key];
    if (value === undefined || value === null) return [key, optional];
    const filled =
      inner instanceof z.ZodObject
        ? withDefaults(inner, value).prefault({})
        : inner.default(() => structuredClone(key === 'workers' ? workers(value) : value));
    return [key, optional.description === undefined ? filled : filled.describe(optional.description)];
  });
  return z.strictObject(Object.fromEntries(members));
}

/** @param {number} most */
function workers(most) {
  return Math.min(most, availableParallelism());
}

/**
 * Fills in the defaults that depend on other limits: `wallMs` is at least the CPU time, and all waiting runs together have
 * one gigabyte of memory.
 * @param {any} sandbox
 */
function withDependentLimits({ wallMs, waiting, ...sandbox }) {
  return {
    ...sandbox,
    wallMs: wallMs ?? Math.max(DEFAULTS.sandbox.wallMs, sandbox.timeoutMs),
    waiting: waiting ?? Math.min(DEFAULTS.sandbox.waiting, Math.floor(1024 / sandbox.memoryMb)),
  };
}

const { wallMs: _wallMs, waiting: _waiting, ...sandboxDefaults } = DEFAULTS.sandbox;

/** @type {typeof import('../../index.js').GitConfigSchema} */
export const GitConfigSchema = withDefaults(GitInputSchema, DEFAULTS.git);

/** @type {typeof import('../../index.js').FSConfigSchema} */
export const FSConfigSchema = withDefaults(FSInputSchema, DEFAULTS.fs);

/** @type {typeof import('../../index.js').NetworkConfigSchema} */
export const NetworkConfigSchema = withDefaults(NetworkInputSchema, DEFAULTS.network);

/** @type {typeof import('../../index.js').SandboxConfigSchema} */
export const SandboxConfigSchema = withDefaults(SandboxInputSchema, sandboxDefaults).overwrite(withDependentLimits);

/** @type {typeof import('../../index.js').AgentConfigSchema} */
export const AgentConfigSchema = withDefaults(AgentInputSchema, DEFAULTS.agent);

const LedgerConfigSchema = z.preprocess(
  (given) => (typeof given === 'boolean' ? { on: given } : given),
  withDefaults(LedgerInputSchema, DEFAULTS.ledger),
);

/** @type {typeof import('../../index.js').TGPConfigSchema} */
export const TGPConfigSchema = withDefaults(ConfigInputSchema, DEFAULTS).extend({
  agent: AgentConfigSchema.prefault({}),
  git: GitConfigSchema.prefault({}),
  ledger: LedgerConfigSchema.prefault({}),
  fs: FSConfigSchema.prefault({}),
  network: NetworkConfigSchema.prefault({}),
  sandbox: SandboxConfigSchema.prefault({}),
});
