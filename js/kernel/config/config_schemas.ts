/** Public zod schemas of the configuration that fill in all defaults. */

import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { DEFAULTS } from '../../boundary/limits.js';
import {
  AgentInputSchema,
  ConfigInputSchema,
  FSInputSchema,
  GitInputSchema,
  LedgerInputSchema,
  NetworkInputSchema,
  SandboxInputSchema,
} from './option_schemas.js';

/** The members of a schema, with defaults for the keys of `Defaults`. */
type WithDefaults<Shape, Defaults> = {
  [Key in keyof Shape]: Key extends keyof Defaults
    ? Shape[Key] extends z.ZodOptional<infer Inner>
      ? Inner extends z.ZodObject<infer Members>
        ? z.ZodPrefault<z.ZodObject<WithDefaults<Members, Defaults[Key]>, z.core.$strict>>
        : z.ZodDefault<Inner>
      : Shape[Key]
    : Shape[Key];
};

/** A schema with defaults for its keys. Keys without a default stay optional. */
function withDefaults<Shape extends z.core.$ZodShape, Defaults extends object>(
  schema: z.ZodObject<Shape>,
  defaults: Defaults,
): z.ZodObject<WithDefaults<Shape, Defaults>, z.core.$strict> {
  const members = Object.entries(schema.shape).map(([key, member]) => {
    const optional = member as z.ZodOptional<z.ZodType>;
    const inner = optional.unwrap();
    const value = (defaults as Record<string, unknown>)[key];
    if (value === undefined || value === null) return [key, optional];
    const filled =
      inner instanceof z.ZodObject
        ? withDefaults(inner, value).prefault({})
        : inner.default(() => structuredClone(key === 'workers' ? workers(value as number) : value));
    return [key, optional.description === undefined ? filled : filled.describe(optional.description)];
  });
  return z.strictObject(Object.fromEntries(members)) as z.ZodObject<WithDefaults<Shape, Defaults>, z.core.$strict>;
}

function workers(most: number) {
  return Math.min(most, availableParallelism());
}

/**
 * Fills in the defaults that depend on other limits: `wallMs` is at least the CPU time, and all waiting runs together have
 * one gigabyte of memory.
 */
function withDependentLimits({ wallMs, waiting, ...sandbox }: z.output<typeof SandboxSchema>) {
  return {
    ...sandbox,
    wallMs: wallMs ?? Math.max(DEFAULTS.sandbox.wallMs, sandbox.timeoutMs),
    waiting: waiting ?? Math.min(DEFAULTS.sandbox.waiting, Math.floor(1024 / sandbox.memoryMb)),
  };
}

const { wallMs: _wallMs, waiting: _waiting, ...sandboxDefaults } = DEFAULTS.sandbox;
const SandboxSchema = withDefaults(SandboxInputSchema, sandboxDefaults);

/** Checks {@link GitConfigInput}, and fills in the defaults. */
export const GitConfigSchema = withDefaults(GitInputSchema, DEFAULTS.git);

/** Checks {@link FSConfigInput}, and fills in the defaults. */
export const FSConfigSchema = withDefaults(FSInputSchema, DEFAULTS.fs);

/** Checks {@link NetworkConfigInput}, and fills in the defaults. */
export const NetworkConfigSchema = withDefaults(NetworkInputSchema, DEFAULTS.network);

/** Checks {@link SandboxConfigInput}, and fills in the defaults. */
export const SandboxConfigSchema = SandboxSchema.overwrite(withDependentLimits);

/** Checks {@link AgentConfigInput}, and fills in the defaults. */
export const AgentConfigSchema = withDefaults(AgentInputSchema, DEFAULTS.agent);

const LedgerConfigSchema = z.preprocess(
  (given) => (typeof given === 'boolean' ? { on: given } : given),
  withDefaults(LedgerInputSchema, DEFAULTS.ledger),
);

/** Checks {@link TGPConfigInput}, and fills in the defaults; unknown keys are refused. */
export const TGPConfigSchema = withDefaults(ConfigInputSchema, DEFAULTS).extend({
  agent: AgentConfigSchema.prefault({}),
  git: GitConfigSchema.prefault({}),
  ledger: LedgerConfigSchema.prefault({}),
  fs: FSConfigSchema.prefault({}),
  network: NetworkConfigSchema.prefault({}),
  sandbox: SandboxConfigSchema.prefault({}),
});
