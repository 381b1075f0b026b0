/**
 * Zod schemas for the input of a kernel: the configuration, and the options of its methods.
 *
 * They have no defaults, which are defined in `src/kernel`. `config_schemas.ts` has schemas with defaults.
 */

import { z } from 'zod';
import { isAbortSignal } from '../../boundary/abort.js';
import { limited, limitsOf, wholeNumber } from '../../boundary/limit_schema.js';
import { LIMITS } from '../../boundary/limits.js';
import { MODES } from '../../boundary/modes.js';
import type { SandboxFunction } from '../../types/functions.js';
import type { PolicyInput } from '../../types/policy.js';
import type { SqlSettings, SqlSource } from '../../types/sql.js';

type Sql = SqlSource | SqlSettings;

/** Maximum length of a string. */
const MAX_TEXT_CHARS = 8_192;
/** Maximum number of entries of a list: validating more would take too long. */
export const MAX_ENTRIES = 1_000;
const MAX_PUSH_MS = 600_000;
const MAX_TOOLS = 1_000_000;
const MAX_REPLAYED = 10_000;
const isObject = (value: unknown) => typeof value === 'function' || (typeof value === 'object' && value !== null);
const sqlSource: z.ZodCustom<Sql, Sql> = z.custom(isObject, 'must be a database, or { source, … } with one');
const sandboxFunction: z.ZodCustom<SandboxFunction, SandboxFunction> = z.custom(
  isObject,
  'must be a function, or { description, parameters, readOnly, execute }',
);

const policyInput: z.ZodCustom<PolicyInput, PolicyInput> = z.custom(
  (value) => (typeof value === 'string' && value !== '') || isObject(value),
  "must be 'allow', 'safe', the path of a policy file, rules, or a function",
);

const text = z.string().min(1).max(MAX_TEXT_CHARS);
const texts = z.array(text).max(MAX_ENTRIES);
const count = wholeNumber(1, MAX_TOOLS);
const seed = wholeNumber(0, Number.MAX_SAFE_INTEGER).optional();
const dryRun = z.boolean().optional();
const signal = z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional();

