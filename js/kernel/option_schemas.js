/**
 * What an application may pass to a kernel: the configuration as it is given, and the options of its calls, as zod schemas.
 *
 * No schema holds a default: defaults are decided in `src/kernel`, in one place. `config_schemas.js` has them filled in.
 */

import { z } from 'zod';
import { isAbortSignal } from '../boundary/abort.js';
import { limited, limitsOf, wholeNumber } from '../boundary/limit_schema.js';
import { LIMITS } from '../boundary/limits.js';

/**
 * @typedef {import('../../index.js').SqlSource | import('../../index.js').SqlSettings} Sql
 * @typedef {import('../../index.js').SandboxFunction} SandboxFunction
 */

/** Longer than any path, address or token. */
const MAX_TEXT_CHARS = 8_192;
/** Entries of a list: more is no configuration that somebody wrote, and would take long to be refused one by one. */
export const MAX_ENTRIES = 1_000;
const MAX_PUSH_MS = 600_000;
const MAX_TOOLS = 1_000_000;
const MAX_REPLAYED = 10_000;
const isObject = (/** @type {unknown} */ value) =>
  typeof value === 'function' || (typeof value === 'object' && value !== null);
/** @type {z.ZodCustom<Sql, Sql>} */
const sqlSource = z.custom(isObject, 'must be a database, or { source, … } with one');
/** @type {z.ZodCustom<SandboxFunction, SandboxFunction>} */
const sandboxFunction = z.custom(isObject, 'must be a function, or { description, parameters, readOnly, execute }');

/** @type {z.ZodCustom<import('../../index.js').PolicyInput, import('../../index.js').PolicyInput>} */
const policyInput = z.custom(
  (value) => (typeof value === 'string' && value !== '') || isObject(value),
  "must be 'allow', 'safe', the path of a policy file, rules, or a function",
);

const text = z.string().min(1).max(MAX_TEXT_CHARS);
const texts = z.array(text).max(MAX_ENTRIES);
const count = wholeNumber(1, MAX_TOOLS);
const seed = wholeNumber(0, Number.MAX_SAFE_INTEGER).optional();
const dryRun = z.boolean().optional();
const signal = z.custom(isAbortSignal, 'must be an AbortSignal').optional();

