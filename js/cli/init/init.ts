/** `tgp init`: writes the files of an application with an agent. */

import { existsSync, statSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { confirm, isCancel } from '@clack/prompts';
import { ConfigError } from '../../boundary/errors.js';
import { isRecord } from '../../boundary/foreign_json.js';
import { FILES } from '../../kernel/access_symbols.js';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import { DEFAULT_FILES, RESOLVED, withoutFile } from '../../kernel/config/config.js';
import { TGP } from '../../kernel/tgp.js';
import type { TGPOptions } from '../../types/kernel.js';
import type { Format } from '../terminal/screen.js';
import { json, line, styled, withProgress } from '../terminal/screen.js';
import { DEFAULT_ROOT } from '../workspace/config_lookup.js';
import { packageCommand } from '../workspace/package_command.js';
import type { FileEffect } from '../workspace/project_files.js';
import { create, ignoreRoot } from '../workspace/project_files.js';
import { locateRoot, toolPaths, withoutPolicy } from '../workspace/workspace.js';
import { AGENT_PACKAGES, agentFile } from './agent_file.js';
import { nestModule, nextRoute, script } from './agent_templates.js';
import { driverOf, layerSteps } from './databases.js';
import { memoryOffer } from './memory_offer.js';
import { applyWithTGP } from './next_config.js';
import type { Project } from './project.js';
import { inspectProject } from './project.js';
import { TOKEN_VARIABLE } from './request_templates.js';
import { configText, EXAMPLE_TOOL, SHIM } from './templates.js';
import { exclusions } from './test_runners.js';

/**
 * `root` is the folder of the tools; `agent` and `config` are the files of that name; `opens` is the one that opens the database; `manual` is what the user has to add
 * by hand
 */
type Done = { files: FileEffect[]; root: string; agent: string; config: string; opens: string; manual: string[] };

const EXAMPLE_PATH = 'tools/examples/greet.ts';
const META = 'meta.json';
const RUNNABLE = 0o755;
const TEMPLATES = { next: nextRoute, nest: nestModule, plain: script };

/**
 * `tgp init`: prepares a project for an agent. Existing files are kept, so it is safe to run again.
 * @returns the exit code
 */
export async function init({ yes, format }: { yes?: boolean; format: Format }): Promise<number> {
  const project = await inspectProject(process.cwd());
  if (format === 'text') describeProject(project);
  if (format === 'text' && !yes && process.stdin.isTTY && process.stdout.isTTY) {
    const agreed = await confirm({ message: 'Set up TGP in this folder?', withGuide: false });
    if (isCancel(agreed) || !agreed) {
      line('Nothing was written.');
      return 1;
    }
    line();
  }
  const [done, offer] = await withProgress(format, 'Setting up', () =>
    Promise.all([setUp(project), memoryOffer(project)]),
  );
  const next = [...nextSteps(project, done), ...offer];
  if (format === 'json') {
    const { framework, packageManager, databases } = project;
    json({ framework, packageManager, databases, files: done.files, next });
  } else {
    report(done.files, next);
  }
  return 0;
}

async function setUp(project: Project): Promise<Done> {
  const { folder, framework, language, databases } = project;
  const present = DEFAULT_FILES.find((name) => existsSync(join(folder, name)));
  const config = present ?? newConfigName(project);
  const driver = driverOf(databases);
  // A config file that is about to be written is not loaded: its driver may not be installed yet.
  const resolved =
    present === undefined ? { ...withoutFile(folder), hasSql: driver !== undefined } : await presentConfig();
  const root = resolve(folder, resolved.config.rootDir ?? DEFAULT_ROOT);
  const name = relative(folder, root).split(sep).join('/');
  refuseFile(root, name);
  const files: FileEffect[] = [await create(folder, config, configText(driver))];
  files.push(...(await setUpRoot(root, name, resolved)), await ignoreRoot(folder, name), ...(await addScript(project)));
  const agent = agentFile(project);
  const database = resolved.hasSql ? 'in the config' : (driver ?? 'nowhere');
  const up = '../'.repeat(agent.split('/').length - 1);
  files.push(await create(folder, agent, TEMPLATES[framework]({ language, config, database, up })));
  const applied = framework === 'next' ? await applyWithTGP(folder, language) : undefined;
  if (applied) files.push({ file: applied.file, effect: applied.effect });
  const opens = database === 'in the config' ? config : agent;
  return { files, root: name, agent, config, opens, manual: applied?.manual ?? [] };
}

/**
 * TypeScript in a new application, and for Next.js, whose compiler emits nothing. Elsewhere `tsc` would compile such a file too, also if
 * tsconfig.json comes later: with `rootDir` it fails, without it the output moves.
 */
function newConfigName({ framework, language, folder, manifest }: Project) {
  const { dependencies, devDependencies } = manifest?.value ?? {};
  const isNew = dependencies === undefined && devDependencies === undefined && !existsSync(join(folder, 'src'));
  return framework === 'next' || (isNew && language === 'js') ? 'tgp.config.ts' : 'tgp.config.mjs';
}

/** Refuses a root path that is a file, before anything is written. */
function refuseFile(root: string, name: string) {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new ConfigError(
      `${name} is a file, but the root of the tools must be a folder. Nothing was written. Move the file.`,
      {
        details: { key: 'rootDir' },
      },
    );
  }
}

