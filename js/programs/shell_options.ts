/** Validates the options of `createShellTools`. */

import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { output } from 'zod';
import { z } from 'zod';
import { ConfigError } from '../boundary/errors.js';
import { wholeNumber } from '../boundary/limit_schema.js';
import { parseSettings } from '../boundary/validation.js';
import type { TGP } from '../types/kernel.js';
import type { Approve } from '../types/policy.js';
import { workspaceAround } from './protected_paths.js';

/** Default names of secret files and folders. A star matches any characters. */
const HIDDEN = [
  ...['.env', '.env.*', '*.env', '.envrc'],
  ...['.aws', '.azure', '.gnupg', '.kube', '.ssh', '.terraform.d', '.vault-token'],
  ...[
    '.boto',
    '.dockercfg',
    '.git-credentials',
    '.htpasswd',
    '.my.cnf',
    '.netrc',
    '_netrc',
    '.npmrc',
    '.pgpass',
    '.pypirc',
  ],
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ecdsa_sk', 'id_ed25519', 'id_ed25519_sk'],
  ...['*.jks', '*.kdbx', '*.keystore', '*.p12', '*.pfx', '*.ppk', '*.tfstate', '*.tfvars'],
  ...['credentials.json', 'service-account*.json', 'service_account*.json'],
];
/** Example files, which by convention contain no secrets. */
const EXAMPLES = /\.(?:example|sample|template|dist|defaults?)$/i;
/** Default read-only folders: large, or executed implicitly (Git hooks, package scripts). */
const READ_ONLY = ['.git', 'node_modules'];

const MB = 1 << 20;

const text = z.string().min(1);
const aFunction = z.custom<Approve>((value) => typeof value === 'function', 'must be a function').optional();
/** A single name of a file or folder. */
const names = z.array(text.refine((name) => !/[/\\]/.test(name), 'must be names of files or folders, without "/"'));
type IsNamed = (name: string) => boolean;
const absolute = text.refine(isAbsolute, 'must be absolute paths');
const variable = text.regex(
  /^(?!LD_)[A-Za-z_]\w*$/,
  'must be names of environment variables, except those of the loader (LD_…)',
);

const OptionsSchema = z.strictObject({
  programs: z.array(text).min(1, 'must name at least one program'),
  cwd: text,
  kernel: z.custom<TGP>((value) => typeof value === 'object' && value !== null, 'must be a TGP').optional(),
  approve: aFunction,
  approval: z.literal('sdk').optional(),
  session: z.string().optional(),
  model: z.string().optional(),
  agent: z.string().optional(),
  token: text.optional(),
  dryRun: z.boolean().default(false),
  env: z.record(variable, z.string()).default({}),
  readable: z.array(absolute).default([]),
  hidden: names.optional(),
  readOnly: names.default(READ_ONLY),
  timeoutMs: wholeNumber(100, 3_600_000).default(60_000),
  cpuMs: wholeNumber(100, 36_000_000).default(120_000),
  memoryMb: wholeNumber(16, 1 << 20).default(1_024),
  processes: wholeNumber(1, 100_000).default(256),
  files: wholeNumber(1, 1_000_000).default(20_000),
  folderMb: wholeNumber(1, 100_000).default(256),
  outputBytes: wholeNumber(256, 4 * MB).default(64 << 10),
  resultChars: wholeNumber(1_000, 10_000_000).default(16_000),
  approvalMs: wholeNumber(1, 86_400_000).default(300_000),
});

/** `folder` is the real path of `cwd`; `keys`: access to private keys, in files of any name. */
export type ShellSettings = output<typeof OptionsSchema> & {
  folder: string;
  isHidden: IsNamed;
  isReadOnly: IsNamed;
  keys: 'hidden' | 'seen';
};

/** The validated options with their defaults. */
export function shellSettings(options: unknown): ShellSettings {
  const settings = parseSettings(OptionsSchema, options, 'createShellTools options');
  const { hidden, readOnly } = settings;
  const isDefault = named(HIDDEN);
  return {
    ...settings,
    folder: folderOf(settings.cwd),
    isHidden: hidden === undefined ? (name) => isDefault(name) && !EXAMPLES.test(name) : named(hidden),
    isReadOnly: named(readOnly),
    keys: hidden === undefined ? 'hidden' : 'seen',
  };
}

/** @returns case-insensitive, as some file systems are */
function named(patterns: string[]): IsNamed {
  const escaped = patterns.map((pattern) => pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*'));
  const whole = new RegExp(`^(?:${escaped.join('|')})$`, 'is');
  return (name) => patterns.length > 0 && whole.test(name);
}

function folderOf(cwd: string) {
  try {
    const folder = realpathSync(resolve(cwd));
    if (statSync(folder).isDirectory() && folder !== '/') return outsideWorkspaces(folder);
  } catch (error) {
    // Other errors are reported below.
    if (error instanceof ConfigError) throw error;
  }
  throw new ConfigError('createShellTools options: "cwd" must be an existing folder other than the file system root.', {
    details: { field: 'cwd' },
  });
}

/** The folder, which must not be in the workspace of a kernel. */
export function outsideWorkspaces(folder: string) {
  if (workspaceAround(folder) === undefined) return folder;
  throw new ConfigError(
    'createShellTools options: "cwd" is the workspace of a kernel, or inside one: programs could read its keys and change its tools without its policy. Use a folder outside it.',
    { details: { field: 'cwd' } },
  );
}
