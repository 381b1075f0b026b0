import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { confirm, isCancel } from '@clack/prompts';
import { resolveCommand } from 'package-manager-detector/commands';
import { DEFAULT_FILES } from '../config.js';
import { FILES, TGP } from '../kernel.js';
import { inspectProject } from './project.js';
import { json, line, styled, withProgress } from './screen.js';
import { CONFIG, EXAMPLE_TOOL, NEST_MODULE, nextRoute, SHIM } from './templates.js';
import { locateRoot, toolPaths } from './workspace.js';

/**
 * @typedef {import('./project.js').Project} Project
 * @typedef {'created' | 'changed' | 'kept'} Effect
 * @typedef {{ file: string, effect: Effect }} Deed
 */

const EXAMPLE_PATH = 'tools/examples/greet.ts';
const RUNNABLE = 0o755;

/**
 * Makes a project ready for an agent. What is there already stays as it is, so it may run as often as one likes.
 * @param {{ yes?: boolean, format: import('./screen.js').Format }} options
 * @returns {Promise<number>} the exit code
 */
export async function init({ yes, format }) {
  const project = await inspectProject(process.cwd());
  if (format === 'text') describeProject(project);
  if (format === 'text' && !yes && process.stdin.isTTY && process.stdout.isTTY) {
    const agreed = await confirm({ message: 'Set up TGP in this folder?', withGuide: false });
    if (isCancel(agreed) || !agreed) {
      line('Nothing was written.');
      return 1;
    }
  }
  const deeds = await withProgress(format, 'Setting up', () => setUp(project));
  const next = nextSteps(project);
  if (format === 'json') {
    const { framework, packageManager, databases } = project;
    json({ framework, packageManager, databases, files: deeds, next });
  } else {
    report(deeds, next);
  }
  return 0;
}

/**
 * @param {Project} project
 * @returns {Promise<Deed[]>}
 */
async function setUp(project) {
  const { folder } = project;
  const present = DEFAULT_FILES.find((name) => existsSync(join(folder, name)));
  /** @type {Deed[]} */
  const deeds = [
    present === undefined ? await create(folder, 'tgp.config.ts', CONFIG) : { file: present, effect: 'kept' },
  ];
  const { root } = await locateRoot({});
  const name = relative(folder, root).split(sep).join('/');
  deeds.push(...(await setUpRoot(root, name)), await ignoreRoot(folder, name), ...(await addScript(project)));
  const route = routeOf(project);
  if (route) deeds.push(await create(folder, route.file, route.text));
  return deeds;
}

/**
 * The workspace itself: booting makes the folder and its repository.
 * @param {string} root
 * @param {string} name
 * @returns {Promise<Deed[]>}
 */
async function setUpRoot(root, name) {
  const isNew = !existsSync(join(root, '.git'));
  const kernel = new TGP();
  try {
    await kernel.boot();
    /** @type {Deed[]} */
    const deeds = [{ file: `${name}/.git`, effect: isNew ? 'created' : 'kept' }];
    // Once only: an example that somebody has removed does not come back.
    if (isNew && (await toolPaths(kernel)).length === 0) {
      await kernel[FILES].write(EXAMPLE_PATH, EXAMPLE_TOOL);
      deeds.push({ file: `${name}/${EXAMPLE_PATH}`, effect: 'created' });
    }
    const shim = await create(root, 'bin/tgp', SHIM);
    await chmod(join(root, 'bin', 'tgp'), RUNNABLE);
    // The shim belongs to this checkout, not to the history of the tools.
    await create(root, 'bin/.gitignore', '*\n');
    deeds.push({ ...shim, file: `${name}/bin/tgp` });
    return deeds;
  } finally {
    await kernel.shutdown();
  }
}

/**
 * @param {string} folder
 * @param {string} file
 * @param {string} text
 * @returns {Promise<Deed>}
 */
