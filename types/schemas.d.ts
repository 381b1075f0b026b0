import type { z } from 'zod';
import type {
  AgentConfigInput,
  FilledTGPConfig,
  FSConfigInput,
  GitConfigInput,
  SandboxConfigInput,
  TGPConfigInput,
} from './config.js';
import type { SandboxFunction } from './functions.js';
import type { LedgerConfigInput } from './ledger.js';
import type { NetworkConfigInput } from './network.js';
import type { PolicyInput } from './policy.js';
import type { DescribeSchemaArgs, ExecSqlArgs, SqlSettings, SqlSource } from './sql.js';
import type {
  ApplyDiffArgs,
  CheckToolArgs,
  DeleteFileArgs,
  ExecToolArgs,
  FileHistoryArgs,
  FindToolArgs,
  ListFilesArgs,
  MoveFileArgs,
  PatchFileArgs,
  ReadFileArgs,
  RevertFileArgs,
  RunCodeArgs,
  SearchFilesArgs,
  WriteFileArgs,
} from './tools.js';

type Strict<Shape extends z.core.$ZodShape> = z.ZodObject<Shape, z.core.$strict>;
type Optional<Schema extends z.core.SomeType> = z.ZodOptional<Schema>;
type Filled<Schema extends z.core.SomeType> = z.ZodDefault<Schema>;
type Group<Schema extends z.core.SomeType> = z.ZodPrefault<Schema>;
// biome-ignore lint/complexity/noBannedTypes: zod's own spelling of an object without named keys
type AnyObject = z.ZodObject<{}, z.core.$loose>;

/** Checks {@link GitConfigInput}, and fills in the defaults. */
export declare const GitConfigSchema: Strict<{
  provider: Filled<z.ZodEnum<{ local: 'local'; github: 'github'; gitlab: 'gitlab'; bitbucket: 'bitbucket' }>>;
  repo: Optional<z.ZodString>;
  branch: Filled<z.ZodString>;
  apiBaseUrl: Optional<z.ZodString>;
  auth: Group<Strict<{ token: Optional<z.ZodString>; user: Filled<z.ZodString>; email: Filled<z.ZodString> }>>;
  writeStrategy: Filled<z.ZodEnum<{ direct: 'direct'; pr: 'pr' }>>;
  fetchBytes: Filled<z.ZodInt>;
  timeoutMs: Filled<z.ZodInt>;
}>;
/** Checks {@link SandboxConfigInput}, and fills in the defaults. */
export declare const SandboxConfigSchema: Strict<{
  memoryMb: Filled<z.ZodInt>;
  timeoutMs: Filled<z.ZodInt>;
  wallMs: Filled<z.ZodInt>;
  isolation: Filled<z.ZodEnum<{ process: 'process'; thread: 'thread' }>>;
  workers: Filled<z.ZodInt>;
  waiting: Filled<z.ZodInt>;
  warm: Filled<z.ZodInt>;
  idleMs: Filled<z.ZodInt>;
  resultBytes: Filled<z.ZodInt>;
  argsBytes: Filled<z.ZodInt>;
  logBytes: Filled<z.ZodInt>;
  hostCalls: Filled<z.ZodInt>;
  totalHostCalls: Filled<z.ZodInt>;
  answerBytes: Filled<z.ZodInt>;
  queue: Filled<z.ZodInt>;
  queueMs: Filled<z.ZodInt>;
  scratchBytes: Filled<z.ZodInt>;
  scratchFiles: Filled<z.ZodInt>;
  writeBytes: Filled<z.ZodInt>;
  writeFiles: Filled<z.ZodInt>;
  callDepth: Filled<z.ZodInt>;
  nestedRuns: Filled<z.ZodInt>;
  nestedTimeoutMs: Filled<z.ZodInt>;
  pendingBytes: Filled<z.ZodInt>;
  fetchBytes: Filled<z.ZodInt>;
  fetchTimeoutMs: Filled<z.ZodInt>;
  seed: Optional<z.ZodInt>;
  now: Optional<z.ZodInt>;
}>;
/** Checks {@link FSConfigInput}, and fills in the defaults. */
export declare const FSConfigSchema: Strict<{
  allowedDirs: Filled<z.ZodArray<z.ZodString>>;
  blockUpwardTraversal: Filled<z.ZodBoolean>;
  fileBytes: Filled<z.ZodInt>;
  rootBytes: Filled<z.ZodInt>;
  rootFiles: Filled<z.ZodInt>;
}>;
/** Checks {@link NetworkConfigInput}, and fills in the defaults. */
export declare const NetworkConfigSchema: Strict<{
  proxy: Optional<z.ZodString>;
  noProxy: Filled<z.ZodArray<z.ZodString>>;
  ca: Optional<z.ZodString>;
  forTools: Filled<z.ZodBoolean>;
}>;
/** Checks {@link AgentConfigInput}, and fills in the defaults. */
export declare const AgentConfigSchema: Strict<{
  resultChars: Filled<z.ZodInt>;
  approvalMs: Filled<z.ZodInt>;
  liveTools: Filled<z.ZodInt>;
  liveToolChars: Filled<z.ZodInt>;
}>;
/** Checks {@link TGPConfigInput}, and fills in the defaults; unknown keys are refused. */
export declare const TGPConfigSchema: Strict<{
  rootDir: Filled<z.ZodString>;
  git: Group<typeof GitConfigSchema>;
  sandbox: Group<typeof SandboxConfigSchema>;
  check: Filled<z.ZodEnum<{ off: 'off'; warn: 'warn'; strict: 'strict' }>>;
  memory: Filled<z.ZodEnum<{ auto: 'auto'; off: 'off' }>>;
  reuse: Filled<z.ZodEnum<{ off: 'off'; warn: 'warn'; strict: 'strict' }>>;
  mode: Filled<z.ZodEnum<{ explore: 'explore'; strict: 'strict'; debug: 'debug' }>>;
  exempt: Filled<z.ZodArray<z.ZodString>>;
  rules: Filled<
    z.ZodRecord<z.ZodString, z.ZodEnum<{ off: 'off'; advice: 'advice'; warning: 'warning'; error: 'error' }>>
  >;
  fs: Group<typeof FSConfigSchema>;
  allowedImports: Filled<z.ZodArray<z.ZodString>>;
  allowedFetchUrls: Filled<z.ZodArray<z.ZodString>>;
  network: Group<typeof NetworkConfigSchema>;
  agent: Group<typeof AgentConfigSchema>;
  ledger: z.ZodType<FilledTGPConfig['ledger'], boolean | LedgerConfigInput | undefined>;
  secrets: Filled<
    z.ZodRecord<
      z.ZodString,
      Strict<{
        value: Optional<z.ZodString>;
        env: Optional<z.ZodString>;
        hosts: Optional<z.ZodArray<z.ZodString>>;
        functions: Optional<z.ZodArray<z.ZodString>>;
      }>
    >
  >;
  policy: Optional<z.ZodCustom<PolicyInput, PolicyInput>>;
  tokens: Group<Strict<{ keys: Filled<z.ZodArray<z.ZodString>>; revoked: Filled<z.ZodArray<z.ZodString>> }>>;
  sql: Optional<z.ZodCustom<SqlSource | SqlSettings, SqlSource | SqlSettings>>;
  sandboxAPI: Optional<z.ZodRecord<z.ZodString, z.ZodCustom<SandboxFunction, SandboxFunction>>>;
}>;
/** A tool and its source, as one value. */
export declare const ToolSchema: Strict<{
  name: z.ZodString;
  description: z.ZodString;
  parameters: AnyObject;
  code: z.ZodString;
}>;
/** Output of {@link ToolSchema}. */
export type ToolDefinition = z.output<typeof ToolSchema>;

