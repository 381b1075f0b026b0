/** Checks of the agent that `tgp init` wrote: its packages, its registration, its environment; for `tgp doctor`. */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { readTextAtMost } from '../../boundary/bounded_read.js';
import { AGENT_PACKAGES, agentFile } from '../init/agent_file.js';
import { driverOf } from '../init/databases.js';
import type { Project } from '../init/project.js';
import { inspectProject } from '../init/project.js';
import { TOKEN_VARIABLE } from '../init/request_templates.js';
import { missingExclusions } from '../init/test_runners.js';
import { packageCommand } from '../workspace/package_command.js';
import type { CheckContext } from './doctor_config.js';
import type { Finding } from './finding.js';
import { ok, problem, warning } from './finding.js';

type Fault = { detail: string; remedy: string };

/** Maximum number of directory entries that are searched for the registration of the module. */
const MAX_ENTRIES = 5_000;
/** A model by its name, which Vercel's gateway provides. */
const GATEWAY_MODEL = /\bmodel: '[\w.-]+\/[^']+'/;
/** Each of these is enough for the gateway. */
const GATEWAY_KEYS = ['AI_GATEWAY_API_KEY', 'VERCEL_OIDC_TOKEN'];
const ENV_FILES = ['.env', '.env.local', '.env.development', '.env.development.local', '.env.production'];

/** Checks what `tgp init` printed as next steps. Silent if the application has no agent of it. */
export async function agent({ located }: CheckContext): Promise<Finding> {
  const folder = located?.resolved.baseDir ?? process.cwd();
  const project = await inspectProject(folder);
  const file = (['ts', 'js'] as const)
    .map((language) => agentFile({ ...project, language }))
    .find((path) => existsSync(join(folder, path)));
  if (file === undefined) return ok('');
  const text = await readTextAtMost(join(folder, file));
  const faults = [...missingPackages(project, file, text)];
  const notes = [...(await unsetVariables(folder, file, text))];
  if (project.framework === 'nest') {
    const { registration, hooks } = await nestFaults(project, file);
    faults.push(...registration);
    notes.push(...hooks);
  }
  if (located !== undefined) {
    const root = relative(folder, located.root).split(sep).join('/');
    for (const remedy of await missingExclusions(project, root)) {
      notes.push({ detail: `${root} is not excluded from the test runner of the application`, remedy });
    }
  }
  const found = [...faults, ...notes];
  if (found.length === 0) return ok(file);
  const detail = found.map((fault) => fault.detail).join('; ');
  const remedy = found.map((fault) => fault.remedy).join(' ');
  return faults.length > 0 ? problem(detail, remedy) : warning(detail, remedy);
}

/** Packages that the agent imports and the application has not installed. */
function missingPackages(project: Project, file: string, text: string): Fault[] {
  const driver = driverOf(project.databases);
  const names = [...AGENT_PACKAGES, ...(driver ? [driver.name] : [])].filter((name) =>
    new RegExp(`['"]${name}(?:/[^'"]*)?['"]`).test(text),
  );
  const missing = names.filter((name) => !isInstalled(project, name));
  if (missing.length === 0) return [];
  const are = missing.length === 1 ? 'is' : 'are';
  const detail = `${file} imports ${missing.join(' and ')}, which ${are} not installed`;
  return [{ detail, remedy: `Install: ${packageCommand(project.agent, 'add', missing)}.` }];
}

/** Whether a package is in `node_modules` of the folder or a parent folder; Plug'n'Play has its packages elsewhere. */
function isInstalled({ folder, uses }: Project, name: string) {
  for (let place = folder; ; place = dirname(place)) {
    if (existsSync(join(place, 'node_modules', name))) return true;
    if (existsSync(join(place, '.pnp.cjs'))) return uses(name);
    if (place === dirname(place)) return false;
  }
}

/** Environment variables that the agent needs and neither the environment nor a file of it has. */
async function unsetVariables(folder: string, file: string, text: string): Promise<Fault[]> {
  const files = await Promise.all(ENV_FILES.map((name) => readTextAtMost(join(folder, name)).catch(() => '')));
  const isSet = (name: string) =>
    Boolean(process.env[name]) ||
    files.some((content) => new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`, 'm').test(content));
  const faults = [];
  if (text.includes(TOKEN_VARIABLE) && !isSet(TOKEN_VARIABLE)) {
    const detail = `${TOKEN_VARIABLE} is not set here, so ${file} refuses every request`;
    faults.push({ detail, remedy: `Set ${TOKEN_VARIABLE} to a secret text.` });
  }
  if (GATEWAY_MODEL.test(text) && !GATEWAY_KEYS.some(isSet)) {
    const detail = 'AI_GATEWAY_API_KEY is not set here, which its model needs';
    faults.push({ detail, remedy: `Set AI_GATEWAY_API_KEY, or use a model of another provider in ${file}.` });
  }
  return faults;
}

/** What the application lacks around the module: the import in its root module, and the stop signals. */
async function nestFaults({ folder }: Project, file: string): Promise<{ registration: Fault[]; hooks: Fault[] }> {
  const sources = await readdir(join(folder, 'src'), { recursive: true });
  const paths = sources
    .slice(0, MAX_ENTRIES)
    .filter((path) => /\.[cm]?[jt]s$/.test(path) && join('src', path) !== join(file));
  let isRegistered = false;
  let hasHooks = false;
  for (const path of paths) {
    const text = await readTextAtMost(join(folder, 'src', path)).catch(() => '');
    isRegistered ||= /^[^/*]*\bTgpModule\.forRoot\b/m.test(text);
    hasHooks ||= /^[^/*]*\benableShutdownHooks\b/m.test(text);
  }
  const registration = {
    detail: 'no module imports TgpModule, so POST /agent does not exist',
    remedy: 'Add TgpModule.forRoot(…) to the imports of your AppModule; "tgp init" prints the lines.',
  };
  const hooks = {
    detail: 'stop signals do not reach the kernel',
    remedy: 'Add app.enableShutdownHooks() to main.ts, before app.listen.',
  };
  return { registration: isRegistered ? [] : [registration], hooks: hasHooks ? [] : [hooks] };
}