async function create(folder, file, text) {
  const path = join(folder, file);
  if (existsSync(path)) return { file, effect: 'kept' };
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: 'wx' });
  return { file, effect: 'created' };
}

/**
 * The root is a repository of its own: the application's must not take it for one of its folders.
 * @param {string} folder
 * @param {string} name
 * @returns {Promise<Deed>}
 */
async function ignoreRoot(folder, name) {
  const file = '.gitignore';
  const path = join(folder, file);
  if (!existsSync(path)) return create(folder, file, `/${name}/\n`);
  const text = await readFile(path, 'utf8');
  const ignored = text.split(/\r?\n/).some((entry) => entry.trim().replace(/^\/|\/$/g, '') === name);
  if (ignored) return { file, effect: 'kept' };
  await writeFile(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}/${name}/\n`);
  return { file, effect: 'changed' };
}

/**
 * @param {Project} project
 * @returns {Promise<Deed[]>}
 */
async function addScript({ folder, manifest }) {
  if (!manifest) return [];
  const file = 'package.json';
  const { text, value } = manifest;
  if (value.scripts?.tgp !== undefined) return [{ file, effect: 'kept' }];
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';
  const changed = { ...value, scripts: { ...value.scripts, tgp: 'tgp' } };
  await writeFile(
    join(folder, file),
    `${JSON.stringify(changed, undefined, indent)}${text.endsWith('\n') ? '\n' : ''}`,
  );
  return [{ file, effect: 'changed' }];
}

/**
 * An example of an agent, where the framework looks for it.
 * @param {Project} project
 */
function routeOf({ folder, framework, language }) {
  if (framework === 'next') {
    const source = existsSync(join(folder, 'src')) ? 'src/' : '';
    return { file: `${source}app/api/agent/route.${language}`, text: nextRoute(language) };
  }
  return framework === 'nest' ? { file: 'src/tgp/tgp.module.ts', text: NEST_MODULE } : undefined;
}

/**
 * @param {Project} project
 * @returns {string[]}
 */
function nextSteps({ framework, packageManager, manifest, installed }) {
  const missing = ['@tgp/core', 'ai'].filter((name) =>
    name === '@tgp/core' ? !installed : manifest?.value.dependencies?.[name] === undefined,
  );
  /** @type {(task: 'add' | 'execute-local', ...words: string[]) => string} */
  const typed = (task, ...words) => {
    const resolved = resolveCommand(/** @type {any} */ (packageManager), task, words);
    return resolved ? [resolved.command, ...resolved.args].join(' ') : words.join(' ');
  };
  return [
    ...(missing.length > 0 ? [typed('add', ...missing)] : []),
    ...(framework === 'next' ? ["Add serverExternalPackages: ['@tgp/core'] to the Next.js config."] : []),
    ...(framework === 'nest' ? ['Add TgpModule of src/tgp/tgp.module.ts to the imports of your AppModule.'] : []),
    typed('execute-local', 'tgp', 'doctor'),
    typed('execute-local', 'tgp', 'exec', EXAMPLE_PATH, '--args', `'{"names": ["Ada"], "greeting": "Hello"}'`),
  ];
}

/** @param {Project} project */
function describeProject({ framework, packageManager, databases }) {
  const kinds = { next: 'Next.js', nest: 'NestJS', plain: 'plain Node' };
  line(`Application  ${kinds[framework]}`);
  line(`Packages     ${packageManager}`);
  line(`Database     ${databases.length > 0 ? databases.join(', ') : 'none found'}`);
  line();
}

/**
 * @param {Deed[]} deeds
 * @param {string[]} next
 */
function report(deeds, next) {
  for (const { file, effect } of deeds) {
    const shown = effect.padEnd('created'.length);
    line(`${effect === 'kept' ? styled('dim', shown) : styled('green', shown)}  ${file}`);
  }
  line('\nNext:');
  for (const step of next) line(`  ${step}`);
}
