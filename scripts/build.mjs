/**
 * Builds everything that is not in Git: the addon, the worker executable, the startup snapshot, the package's JavaScript and
 * the stand-ins for parts of Node.
 * The API reference, the addon's loader and the documentation of limits are in Git; they do not change unless their
 * sources have changed.
 *
 * Cargo runs directly instead of through `napi build`, which always passes `--target` and would compile every dependency a
 * second time, separately from `cargo nextest`. The loader and its types still come from @napi-rs/cli.
 */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostPlatform, packageJson } from '../tools/platform.mjs';
import { announce, capture, ROOT, run, StepFailed, TYPE_DEF_DIR } from '../tools/process.mjs';
import { writeApiReference } from './api_reference.mjs';
import { writeCoreBundle } from './core_bundle.mjs';
import { writeExpect } from './expect_bundle.mjs';
import { DIST, swapFolder, writeCommonJs, writeModules } from './javascript.mjs';
import { writeAgentToolList, writeKernelToolFacts } from './kernel_tool_facts.mjs';
import { writeLimits } from './limits.mjs';
import { writeLlmsIndex } from './llms.mjs';
import { writeNodeShims } from './node_shims.mjs';
import { sandboxApiModule } from './sandbox_api.mjs';
import { stdApiModule } from './std_api.mjs';

const CRATE = 'tgp-core';
const SNAPSHOT = 'tgp.snapshot';
const LOCALES = 'tgp.icu';
const RUN_BIT = 0o755;
/** The crate whose build script writes the locale data. */
const LOCALE_CRATE = 'tgp-sandbox';
/** Restricted to the crates in Cargo.lock. */
const BUILD = ['build', '--release', '--locked', '-p', CRATE, '-p', 'tgp-launcher'];

export async function build() {
  announce('Building');
  const platform = hostPlatform();
  const addon = `tgp.${platform.name}.node`;
  mkdirSync(TYPE_DEF_DIR, { recursive: true });
  // The crate embeds its text.
  await writeExpect();
  run('cargo', BUILD);
  const output = join(targetDir(), 'release');
  const changed = [
    install(join(output, platform.library), join(ROOT, addon)),
    install(join(output, platform.worker), join(ROOT, platform.worker), RUN_BIT),
    install(join(buildScriptDir(), LOCALES), join(ROOT, LOCALES)),
  ].includes(true);
  if (changed || !existsSync(join(ROOT, SNAPSHOT))) {
    run(join(ROOT, platform.worker), [
      join(ROOT, addon),
      '--write-snapshot',
      join(ROOT, SNAPSHOT),
      join(ROOT, LOCALES),
    ]);
  }
  await writeLoader();
  writeFileSync(
    join(ROOT, 'js', 'prompt', 'sandbox_api.ts'),
    sandboxApiModule(
      ['tgp.d.ts', 'web.d.ts', 'streams.d.ts', 'crypto.d.ts']
        .map((name) => readFileSync(join(ROOT, 'sandbox', name), 'utf8'))
        .join('\n'),
    ),
  );
  writeFileSync(join(ROOT, 'js', 'prompt', 'std_api.ts'), stdApiModule(join(ROOT, 'std')));
  const native = createRequire(import.meta.url)(join(ROOT, 'binding.cjs'));
  writeLimits(native.limits(), native.defaultConfig());
  writeKernelToolFacts(native.kernelTools());
  await buildJavaScript();
  const packageDir = join(ROOT, 'npm', platform.name);
  for (const file of [addon, platform.worker, SNAPSHOT, LOCALES]) {
    install(join(ROOT, file), join(packageDir, file), file === platform.worker ? RUN_BIT : undefined);
  }
}

/** Builds what is made of `js/` alone; the addon and the generated sources are there already. */
export async function buildJavaScript() {
  writeModules();
  await writeCommonJs();
  await writeCoreBundle(DIST);
  await writeNodeShims(join(DIST, 'node_shims'));
  swapFolder();
  await writeAgentToolList();
  await writeApiReference();
  writeLlmsIndex();
}

function targetDir() {
  const metadata = capture('cargo', ['metadata', '--format-version', '1', '--no-deps', '--offline']);
  if (metadata === undefined) throw new StepFailed('"cargo metadata" failed; the project could not be read.');
  return JSON.parse(metadata).target_directory;
}

/** The output folder of the build script that writes the locale data; nothing is compiled again. */
function buildScriptDir() {
  const messages = capture('cargo', [...BUILD, '--message-format=json']) ?? '';
  for (const line of messages.split('\n').filter(Boolean)) {
    const { reason, package_id: id, out_dir: folder } = JSON.parse(line);
    if (reason === 'build-script-executed' && id.includes(`#${LOCALE_CRATE}@`)) return folder;
  }
  throw new StepFailed(`cargo did not report the output folder of the build script of ${LOCALE_CRATE}.`);
}

/**
 * Copies a file unless the copy is up to date. The old file is replaced, never modified in place: a process may have it
 * mapped.
 * @param {string} from
 * @param {string} to
 * @param {number} [mode]
 * @returns {boolean} whether it was copied
 */
function install(from, to, mode) {
  const source = statSync(from);
  const current = statSync(to, { throwIfNoEntry: false });
  if (current && current.size === source.size && Math.abs(current.mtimeMs - source.mtimeMs) < 1) return false;
  const fresh = `${to}.new`;
  copyFileSync(from, fresh);
  if (mode !== undefined) chmodSync(fresh, mode);
  utimesSync(fresh, source.atime, source.mtime);
  renameSync(fresh, to);
  return true;
}

async function writeLoader() {
  const { generateTypeDef, writeJsBinding } = await import('@napi-rs/cli');
  const { napi, version } = packageJson();
  const typeDefDir = collectTypeDefs();
  try {
    const { exports, dts } = await generateTypeDef({ typeDefDir, cwd: ROOT, constEnum: false });
    writeFileSync(join(ROOT, 'binding.d.cts'), dts);
    await writeJsBinding({
      platform: true,
      idents: exports,
      jsBinding: 'binding.cjs',
      format: 'commonjs',
      binaryName: napi.binaryName,
      packageName: napi.packageName,
      version,
      outputDir: ROOT,
    });
  } finally {
    rmSync(typeDefDir, { recursive: true });
  }
}

/**
 * A folder with the crate's type definitions without duplicates: parallel compilers append to one file.
 * @returns {string}
 */
function collectTypeDefs() {
  const file = join(TYPE_DEF_DIR, CRATE);
  if (!existsSync(file)) {
    throw new StepFailed(`The binding's types are missing. Run "cargo clean --release -p ${CRATE}" and build again.`);
  }
  const lines = new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean));
  const folder = mkdtempSync(join(tmpdir(), 'tgp-types-'));
  writeFileSync(join(folder, CRATE), `${[...lines].sort().join('\n')}\n`);
  return folder;
}
