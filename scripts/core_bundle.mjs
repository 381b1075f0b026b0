/**
 * Bundles the modules of the package as one file, `core.js` in `dist/`: Node needs as long for loading 250 small modules as for all else
 * of a start. Each bundled module becomes a stub with the same exports, so an import of any of them gets the same objects.
 *
 * What programs that start quickly load stays as it is: the command line, the Next.js plugin and the helper processes must not load
 * the whole package.
 */

import { writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { StepFailed } from '../tools/process.mjs';

const CORE = 'core.js';
const ENTRY = 'index.js';
/** Programs and entry points that load few modules, and what looks for packages without needing one. */
const LIGHT = [
  'next.js',
  'agent/providers.js',
  'cli/main.js',
  'cli/terminal/output.js',
  'sql/sqlite/sqlite_program.js',
  'bundle/bundle_worker.js',
  'types_check/typescript_location.js',
];

/** @typedef {import('esbuild').BuildOptions} Options */

/**
 * Bundles {@link ENTRY} of a folder, and replaces what it imports by stubs.
 * @param {string} folder with the compiled modules
 */
export async function writeCoreBundle(folder) {
  const { build } = await import('esbuild');
  /** @type {Options} */
  const options = {
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  };
  /** The modules that an entry point imports statically, itself included. @param {string} entry */
  const reached = async (entry) => {
    const { metafile } = await build({
      ...options,
      entryPoints: [entry],
      write: false,
      metafile: true,
      plugins: [staticOnly],
    });
    return Object.keys(metafile.inputs);
  };
  const light = new Set((await Promise.all(LIGHT.map(reached))).flat());
  const modules = (await reached(ENTRY)).filter((name) => !light.has(name));
  const exported = await exportsOf(build, options, modules);
  const lines = [ENTRY, ...modules].map((name) => {
    const names = exported.get(name) ?? [];
    return `export { ${names.map((own) => `${own} as ${inCore(name, own)}`).join(', ')} } from './${name}';`;
  });
  await build({
    ...options,
    outfile: CORE,
    stdin: { contents: [...new Set(lines)].join('\n'), resolveDir: folder, sourcefile: 'all_modules.js' },
    plugins: [separate(folder, light)],
  });
  for (const name of modules) {
    const core = `${'../'.repeat(name.split('/').length - 1) || './'}${CORE}`;
    const names = exported.get(name) ?? [];
    const stub = `export { ${names.map((own) => `${inCore(name, own)} as ${own}`).join(', ')} } from '${core}';\n`;
    writeFileSync(join(folder, name), names.length > 0 ? stub : `import '${core}';\n`);
  }
}

/**
 * The name of a module's export in the bundle.
 * @param {string} module @param {string} name
 */
const inCore = (module, name) => `${module.replace(/\.js$/, '').replaceAll(/\W/g, '_')}__${name}`;

/**
 * The names that modules export.
 * @param {typeof import('esbuild').build} build @param {Options} options @param {string[]} modules
 */
async function exportsOf(build, options, modules) {
  const { metafile } = await build({
    ...options,
    entryPoints: modules,
    outdir: 'exports',
    splitting: true,
    write: false,
    metafile: true,
  });
  const found = Object.values(metafile?.outputs ?? {});
  const names = new Map(found.flatMap(({ entryPoint, exports }) => (entryPoint ? [[entryPoint, exports]] : [])));
  const missing = modules.find((name) => !names.has(name));
  if (missing !== undefined) throw new StepFailed(`esbuild did not report the exports of ${missing}.`);
  return /** @type {Map<string, string[]>} */ (names);
}

/** Leaves out what is imported when it is needed. @type {import('esbuild').Plugin} */
const staticOnly = {
  name: 'static-only',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * Keeps these modules out of the bundle, which imports them instead.
 * @param {string} folder @param {Set<string>} modules
 * @returns {import('esbuild').Plugin}
 */
function separate(folder, modules) {
  return {
    name: 'separate',
    setup(build) {
      build.onResolve({ filter: /^\./ }, ({ importer, path, resolveDir }) => {
        const from = importer === '' || !importer.startsWith(folder) ? resolveDir : dirname(importer);
        const name = relative(folder, join(from, path)).split(sep).join('/');
        return modules.has(name) ? { path: `./${name}`, external: true } : undefined;
      });
    },
  };
}