/** Checks {@link ListFilesArgs}. */
export declare const ListFilesParams: Strict<{
  dir: z.ZodString;
  glob: Optional<z.ZodString>;
  limit: Optional<z.ZodInt>;
  after: Optional<z.ZodString>;
}>;
/** Checks {@link ReadFileArgs}. */
export declare const ReadFileParams: Strict<{
  path: z.ZodString;
  offset: Optional<z.ZodInt>;
  limit: Optional<z.ZodInt>;
  column: Optional<z.ZodInt>;
}>;
/** Checks {@link WriteFileArgs}. */
export declare const WriteFileParams: Strict<{
  path: z.ZodString;
  content: z.ZodString;
  why: Optional<z.ZodString>;
}>;
/** Checks {@link PatchFileArgs}. */
export declare const PatchFileParams: Strict<{
  path: z.ZodString;
  search: z.ZodString;
  replace: z.ZodString;
  why: Optional<z.ZodString>;
}>;
/** Checks {@link ApplyDiffArgs}. */
export declare const ApplyDiffParams: Strict<{
  path: z.ZodString;
  diff: z.ZodString;
  start_line: Optional<z.ZodInt>;
  end_line: Optional<z.ZodInt>;
  why: Optional<z.ZodString>;
}>;
/** Checks {@link DeleteFileArgs}. */
export declare const DeleteFileParams: Strict<{ path: z.ZodString; why: Optional<z.ZodString> }>;
/** Checks {@link MoveFileArgs}. */
export declare const MoveFileParams: Strict<{ from: z.ZodString; to: z.ZodString; why: Optional<z.ZodString> }>;
/** Checks {@link RevertFileArgs}. */
export declare const RevertFileParams: Strict<{ path: z.ZodString; commit: z.ZodString; why: Optional<z.ZodString> }>;
/** Checks {@link RunCodeArgs}. */
export declare const RunCodeParams: Strict<{ code: z.ZodString; args: Optional<AnyObject> }>;
/** Checks {@link SearchFilesArgs}. */
export declare const SearchFilesParams: Strict<{
  pattern: z.ZodString;
  glob: Optional<z.ZodString>;
  case: Optional<z.ZodEnum<{ sensitive: 'sensitive'; insensitive: 'insensitive' }>>;
  limit: Optional<z.ZodInt>;
}>;
/** Checks {@link FindToolArgs}. */
export declare const FindToolParams: Strict<{ query: z.ZodString; limit: Optional<z.ZodInt> }>;
/** Checks {@link FileHistoryArgs}. */
export declare const FileHistoryParams: Strict<{ path: z.ZodString; limit: Optional<z.ZodInt> }>;
/** Checks {@link CheckToolArgs}. */
export declare const CheckToolParams: Strict<{ path: z.ZodString }>;
/** Checks {@link ExecSqlArgs}. */
export declare const ExecSqlParams: Strict<{
  sql: z.ZodString;
  params: Optional<z.ZodUnion<readonly [z.ZodArray<z.ZodAny>, AnyObject]>>;
}>;
/** Checks {@link DescribeSchemaArgs}. */
export declare const DescribeSchemaParams: Strict<{ table: Optional<z.ZodString> }>;
/** Checks {@link TestToolArgs}. */
export declare const TestToolParams: Strict<{ path: Optional<z.ZodString> }>;
/** Checks {@link ExecToolArgs}. */
export declare const ExecToolParams: Strict<{ path: z.ZodString; args: Optional<AnyObject> }>;
