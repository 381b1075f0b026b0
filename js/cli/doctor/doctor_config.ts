/** Checks of the configuration, for `tgp doctor`. */

import { basename, dirname, join, relative } from 'node:path';
import { readTextAtMost } from '../../boundary/bounded_read.js';
import { ConfigError } from '../../boundary/errors.js';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import { withSecrets } from '../../kernel/config/config_secrets.js';
import { applicationFunctions } from '../../kernel/functions/application_functions.js';
import { openSource, settingsOf } from '../../sql/sql_settings.js';
import { readNextConfig } from '../init/next_config.js';
import { inspectProject } from '../init/project.js';
import { locateRoot } from '../workspace/workspace.js';
import { askRemote } from './doctor_remote.js';
import type { Finding } from './finding.js';
import { ok, problem, warning } from './finding.js';

/** What to do when a Next.js config does not use withTGP. */
const REMEDY = 'Run "tgp init", or wrap the config: export default withTGP(config), from @tgp/core/next.';

/** A tsconfig.json that emits nothing, or selects its files, or takes that from another file. */
const COMPILES_LESS = /"noEmit"\s*:\s*true|"(?:include|files|exclude|extends|references)"\s*:/;

/** State shared by the checks of one `tgp doctor` run, so that a problem is reported once. */
export type CheckContext = {
  options: { config?: string };
  /** Set once the configuration is loaded. */
  located?: Awaited<ReturnType<typeof locateRoot>>;
  /** The answer of the remote or its failure, set once the configuration allows the request. */
  remoteAnswer?: ReturnType<typeof askRemote>;
  config?: 'well' | 'faulty';
  /** `'untried'`: without a writable temporary folder. */
  worker?: 'well' | 'faulty' | 'untried';
};

/** Checks the configuration and reports all of its faults. */
export async function config(context: CheckContext): Promise<Finding> {
  context.config = 'faulty';
  const faults: string[] = [];
  await collect(faults, async () => {
    context.located = await locateRoot(context.options);
  });
  if (context.located !== undefined) await checkApplication(context.located.resolved, context, faults);
  if (faults.length > 0) return problem('not valid', faults.join(' '));
  context.config = 'well';
  const file = context.located?.resolved.file;
  if (file === undefined) return ok('none; defaults are used');
  return (await compiledConfig(file)) ?? ok(relative(process.cwd(), file));
}

/** The warning for a config file that `tsc` compiles with the application, as far as tsconfig.json itself shows it. */
async function compiledConfig(file: string): Promise<Finding | undefined> {
  if (!/\.m?ts$/.test(file)) return undefined;
  const folder = dirname(file);
  const settings = await readTextAtMost(join(folder, 'tsconfig.json')).catch(() => undefined);
  if (settings === undefined || COMPILES_LESS.test(settings)) return undefined;
  const { framework } = await inspectProject(folder);
  if (framework === 'next') return undefined;
  const name = basename(file);
  return warning(
    `${relative(process.cwd(), file)}, which tsconfig.json compiles with the application: with "rootDir" tsc fails, otherwise its output moves`,
    `Rename it to ${name.replace(/\.m?ts$/, '.mjs')} and remove its types, or add "exclude": ["${name}"] to tsconfig.json.`,
  );
}

async function checkApplication(resolved: ResolvedConfig, context: CheckContext, faults: string[]) {
  const { application } = resolved;
  await collect(faults, () => withSecrets(resolved.config));
  await collect(faults, () => applicationFunctions(application.sandboxAPI));
  await collect(faults, () => {
    if (application.sql === undefined) return;
    const { source, options } = settingsOf(application.sql);
    openSource(source, options);
  });
  await collect(faults, async () => {
    const answer = askRemote(resolved);
    // An unreachable remote is not a fault of the configuration.
    const failure = await answer.catch((error) => error);
    if (failure instanceof ConfigError) throw failure;
    context.remoteAnswer = answer;
  });
}

async function collect(faults: string[], check: () => unknown) {
  try {
    await check();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    if (!faults.includes(error.message)) faults.push(error.message);
  }
}

/** The route of the agent, if it exports a runtime, as older versions of `tgp init` wrote it. */
async function routeWithRuntime(folder: string): Promise<string | undefined> {
  for (const file of ['app', 'src/app'].flatMap((app) =>
    ['ts', 'js'].map((kind) => `${app}/api/agent/route.${kind}`),
  )) {
    const text = await readTextAtMost(join(folder, file)).catch(() => '');
    if (/^export const runtime\b/m.test(text)) return file;
  }
  return undefined;
}

/** Checks that a Next.js config uses withTGP; undefined for other applications. */
export async function examineNextConfig(folder: string): Promise<Finding | undefined> {
  const { framework } = await inspectProject(folder);
  if (framework !== 'next') return undefined;
  const { file, text, state } = await readNextConfig(folder);
  const route = text.includes('cacheComponents') ? await routeWithRuntime(folder) : undefined;
  if (route !== undefined) {
    const detail = `${route} exports "runtime", which Next.js refuses because ${file} sets cacheComponents`;
    return problem(detail, 'Remove that line: Node.js is the default runtime.');
  }
  if (state === 'withTGP') return ok(`${file} uses withTGP`);
  if (state === 'named') {
    const detail = `${file} names @tgp/core but does not use withTGP, so the output may lack the worker executable`;
    return warning(detail, REMEDY);
  }
  return problem('the build would try to bundle the native addon', REMEDY);
}
