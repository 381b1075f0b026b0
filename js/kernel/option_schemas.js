/**
 * What an application may pass to a kernel: the configuration and the options of its calls, as zod schemas.
 *
 * No schema holds a default: defaults are decided in `src/kernel`, in one place, and come back from `boot()`.
 */

import { z } from 'zod';

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
  fetchBytes: count.optional().describe('Most that one fetch may bring, as sent.'),
  timeoutMs: count.optional().describe('Time for one exchange with the remote.'),
});

export const SandboxConfigSchema = z.strictObject({
  memoryMb: count.optional().describe('V8 heap and ArrayBuffers of one run together, in MB.'),
  timeoutMs: count.optional().describe('CPU time of one run; waiting does not count.'),
  wallMs: count.optional().describe('Time from start to result of one run.'),
  isolation: z
    .enum(['process', 'thread'])
    .optional()
    .describe('Where runs live: worker processes, or threads of the host.'),
  workers: count.optional().describe('How many runs may go on at once.'),
  warm: z.int().nonnegative().optional().describe('How many workers are kept ready.'),
  resultBytes: count.optional().describe('Largest result, as JSON text.'),
  argsBytes: count.optional().describe('Largest arguments, as JSON text.'),
  hostCalls: count.optional().describe('Host calls of one run that may wait for an answer at one time.'),
  queue: count.optional().describe('Runs that may wait for a worker at one time.'),
  logBytes: count.optional().describe('Captured log text of one run; the rest is cut off and marked.'),
  scratchBytes: z.int().nonnegative().optional().describe('What one run may keep under /tmp, in bytes.'),
  scratchFiles: z.int().nonnegative().optional().describe('What one run may keep under /tmp, in files.'),
  writeBytes: z.int().nonnegative().optional().describe('What one run may write into allowed folders, in bytes.'),
  writeFiles: z.int().nonnegative().optional().describe('What one run may write into allowed folders, in files.'),
  callDepth: z.int().nonnegative().optional().describe('How deep tools may run tools.'),
  nestedRuns: count.optional().describe('Runs that one run may have started, directly or not, and not yet ended.'),
  nestedTimeoutMs: count.optional().describe('CPU time of all the runs that one run starts, together.'),
  pendingBytes: count
    .optional()
    .describe('Arguments of host calls that one run may have under way, nested runs included.'),
  fetchBytes: count.optional().describe('Largest body of a request or response.'),
  fetchTimeoutMs: count.optional().describe('Time for one request with all its redirects.'),
  seed: z.int().nonnegative().optional().describe('Makes chance repeatable in every run.'),
  now: z.int().optional().describe("Where every run's clock starts, in milliseconds since 1970."),
});

export const FSConfigSchema = z.strictObject({
  allowedDirs: z
    .array(text)
    .optional()
    .describe('Folders that tools may read and write, relative to the folder of the config file, or absolute.'),
  blockUpwardTraversal: z.boolean().optional().describe('Refuse every ".." in a path of a tool.'),
  fileBytes: count.optional().describe('Largest file of the root and of the allowed folders.'),
  rootBytes: count.optional().describe('What the root may hold in all, in bytes.'),
  rootFiles: count.optional().describe('What the root may hold in all, in files.'),
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

export const ExecOptionsSchema = z.strictObject({
  timeoutMs: count.optional(),
  wallMs: count.optional(),
  memoryMb: count.optional(),
  seed: z.int().nonnegative().optional(),
  now: z.int().optional(),
  signal: z.custom((value) => value instanceof AbortSignal, 'must be an AbortSignal').optional(),
});

export const ShutdownOptionsSchema = z.strictObject({ pushTimeoutMs: z.int().nonnegative().max(600_000).optional() });

export const ToolsOptionsSchema = z.strictObject({ query: text.optional(), limit: count.optional() });