export const GivenGitSchema = z.strictObject({
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

export const GivenSandboxSchema = z.strictObject({
  ...limitsOf(LIMITS.sandbox),
  isolation: z
    .enum(['process', 'thread'])
    .optional()
    .describe('Where runs live: worker processes, or threads of the host.'),
  seed: seed.describe('Makes chance repeatable in every run.'),
  now: z.int().optional().describe("Where every run's clock starts, in milliseconds since 1970."),
});

export const GivenFSSchema = z.strictObject({
  allowedDirs: texts
    .optional()
    .describe('Folders that tools may read and write, relative to the folder of the config file, or absolute.'),
  blockUpwardTraversal: z.boolean().optional().describe('Refuse every ".." in a path of a tool.'),
  ...limitsOf(LIMITS.fs),
});

export const GivenNetworkSchema = z.strictObject({
  proxy: text.optional().describe('Address of the HTTP proxy that Git over https goes through.'),
  noProxy: texts.optional().describe('Hosts, domains and networks that are reached without the proxy.'),
  ca: text
    .optional()
    .describe('File of certificates (PEM) that are trusted beside those of the machine, relative to the config file.'),
  forTools: z.boolean().optional().describe('Whether what tools fetch goes through the proxy and trusts "ca" as well.'),
});

const SecretSchema = z.strictObject({
  value: text.optional().describe('The secret itself. Shown masked.'),
  env: text.optional().describe('The environment variable that holds it, instead of "value".'),
  hosts: z.array(text).optional().describe('Servers that may be sent it, as "host" or "host:port".'),
  functions: z.array(text).optional().describe('Functions of sandboxAPI that may be given it.'),
});

export const GivenAgentSchema = z.strictObject(limitsOf(LIMITS.agent));

export const GivenLedgerSchema = z.strictObject({
  on: z.boolean().optional().describe('Whether anything is written down; "ledger: false" says the same.'),
  fsync: z
    .boolean()
    .optional()
    .describe('Whether the intent of a change is also safe from a loss of power before the change happens.'),
  postgres: text.optional().describe('Address of a PostgreSQL database in the place of the file. Shown masked.'),
  key: text
    .optional()
    .describe('Key that checkpoints are signed with, for machines that share a database. Shown masked.'),
  ...limitsOf(LIMITS.ledger),
});

/**
 * What says whether there is a ledger, or how it is kept.
 * @type {z.ZodType<z.output<typeof GivenLedgerSchema>, boolean | z.input<typeof GivenLedgerSchema>>}
 */
const ledgerGiven = /** @type {any} */ (
  z.preprocess((given) => (typeof given === 'boolean' ? { on: given } : given), GivenLedgerSchema)
);

const modes = z.enum(['explore', 'strict', 'debug']).optional();

export const GivenConfigSchema = z.strictObject({
  rootDir: text.optional().describe("The agent's root, relative to the folder of the config file."),
  git: GivenGitSchema.optional(),
  sandbox: GivenSandboxSchema.optional(),
  check: z
    .enum(['off', 'warn', 'strict'])
    .optional()
    .describe('What a tool that fails its check may still do: everything, all but unsafe runs, nothing.'),
  memory: z
    .enum(['auto', 'off'])
    .optional()
    .describe('Whether tools are found by meaning as well as by words, where there is a model.'),
  reuse: z
    .enum(['off', 'warn', 'strict'])
    .optional()
    .describe('What becomes of a new tool for a job that another does: written, written and told, refused.'),
  mode: modes.describe('Whether agents write a test first: strict, for new tools only (debug), or not (explore).'),
  exempt: texts.optional().describe('Globs of tools that nobody asks tests for.'),
  rules: z
    .record(z.string(), z.enum(['off', 'advice', 'warning', 'error']))
    .optional()
    .describe("What a rule's findings weigh, by the rule's id."),
  fs: GivenFSSchema.optional(),
  allowedImports: texts.optional().describe('Packages of the application that tools may import.'),
  allowedFetchUrls: texts.optional().describe('What tools may fetch, as URLs that a request must begin with.'),
  network: GivenNetworkSchema.optional(),
  agent: GivenAgentSchema.optional(),
  ledger: ledgerGiven.optional().describe('What is written down of what agents ask for and do; false for nothing.'),
  secrets: z
    .record(text, SecretSchema)
    .optional()
    .describe('What tools may use without seeing it: they write {{secret:NAME}}.'),
  policy: policyInput.optional().describe('Who may do what: allow, safe, a file of rules, rules, or a function.'),
  tokens: z
    .strictObject({
      keys: texts.optional().describe('Keys of capability tokens: the newest first. Shown masked.'),
      revoked: texts.optional().describe('Names of tokens that no longer count.'),
    })
    .optional(),
  sql: sqlSource.optional().describe('The database behind tgp.exec_sql, as in the options of a kernel, which win.'),
  sandboxAPI: z
    .record(z.string(), sandboxFunction)
    .optional()
    .describe("The application's functions for tools, as in the options of a kernel, which win."),
});

const { timeoutMs, wallMs, memoryMb } = limitsOf(LIMITS.sandbox);

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

export const ExecToolOptionsSchema = ExecOptionsSchema.extend({ validate: z.boolean().optional() });

export const TestOptionsSchema = ExecOptionsSchema.extend({
  caseMs: wallMs,
  coverage: z.boolean().optional(),
  accept: z.boolean().optional(),
});

export const CheckOptionsSchema = z.strictObject({ signal });

export const FixOptionsSchema = z.strictObject({ signal, dryRun });

export const SyncOptionsSchema = z.strictObject({ dryRun });

export const FindOptionsSchema = z.strictObject({ limit: limited(LIMITS.find_tool.limit), signal });

export const DiffOptionsSchema = z.strictObject({ from: text.optional(), to: text.optional() });

export const PromptOptionsSchema = z.strictObject({
  maxTokens: z.any().optional(),
  mode: modes,
  catalogue: z.boolean().optional(),
});

export const ShutdownOptionsSchema = z.strictObject({ pushTimeoutMs: wholeNumber(0, MAX_PUSH_MS).optional() });

export const CommitNoteSchema = z.strictObject({
  why: z.string().optional(),
  session: z.string().optional(),
  model: z.string().optional(),
});

export const ReplayOptionsSchema = z.strictObject({ limit: wholeNumber(1, MAX_REPLAYED).optional() });

export const HistoryOptionsSchema = z.strictObject(limitsOf(LIMITS.file_history));

export const ToolsOptionsSchema = z.strictObject({ query: text.optional(), limit: count.optional() });
