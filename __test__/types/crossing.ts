/**
 * Rust and the public types agree about shared values: `tsc` refuses this file if they differ. It is not run.
 */

import type { z } from 'zod';
import type { BindingDatabase, BindingKernel, BindingOutcome, BindingSqlRules, BindingVfs } from '../../binding.cjs';
import type * as rust from '../../dist/boundary/crossing.js';
import type {
  AgentConfigSchema,
  ExecToolOptions,
  FilledTGPConfig,
  FSConfigSchema,
  GitConfigSchema,
  NetworkConfigSchema,
  SandboxConfigSchema,
  SearchFilesArgs,
  SqlToolOptions,
  TestOptions,
} from '../../index.js';

type Same<Left, Right> = [Left] extends [Right] ? ([Right] extends [Left] ? true : false) : false;
type SameKeys<Left, Right> = Same<keyof Left, keyof Right>;

/** Methods whose answer is JSON. */
type Answering<Class> = {
  [Method in keyof Class]: Class[Method] extends (...args: any[]) => BindingOutcome | Promise<BindingOutcome>
    ? Method
    : never;
}[keyof Class];

export const sameKeys: {
  config: SameKeys<FilledTGPConfig, rust.Config>;
  sandbox: SameKeys<FilledTGPConfig['sandbox'], rust.SandboxConfig>;
  fs: SameKeys<FilledTGPConfig['fs'], rust.FsConfig>;
  git: SameKeys<FilledTGPConfig['git'], rust.GitConfig>;
  network: SameKeys<FilledTGPConfig['network'], rust.NetworkConfig>;
  agent: SameKeys<FilledTGPConfig['agent'], rust.AgentConfig>;
  ledger: SameKeys<FilledTGPConfig['ledger'], rust.LedgerConfig>;
  auth: SameKeys<FilledTGPConfig['git']['auth'], rust.GitIdentity>;
  exec: SameKeys<
    Omit<TestOptions & ExecToolOptions, 'signal' | 'dryRun' | 'mode' | 'accept'> & {
      caller: unknown;
      trace: unknown;
      below: unknown;
    },
    rust.ExecOptions
  >;
  search: SameKeys<SearchFilesArgs, rust.SearchQuery>;
  sql: SameKeys<SqlToolOptions, rust.SqlOptions>;
} = {
  config: true,
  sandbox: true,
  fs: true,
  git: true,
  network: true,
  agent: true,
  ledger: true,
  auth: true,
  exec: true,
  search: true,
  sql: true,
};

/** The schemas that users import. */
export const sameSchemas: {
  sandbox: SameKeys<z.input<typeof SandboxConfigSchema>, rust.SandboxConfig>;
  fs: SameKeys<z.input<typeof FSConfigSchema>, rust.FsConfig>;
  git: SameKeys<z.input<typeof GitConfigSchema>, rust.GitConfig>;
  network: SameKeys<z.input<typeof NetworkConfigSchema>, rust.NetworkConfig>;
  agent: SameKeys<z.input<typeof AgentConfigSchema>, rust.AgentConfig>;
} = { sandbox: true, fs: true, git: true, network: true, agent: true };

export const answered: {
  // Answers of `read` are in `KernelReads`.
  kernel: Same<Exclude<Answering<BindingKernel>, keyof rust.KernelAnswers | 'read'>, never>;
  vfs: Same<Answering<BindingVfs>, keyof rust.VfsAnswers>;
  sqlRules: Same<Answering<BindingSqlRules>, keyof rust.SqlRulesAnswers>;
  // Rows are text that is passed on unchanged.
  database: Same<Exclude<Answering<BindingDatabase>, 'query'>, keyof rust.DatabaseAnswers>;
} = { kernel: true, vfs: true, sqlRules: true, database: true };

/** Values that JavaScript makes and Rust reads. */
export const bundle: (made: import('../../dist/bundle/bundler.js').BundleAnswer) => rust.Bundled = (made) => made;
export const types: (found: import('../../dist/types_check/type_checker.js').TypeCheckOutcome) => rust.TypesReply = (
  found,
) => found;
export const effect: Same<import('../../index.js').CallEffect, rust.Effect> = true;
export const dialect: (named: import('../../index.js').SqlDialect) => rust.Dialect = (named) => named;