/** The configuration of this folder, and whether it has a database. */
async function presentConfig() {
  const { resolved } = await locateRoot({}, 'here');
  return { ...resolved, hasSql: resolved.application.sql !== undefined };
}

/** Creates the workspace: booting creates the folder and its repository. */
async function setUpRoot(root: string, name: string, resolved: ResolvedConfig): Promise<FileEffect[]> {
  const isNew = !existsSync(join(root, '.git'));
  const options: TGPOptions & { [RESOLVED]: ResolvedConfig } = { [RESOLVED]: withoutPolicy(resolved) };
  const kernel = new TGP(options);
  try {
    await kernel.boot();
    const files: FileEffect[] = [{ file: `${name}/.git`, effect: isNew ? 'created' : 'kept' }];
    // Only in a new workspace: a removed example does not come back.
    if (isNew && (await toolPaths(kernel)).length === 0) {
      await kernel[FILES].write(EXAMPLE_PATH, EXAMPLE_TOOL);
      files.push({ file: `${name}/${EXAMPLE_PATH}`, effect: 'created' });
    }
    const hasMeta = existsSync(join(root, META));
    if (!hasMeta) await kernel.registry.sync();
    files.push({ file: `${name}/${META}`, effect: hasMeta && !isNew ? 'kept' : 'created' });
    const shim = await create(root, 'bin/tgp', SHIM);
    await chmod(join(root, 'bin', 'tgp'), RUNNABLE);
    // The shim belongs to this checkout, not to the history of the tools.
    await create(root, 'bin/.gitignore', '*\n');
    files.push({ ...shim, file: `${name}/bin/tgp` });
    return files;
  } finally {
    await kernel.shutdown();
  }
}

async function addScript({ folder, manifest }: Project): Promise<FileEffect[]> {
  if (!manifest) return [];
  const file = 'package.json';
  const { text, value } = manifest;
  const scripts = isRecord(value.scripts) ? value.scripts : {};
  if (scripts.tgp !== undefined) return [{ file, effect: 'kept' }];
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';
  const changed = { ...value, scripts: { ...scripts, tgp: 'tgp' } };
  await writeFile(
    join(folder, file),
    `${JSON.stringify(changed, undefined, indent)}${text.endsWith('\n') ? '\n' : ''}`,
  );
  return [{ file, effect: 'changed' }];
}

function nextSteps({ framework, language, agent: manager, manifest, databases, uses }: Project, done: Done): string[] {
  const { root, agent, config, opens, manual } = done;
  const typed = (task: 'add' | 'execute-local', ...words: string[]) => packageCommand(manager, task, words);
  const missing = AGENT_PACKAGES.filter((name) => !uses(name));
  const { types, variable } = driverOf(databases) ?? {};
  const untyped = types !== undefined && language === 'ts' && /\.m?ts$/.test(opens) && !uses(types);
  const from = manifest?.value.type === 'module' ? './tgp/tgp.module.js' : './tgp/tgp.module';
  const nest = [
    'Add to your AppModule:',
    `  import { TgpModule } from '${from}';`,
    `  @Module({ imports: [TgpModule.forRoot({ configFile: './${config}' })] })`,
    'Add to main.ts, before app.listen, so that a stop signal ends the kernel after the last answer:',
    '  app.enableShutdownHooks();',
  ];
  return [
    ...(missing.length > 0 ? [typed('add', ...missing)] : []),
    ...(untyped ? [typed('add', '-D', types)] : []),
    ...manual,
    ...(framework === 'nest' ? nest : []),
    ...layerSteps(databases, done, framework),
    ...exclusions(uses, root),
    ...(variable === undefined ? [] : [`Set ${variable}: ${opens} reads it.`]),
    ...(framework === 'plain' ? [] : [`Set ${TOKEN_VARIABLE}: ${agent} accepts only requests with this bearer token.`]),
    `Set AI_GATEWAY_API_KEY, or use a model of another provider in ${agent}.`,
    typed('execute-local', 'tgp', 'doctor'),
    // Without --yes it would ask, and fail where there is no terminal.
    typed('execute-local', 'tgp', 'exec', EXAMPLE_PATH, '--args', `'{"names": ["Ada"], "greeting": "Hello"}'`, '--yes'),
  ];
}

function describeProject({ framework, packageManager, databases }: Project) {
  const kinds = { next: 'Next.js', nest: 'NestJS', plain: 'plain Node' };
  line(`Application  ${kinds[framework]}`);
  line(`Packages     ${packageManager}`);
  line(`Database     ${databases.length > 0 ? databases.join(', ') : 'none found'}`);
  line();
}

function report(files: FileEffect[], next: string[]) {
  for (const { file, effect } of files) {
    const shown = effect.padEnd('created'.length);
    line(`${effect === 'kept' ? styled('dim', shown) : styled('green', shown)}  ${file}`);
  }
  line('\nNext:');
  for (const step of next) line(`  ${step}`);
}
