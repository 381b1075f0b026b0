/** Public zod schemas of the configuration that fill in all defaults. */

import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { DEFAULTS } from '../../boundary/limits.js';
import type { FilledTGPConfig } from '../../types/config.js';
import type { SandboxFunction } from '../../types/functions.js';
import type { LedgerConfigInput } from '../../types/ledger.js';
import type { PolicyInput } from '../../types/policy.js';
import type { SqlSettings, SqlSource } from '../../types/sql.js';
import {
  AgentInputSchema,
  ConfigInputSchema,
  FSInputSchema,
  GitInputSchema,
  LedgerInputSchema,
  NetworkInputSchema,
  SandboxInputSchema,
} from './option_schemas.js';

/** A schema with defaults for the keys of `Defaults`. */
type Filled<Schema, Defaults> =
  Schema extends z.ZodObject<infer Shape>
    ? z.ZodObject<
        { [Key in keyof Shape]: Key extends keyof Defaults ? FilledKey<Shape[Key], Defaults[Key]> : Shape[Key] },
        z.core.$strict
      >
    : never;
type FilledKey<Member, Default> = Default extends null
  ? Member
  : Member extends z.ZodOptional<infer Inner>
    ? Inner extends z.ZodObject
      ? z.ZodPrefault<Filled<Inner, Default>>
      : z.ZodDefault<Inner>
    : Member;

/**
 * A schema with defaults for its keys. Keys without a default, or with `null`, stay optional.
 * @param known the defaults that do not depend on other keys; the caller fills in the others
 */
function withDefaults<Schema extends z.ZodObject, Defaults extends object>(
  schema: Schema,
  defaults: Defaults,
  known: Partial<Defaults> = defaults,
): Filled<Schema, Defaults> {
  const values: Record<string, unknown> = { ...known };
  const members = Object.entries(schema.shape).map(([key, member]) => {
    const optional = member as z.ZodOptional<z.ZodType>;
    const inner = optional.unwrap();
    const value = values[key];
    if (value === undefined || value === null) return [key, optional];
    const filled =
      inner instanceof z.ZodObject
        ? withDefaults(inner, value).prefault({})
        : inner.default(() => structuredClone(value));
    return [key, optional.description === undefined ? filled : filled.describe(optional.description)];
  });
  return z.strictObject(Object.fromEntries(members)) as Filled<Schema, Defaults>;
}

type Sandbox = FilledTGPConfig['sandbox'];
type DependentLimits = 'wallMs' | 'waiting';

/**
 * Fills in the defaults that depend on other limits: `wallMs` is at least the CPU time, and all waiting runs together have
 * one gigabyte of memory.
 */
function withDependentLimits({
  wallMs,
  waiting,
  ...sandbox
}: Omit<Sandbox, DependentLimits> & Partial<Pick<Sandbox, DependentLimits>>): Sandbox {
  return {
    ...sandbox,
    wallMs: wallMs ?? Math.max(DEFAULTS.sandbox.wallMs, sandbox.timeoutMs),
    waiting: waiting ?? Math.min(DEFAULTS.sandbox.waiting, Math.floor(1024 / sandbox.memoryMb)),
  };
}

/** Checks {@link GitConfigInput}, and fills in the defaults. */
export const GitConfigSchema = withDefaults(GitInputSchema, DEFAULTS.git);

/** Checks {@link FSConfigInput}, and fills in the defaults. */
export const FSConfigSchema = withDefaults(FSInputSchema, DEFAULTS.fs);

/** Checks {@link NetworkConfigInput}, and fills in the defaults. */
export const NetworkConfigSchema = withDefaults(NetworkInputSchema, DEFAULTS.network);

const { wallMs: _wallMs, waiting: _waiting, ...sandboxDefaults } = DEFAULTS.sandbox;

/** Checks {@link SandboxConfigInput}, and fills in the defaults. */
export const SandboxConfigSchema = withDefaults(SandboxInputSchema, DEFAULTS.sandbox, {
  ...sandboxDefaults,
  workers: Math.min(sandboxDefaults.workers, availableParallelism()),
}).overwrite(withDependentLimits);

/** Checks {@link AgentConfigInput}, and fills in the defaults. */
export const AgentConfigSchema = withDefaults(AgentInputSchema, DEFAULTS.agent);

const LedgerConfigSchema = z.preprocess(
  (given: boolean | LedgerConfigInput) => (typeof given === 'boolean' ? { on: given } : given),
  withDefaults(LedgerInputSchema, DEFAULTS.ledger),
);

const { policy, sql, sandboxAPI } = ConfigInputSchema.shape;
/** The members of {@link TGPConfigSchema} whose declarations name types instead of repeating them. */
const named: {
  git: z.ZodPrefault<typeof GitConfigSchema>;
  sandbox: z.ZodPrefault<typeof SandboxConfigSchema>;
  fs: z.ZodPrefault<typeof FSConfigSchema>;
  network: z.ZodPrefault<typeof NetworkConfigSchema>;
  agent: z.ZodPrefault<typeof AgentConfigSchema>;
  ledger: z.ZodPrefault<z.ZodType<FilledTGPConfig['ledger'], boolean | LedgerConfigInput>>;
  policy: z.ZodOptional<z.ZodCustom<PolicyInput, PolicyInput>>;
  sql: z.ZodOptional<z.ZodCustom<SqlSource | SqlSettings, SqlSource | SqlSettings>>;
  sandboxAPI: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodCustom<SandboxFunction, SandboxFunction>>>;
} = {
  git: GitConfigSchema.prefault({}),
  sandbox: SandboxConfigSchema.prefault({}),
  fs: FSConfigSchema.prefault({}),
  network: NetworkConfigSchema.prefault({}),
  agent: AgentConfigSchema.prefault({}),
  ledger: LedgerConfigSchema.prefault({}),
  policy,
  sql,
  sandboxAPI,
};

/** Checks {@link TGPConfigInput}, and fills in the defaults; unknown keys are refused. */
export const TGPConfigSchema = z.strictObject({ ...withDefaults(ConfigInputSchema, DEFAULTS).shape, ...named });
