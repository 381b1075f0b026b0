import type { z } from 'zod';
import type {
  FSConfigInput,
  GitConfigInput,
  NetworkConfigInput,
  SandboxConfigInput,
  TGPConfigInput,
} from './config.js';
import type { DescribeSchemaArgs, ExecSqlArgs } from './sql.js';
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
// biome-ignore lint/complexity/noBannedTypes: zod's own spelling of an object without named keys
type AnyObject = z.ZodObject<{}, z.core.$loose>;

/** Checks {@link GitConfigInput}. */
export declare const GitConfigSchema: Strict<{
  provider: Optional<z.ZodEnum<{ local: 'local'; github: 'github'; gitlab: 'gitlab'; bitbucket: 'bitbucket' }>>;
  repo: Optional<z.ZodString>;
  branch: Optional<z.ZodString>;
  apiBaseUrl: Optional<z.ZodString>;
  auth: Optional<Strict<{ token: Optional<z.ZodString>; user: Optional<z.ZodString>; email: Optional<z.ZodString> }>>;
  writeStrategy: Optional<z.ZodEnum<{ direct: 'direct'; pr: 'pr' }>>;
  fetchBytes: Optional<z.ZodInt>;
  timeoutMs: Optional<z.ZodInt>;
}>;
/** Checks {@link SandboxConfigInput}. */
export declare const SandboxConfigSchema: Strict<{
  memoryMb: Optional<z.ZodInt>;
  timeoutMs: Optional<z.ZodInt>;
  wallMs: Optional<z.ZodInt>;
  isolation: Optional<z.ZodEnum<{ process: 'process'; thread: 'thread' }>>;
  workers: Optional<z.ZodInt>;
  warm: Optional<z.ZodInt>;
  resultBytes: Optional<z.ZodInt>;
  argsBytes: Optional<z.ZodInt>;
  logBytes: Optional<z.ZodInt>;
  hostCalls: Optional<z.ZodInt>;
  queue: Optional<z.ZodInt>;
  scratchBytes: Optional<z.ZodInt>;
  scratchFiles: Optional<z.ZodInt>;
  writeBytes: Optional<z.ZodInt>;
  writeFiles: Optional<z.ZodInt>;
  callDepth: Optional<z.ZodInt>;
  nestedRuns: Optional<z.ZodInt>;
  nestedTimeoutMs: Optional<z.ZodInt>;
  pendingBytes: Optional<z.ZodInt>;
  fetchBytes: Optional<z.ZodInt>;
  fetchTimeoutMs: Optional<z.ZodInt>;
  seed: Optional<z.ZodInt>;
  now: Optional<z.ZodInt>;
}>;
/** Checks {@link FSConfigInput}. */
export declare const FSConfigSchema: Strict<{
  allowedDirs: Optional<z.ZodArray<z.ZodString>>;
  blockUpwardTraversal: Optional<z.ZodBoolean>;
  fileBytes: Optional<z.ZodInt>;
  rootBytes: Optional<z.ZodInt>;
  rootFiles: Optional<z.ZodInt>;
}>;
/** Checks {@link NetworkConfigInput}. */
export declare const NetworkConfigSchema: Strict<{
  proxy: Optional<z.ZodString>;
  noProxy: Optional<z.ZodArray<z.ZodString>>;
  ca: Optional<z.ZodString>;
  forTools: Optional<z.ZodBoolean>;
}>;
/** Checks {@link TGPConfigInput}; unknown keys are refused. */
export declare const TGPConfigSchema: Strict<{
  rootDir: Optional<z.ZodString>;
  git: Optional<typeof GitConfigSchema>;
  sandbox: Optional<typeof SandboxConfigSchema>;
  check: Optional<z.ZodEnum<{ off: 'off'; warn: 'warn'; strict: 'strict' }>>;
  rules: Optional<
    z.ZodRecord<z.ZodString, z.ZodEnum<{ off: 'off'; advice: 'advice'; warning: 'warning'; error: 'error' }>>
  >;
  fs: Optional<typeof FSConfigSchema>;
  allowedImports: Optional<z.ZodArray<z.ZodString>>;
  allowedFetchUrls: Optional<z.ZodArray<z.ZodString>>;
  network: Optional<typeof NetworkConfigSchema>;
}>;
/** A tool and its source, as one value. */
export declare const ToolSchema: Strict<{
  name: z.ZodString;
  description: z.ZodString;
  parameters: AnyObject;
  code: z.ZodString;
}>;
/** What {@link ToolSchema} gives. */
export type ToolDefinition = z.output<typeof ToolSchema>;

/** Checks {@link ListFilesArgs}. */
export declare const ListFilesParams: Strict<{ dir: z.ZodString }>;
/** Checks {@link ReadFileArgs}. */
export declare const ReadFileParams: Strict<{ path: z.ZodString }>;
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
export declare const ApplyDiffParams: Strict<{ path: z.ZodString; diff: z.ZodString; why: Optional<z.ZodString> }>;
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
/** Checks {@link ExecToolArgs}. */
export declare const ExecToolParams: Strict<{ path: z.ZodString; args: Optional<AnyObject> }>;