/** `git` of the configuration. */
export const GitInputSchema = z.strictObject({
  provider: z
    .enum(['local', 'github', 'gitlab', 'bitbucket'])
    .optional()
    .describe('The host of the remote. "local": none; commits stay in the root or go to the address in "repo".'),
  repo: text
    .optional()
    .describe('The remote: owner/name at the provider, an https or ssh address, a path or a file:// address.'),
  branch: text.optional().describe('The branch that tools live on.'),
  apiBaseUrl: text.optional().describe("Address of the provider's API, for self-hosted servers."),
  auth: z
    .strictObject({
      token: text.optional().describe('Token for the remote and the API. Prefer an environment variable.'),
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

/** `sandbox` of the configuration. */
export const SandboxInputSchema = z.strictObject({
  ...limitsOf(LIMITS.sandbox),
  isolation: z
    .enum(['process', 'thread'])
    .optional()
    .describe('Where runs execute: in worker processes, or on threads of the host.'),
  seed: seed.describe('Seed that makes random numbers reproducible in every run.'),
  now: z.int().optional().describe("Start time of every run's clock, in milliseconds since 1970."),
});

/** `fs` of the configuration. */
export const FSInputSchema = z.strictObject({
  allowedDirs: texts
    .optional()
    .describe('Folders that tools may read and write, relative to the folder of the config file, or absolute.'),
  blockUpwardTraversal: z.boolean().optional().describe('Refuse every ".." in paths of tools.'),
  ...limitsOf(LIMITS.fs),
});

/** `network` of the configuration. */
export const NetworkInputSchema = z.strictObject({
  proxy: text.optional().describe('Address of the HTTP proxy for Git over https.'),
  noProxy: texts.optional().describe('Hosts, domains and networks to access without the proxy.'),
  ca: text.optional().describe('File of additional trusted certificates (PEM), relative to the config file.'),
  forTools: z.boolean().optional().describe('Whether requests of tools also use the proxy and trust "ca".'),
});

const SecretSchema = z.strictObject({
  value: text.optional().describe('The secret itself. Shown masked.'),
  env: text.optional().describe('The environment variable with the secret, instead of "value".'),
  hosts: z.array(text).optional().describe('Servers that may receive it, as "host" or "host:port".'),
  functions: z.array(text).optional().describe('Functions of sandboxAPI that may receive it.'),
});

/** `agent` of the configuration. */
export const AgentInputSchema = z.strictObject(limitsOf(LIMITS.agent));

/** `ledger` of the configuration, as an object. */
export const LedgerInputSchema = z.strictObject({
  on: z.boolean().optional().describe('Whether the ledger is enabled; "ledger: false" disables it.'),
  fsync: z
    .boolean()
    .optional()
    .describe('Whether the intent of a change is flushed to disk before the change, to survive a power loss.'),
  postgres: text.optional().describe('Address of a PostgreSQL database to use instead of the file. Shown masked.'),
  key: text.optional().describe('Key for signing checkpoints, for machines that share a database. Shown masked.'),
  ...limitsOf(LIMITS.ledger),
});

/** The ledger option: a boolean, or its settings. */
const ledgerInput = z.preprocess(
  (given: boolean | z.input<typeof LedgerInputSchema>) => (typeof given === 'boolean' ? { on: given } : given),
  LedgerInputSchema,
);

const modes = z.enum(MODES).optional();

/** The whole configuration. */
export const ConfigInputSchema = z.strictObject({
  rootDir: text.optional().describe("The agent's root, relative to the folder of the config file."),
  git: GitInputSchema.optional(),
  sandbox: SandboxInputSchema.optional(),
  check: z
    .enum(['off', 'warn', 'strict'])
    .optional()
    .describe(
      'Effect of a failed check on a tool: none (off), unsafe runs are refused (warn), all runs are refused (strict).',
    ),
  memory: z
    .enum(['auto', 'off'])
    .optional()
    .describe('Whether tool search also uses meaning, if a model is available.'),
  reuse: z
    .enum(['off', 'warn', 'strict'])
    .optional()
    .describe(
      'Handling of a new tool that duplicates another: written (off), written with a warning (warn), refused (strict).',
    ),
  mode: modes.describe(
    'Whether agents must write a test first: always (strict), for new tools only (debug), or not (explore).',
  ),
  guardian: z
    .enum(['off', 'warn', 'halt'])
    .optional()
    .describe(
      'Contradictions between ledger and Git: ignored (off), logged (warn), or calls that change are refused (halt).',
    ),
  exempt: texts.optional().describe('Globs of tools that need no tests.'),
  rules: z
    .record(z.string(), z.enum(['off', 'advice', 'warning', 'error']))
    .optional()
    .describe("Severity of a rule's findings, by the rule's id."),
  fs: FSInputSchema.optional(),
  allowedImports: texts.optional().describe('Packages of the application that tools may import.'),
  allowedFetchUrls: texts.optional().describe('URL prefixes that tools may fetch.'),
  network: NetworkInputSchema.optional(),
  agent: AgentInputSchema.optional(),
  ledger: ledgerInput.optional().describe('The record of what agents request and do; false disables it.'),
  secrets: z
    .record(text, SecretSchema)
    .optional()
    .describe('Secrets that tools may use as {{secret:NAME}} without reading them.'),
  policy: policyInput.optional().describe('The policy: allow, safe, a policy file, rules, or a function.'),
  tokens: z
    .strictObject({
      keys: texts.optional().describe('Keys of capability tokens, newest first. Shown masked.'),
      revoked: texts.optional().describe('Ids of revoked tokens.'),
    })
    .optional(),
  sql: sqlSource
    .optional()
    .describe('The database of tgp.exec_sql. The kernel option of the same name takes precedence.'),
  sandboxAPI: z
    .record(z.string(), sandboxFunction)
    .optional()
    .describe("The application's functions for tools. The kernel option of the same name takes precedence."),
});

const { timeoutMs, wallMs, memoryMb } = limitsOf(LIMITS.sandbox);

/** The options of every run. */
export const ExecOptionsSchema = z.strictObject({
  timeoutMs,
  wallMs,
  memoryMb,
  seed,
  now: z.int().optional(),
  signal,
  dryRun,
  mode: modes,
});

/** The options of `kernel.exec`. */
export const ExecToolOptionsSchema = ExecOptionsSchema.extend({ validate: z.boolean().optional() });

/** The options of `kernel.test`. */
export const TestOptionsSchema = ExecOptionsSchema.extend({
  caseMs: wallMs,
  coverage: z.boolean().optional(),
  accept: z.boolean().optional(),
});

/** The options of `kernel.check`. */
export const CheckOptionsSchema = z.strictObject({ signal });

/** The options of `kernel.fix`. */
export const FixOptionsSchema = z.strictObject({ signal, dryRun });

/** The options of `kernel.sync`. */
export const SyncOptionsSchema = z.strictObject({ dryRun });

/** The options of `kernel.find`. */
export const FindOptionsSchema = z.strictObject({ limit: limited(LIMITS.find_tool.limit), signal });

/** The options of `kernel.git.diff`. */
export const DiffOptionsSchema = z.strictObject({ from: text.optional(), to: text.optional() });

/** The options of `kernel.getSystemPrompt`. */
export const PromptOptionsSchema = z.strictObject({
  maxTokens: z.any().optional(),
  mode: modes,
  catalogue: z.boolean().optional(),
});

/** The options of `kernel.shutdown`. */
export const ShutdownOptionsSchema = z.strictObject({ pushTimeoutMs: wholeNumber(0, MAX_PUSH_MS).optional() });

/** What a commit records beside its files. */
export const CommitNoteSchema = z.strictObject({
  why: z.string().optional(),
  session: z.string().optional(),
  model: z.string().optional(),
});

/** The options of `kernel.policy.replay`. */
export const ReplayOptionsSchema = z.strictObject({ limit: wholeNumber(1, MAX_REPLAYED).optional() });

/** The options of `kernel.git.history`. */
export const HistoryOptionsSchema = z.strictObject(limitsOf(LIMITS.file_history));

/** The options of `kernel.tools`. */
export const ToolsOptionsSchema = z.strictObject({ query: text.optional(), limit: count.optional() });
