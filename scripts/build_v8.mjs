/**
 * Builds the V8 archive of vendor/v8 from package registries: `node scripts/build_v8.mjs`. Takes about an hour on two cores
 * and 12 GB of disk; never run by CI. Debian 12 on x64 only, as root or with sudo.
 *
 *   --steps a,b    only these, in their order      --work DIR    where to work (default: target/v8)
 *   --dry-run      only prints the steps         --store DIR   where the archive goes (default: vendor/v8)
 *
 * Status: the archive in vendor/v8 was built manually with these steps. The steps `sources`, `tools`, `gn`, `compiler`,
 * `configure` and `binding` (with an identical result) were run with this script, `compile` for one of its 2 301 steps, and
 * its post-processing on the archive itself. Not yet run: the complete `compile`, and `store`.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { installPackages } from '../tools/debian_packages.mjs';
import { announce, ROOT, run, StepFailed } from '../tools/process.mjs';
import { downloadPackages } from './v8/debian.mjs';

const LLVM = 22;
const TARGET = 'x86_64-unknown-linux-gnu';
/** The crate's name of the variant with the feature `v8_enable_sandbox`. */
const VARIANT = 'ptrcomp_sandbox_release';
const LLVM_PACKAGES = [
  `clang-${LLVM}`,
  `lld-${LLVM}`,
  `llvm-${LLVM}`,
  `libclang-rt-${LLVM}-dev`,
  `libclang-${LLVM}-dev`,
];
const LLVM_HOME = `/usr/lib/llvm-${LLVM}`;
/**
 * The sandbox build includes Chromium's allocator, which replaces `malloc` in everything that links the archive: it would free
 * memory allocated by the C library, which crashes the process. Nothing else needs these objects.
 */
const MALLOC_OBJECTS = [
  'allocator_shim.o',
  'allocator_shim_dispatch_to_noop_on_free.o',
  'allocator_shim_default_dispatch_to_partition_alloc.o',
];
/** Debian 12's own GN is too old, and unstable's needs the libraries it was built with. */
const GN_PACKAGES = ['generate-ninja', 'libc6', 'libstdc++6', 'libgcc-s1'];

const GN_ARGS = {
  is_debug: false,
  is_clang: true,
  symbol_level: 0,
  treat_warnings_as_errors: false,
  use_sysroot: false,
  use_custom_libcxx: true,
  use_glib: false,
  enable_rust: false,
  enable_rust_cxx: false,
  icu_use_data_file: true,
  v8_monolithic_for_shared_library: true,
  v8_enable_v8_checks: false,
  v8_enable_temporal_support: false,
  v8_enable_sandbox: true,
  v8_enable_external_code_space: true,
  v8_enable_pointer_compression: true,
};

/** @typedef {{ work: string, store: string }} Places */

/** @type {Record<string, { what: string, does: (places: Places) => void | Promise<void> }>} */
export const STEPS = {
  sources: { what: 'copies the sources out of the crates v8 and deno_core_icudata', does: sources },
  tools: { what: `installs Debian's ${[...LLVM_PACKAGES, 'ninja-build', 'python3'].join(' ')}`, does: tools },
  gn: { what: `unpacks ${GN_PACKAGES.join(', ')} of Debian unstable, into the work folder alone`, does: gn },
  compiler: { what: 'makes a folder of LLVM tools as Chromium expects it, with our wrapper of clang', does: compiler },
  configure: { what: `gn gen with ${gnArgs('LLVM').join(' ')}`, does: configure },
  compile: { what: 'ninja rusty_v8: 2 301 steps', does: compile },
  binding: { what: 'makes the Rust declarations with bindgen', does: binding },
  store: { what: 'packs both into the folder of the archive, with checksums', does: store },
};

/** @param {string} llvm */
export function gnArgs(llvm) {
  const given = Object.entries({ ...GN_ARGS, clang_base_path: llvm, clang_version: `${LLVM}` });
  return given.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
}

/** @param {string[]} names */
export function chosen(names) {
  const unknown = names.find((name) => !(name in STEPS));
  if (unknown !== undefined) {
    throw new StepFailed(`There is no step "${unknown}". Steps: ${Object.keys(STEPS).join(', ')}.`);
  }
  return Object.keys(STEPS).filter((name) => names.length === 0 || names.includes(name));
}

/** @param {string[]} words */
async function main(words) {
  const text = /** @type {const} */ ({ type: 'string' });
  const options = { steps: text, work: text, store: text, 'dry-run': /** @type {const} */ ({ type: 'boolean' }) };
  const { values } = parseArgs({ args: words, options });
  const places = {
    work: resolve(values.work ?? join(ROOT, 'target', 'v8')),
    store: resolve(values.store ?? join(ROOT, 'vendor', 'v8')),
  };
  for (const name of chosen(values.steps?.split(',') ?? [])) {
    const step = STEPS[name];
    announce(`${name}: ${step?.what}`);
    if (values['dry-run'] !== true) await step?.does(places);
  }
}

/** @param {string} name a crate that Cargo.toml pins */
function crate(name) {
  const options = { cwd: ROOT, maxBuffer: 256 << 20 };
  const metadata = execFileSync('cargo', ['metadata', '--format-version', '1'], options).toString();
  const found = JSON.parse(metadata).packages.find((/** @type {{ name: string }} */ one) => one.name === name);
  if (found === undefined) throw new StepFailed(`Cargo did not find the crate ${name}.`);
  return { folder: dirname(found.manifest_path), version: found.version };
}

