/**
 * What an application may pass to a kernel: the configuration and the options of its calls, as zod schemas.
 *
 * No schema holds a default: defaults are decided in `src/kernel`, in one place, and come back from `boot()`.
 */

import { z } from 'zod';
import { limitsOf } from '../boundary/limit_schema.js';
import { LIMITS } from '../boundary/limits.js';

const text = z.string().min(1);
const count = z.int().positive();

export const GitConfigSchema = z.strictObject({
  provider: z
    .enum(['local', 'github', 'gitlab', 'bitbucket'])
    .optional()
    .describe('Who hosts the remote. "local": nobody; commits stay in the root or go to the address in "repo".'),
  repo: text
    .optional()
    .describe('The remote: owner/name at the provider, an https or ssh address, a path or a file:// address.'),
  branch: text.optional().describe('The branch that tools live on.'),
  apiBaseUrl: text.optional().describe("Address of the provider's API, for servers of your own."),
  auth: z
    .strictObject({
      token: text.optional().describe('Token for the remote and the API. Better kept in an environment variable.'),
      user: text.optional().describe('Author name of the commits.'),
      email: text.optional().describe('Author address of the commits.'),
    })
    .optional(),
  writeStrategy: z
    .enum(['direct', 'pr'])
    .optional()
    .describe('"direct" pushes every write to the branch; "pr" opens one pull request per tool.'),
  ...limitsOf(LIMITS.git),
});

export const SandboxConfigSchema = z.strictObject({
  ...limitsOf(LIMITS.sandbox),
  isolation: z
    .enum(['process', 'thread'])
    .optional()
    .describe('Where runs live: worker processes, or threads of the host.'),
  seed: z.int().nonnegative().optional().describe('Makes chance repeatable in every run.'),
  now: z.int().optional().describe("Where every run's clock starts, in milliseconds since 1970."),
});

export const FSConfigSchema = z.strictObject({
  allowedDirs: z
    .array(text)
    .optional()
    .describe('Folders that tools may read and write, relative to the folder of the config file, or absolute.'),
  blockUpwardTraversal: z.boolean().optional().describe('Refuse every ".." in a path of a tool.'),
  ...limitsOf(LIMITS.fs),
});

export const NetworkConfigSchema = z.strictObject({
  proxy: text.optional().describe('Address of the HTTP proxy that Git over https goes through.'),
  noProxy: z.array(text).optional().describe('Hosts, domains and networks that are reached without the proxy.'),
  ca: text
    .optional()
    .describe('File of certificates (PEM) that are trusted beside those of the machine, relative to the config file.'),
  forTools: z.boolean().optional().describe('Whether what tools fetch goes through the proxy and trusts "ca" as well.'),
});

export const TGPConfigSchema = z.strictObject({
  rootDir: text.optional().describe("The agent's root, relative to the folder of the config file."),
  git: GitConfigSchema.optional(),
  sandbox: SandboxConfigSchema.optional(),
  check: z
    .enum(['off', 'warn', 'strict'])
    .optional()
    .describe('What a tool that fails its check may still do: everything, all but unsafe runs, nothing.'),
  rules: z
    .record(z.string(), z.enum(['off', 'advice', 'warning', 'error']))
    .optional()
    .describe("What a rule's findings weigh, by the rule's id."),
  fs: FSConfigSchema.optional(),
  allowedImports: z.array(text).optional().describe('Packages of the application that tools may import.'),
  allowedFetchUrls: z.array(text).optional().describe('What tools may fetch, as URLs that a request must begin with.'),
  network: NetworkConfigSchema.optional(),
});

const { timeoutMs, wallMs, memoryMb } = limitsOf(LIMITS.sandbox);

export const ExecOptionsSchema = z.strictObject({
  timeoutMs,
  wallMs,
  memoryMb,
  seed: z.int().nonnegative().optional(),
  now: z.int().optional(),
  signal: z.custom((value) => value instanceof AbortSignal, 'must be an AbortSignal').optional(),
});

export const ShutdownOptionsSchema = z.strictObject({ pushTimeoutMs: z.int().nonnegative().max(600_000).optional() });

export const CommitNoteSchema = z.strictObject({
  why: z.string().optional(),
  session: z.string().optional(),
  model: z.string().optional(),
});

export const HistoryOptionsSchema = z.strictObject(limitsOf(LIMITS.file_history));

export const ToolsOptionsSchema = z.strictObject({ query: text.optional(), limit: count.optional() });