/** @param {Places} places */
function sources({ work }) {
  const out = join(work, 'out');
  mkdirSync(out, { recursive: true });
  // A copy: the build leaves files of Python behind, and the registry is Cargo's.
  cpSync(crate('v8').folder, join(work, 'source'), { recursive: true });
  const data = crate('deno_core_icudata').folder;
  const file = ['src/icudtl.dat', 'icudtl.dat'].map((path) => join(data, path)).find((path) => existsSync(path));
  if (file === undefined) throw new StepFailed(`${data} has no icudtl.dat.`);
  // `mksnapshot` expects it in its own folder.
  copyFileSync(file, join(out, 'icudtl.dat'));
}

function tools() {
  installPackages([...LLVM_PACKAGES, 'ninja-build', 'python3']);
}

/** @param {Places} places */
async function gn({ work }) {
  const home = join(work, 'gn');
  rmSync(home, { recursive: true, force: true });
  for (const file of await downloadPackages(GN_PACKAGES, join(work, 'packages'))) run('dpkg-deb', ['-x', file, home]);
  const libraries = join(home, 'usr/lib/x86_64-linux-gnu');
  const program = `exec "${libraries}/ld-linux-x86-64.so.2" --library-path "${libraries}" "${home}/usr/bin/gn" "$@"`;
  writeFileSync(join(work, 'run_gn'), `#!/bin/sh\n${program}\n`);
  chmodSync(join(work, 'run_gn'), 0o755);
}

/** @param {Places} places */
function compiler({ work }) {
  const home = join(work, 'llvm');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(home, 'bin'), { recursive: true });
  for (const tool of readdirSync(join(LLVM_HOME, 'bin'))) {
    if (tool !== 'clang' && tool !== 'clang++') symlinkSync(join(LLVM_HOME, 'bin', tool), join(home, 'bin', tool));
  }
  for (const name of ['clang', 'clang++']) {
    copyFileSync(fileURLToPath(new URL('v8/clang.sh', import.meta.url)), join(home, 'bin', name));
    chmodSync(join(home, 'bin', name), 0o755);
  }
  const runtime = join(home, 'lib/clang', `${LLVM}`, 'lib', TARGET);
  mkdirSync(runtime, { recursive: true });
  const debian = join(LLVM_HOME, 'lib/clang', `${LLVM}`, 'lib/linux/libclang_rt.builtins-x86_64.a');
  symlinkSync(debian, join(runtime, 'libclang_rt.builtins.a'));
  // With the sandbox, `mksnapshot` and the archive reference this sanitizer function, which does not exist here.
  const stub = join(home, 'death_callback');
  writeFileSync(
    `${stub}.c`,
    '__attribute__((weak)) void __sanitizer_set_death_callback(void (*f)(void)) { (void)f; }\n',
  );
  run(join(LLVM_HOME, 'bin/clang'), ['-c', '-O2', '-fPIC', `${stub}.c`, '-o', `${stub}.o`]);
}

/** @param {Places} places */
function configure({ work }) {
  const args = gnArgs(join(work, 'llvm')).join(' ');
  run(join(work, 'run_gn'), [
    `--root=${join(work, 'source')}`,
    'gen',
    join(work, 'out'),
    '--script-executable=python3',
    '--ide=json',
    `--args=${args}`,
  ]);
}

/** @param {Places} places */
function compile({ work }) {
  run('ninja', ['-C', join(work, 'out'), 'rusty_v8']);
  run(join(work, 'llvm/bin/llvm-ar'), ['d', archive(work), ...MALLOC_OBJECTS]);
  // Nothing unwinds through V8: it is built without exceptions, and callbacks contain their panics. Saves 4 MB of the addon.
  run(join(work, 'llvm/bin/llvm-objcopy'), [
    '--remove-section=.eh_frame',
    '--remove-section=.rela.eh_frame',
    archive(work),
  ]);
  run(join(work, 'llvm/bin/llvm-ar'), ['r', archive(work), join(work, 'llvm/death_callback.o')]);
}

/** @param {string} work */
function archive(work) {
  return join(work, 'out/obj/librusty_v8.a');
}

/** @param {Places} places */
function binding({ work }) {
  const home = join(work, 'binding');
  mkdirSync(join(home, 'src'), { recursive: true });
  copyFileSync(fileURLToPath(new URL('v8/binding.rs', import.meta.url)), join(home, 'src/main.rs'));
  const manifest = '[package]\nname = "binding"\nedition = "2024"\n[dependencies]\nbindgen = "=0.72.1"\n[workspace]\n';
  writeFileSync(join(home, 'Cargo.toml'), manifest);
  const paths = [join(work, 'source'), join(work, 'out'), LLVM_HOME, join(work, 'binding.rs')];
  run('cargo', ['run', '--release', '--manifest-path', join(home, 'Cargo.toml'), '--', ...paths]);
}

/** @param {Places} places */
async function store({ work, store }) {
  const folder = join(store, `v${crate('v8').version}`);
  mkdirSync(folder, { recursive: true });
  const packed = `librusty_v8_${VARIANT}_${TARGET}.a.gz`;
  const declared = `src_binding_${VARIANT}_${TARGET}.rs`;
  await pipeline(createReadStream(archive(work)), createGzip({ level: 9 }), createWriteStream(join(folder, packed)));
  copyFileSync(join(work, 'binding.rs'), join(folder, declared));
  const sums = [packed, declared].map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
