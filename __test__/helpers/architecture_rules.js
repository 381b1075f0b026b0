/** The rules of the house that a compiler does not hold. Each has examples that break it, so that it can fail. */

import { HOST_RULES } from './host_rules.js';
import { codeOf, isTestFile, modulesUsed, withoutTests } from './rust_source.js';
import { SCRIPT_RULES } from './script_rules.js';

/**
 * @typedef {import('./source_tree.js').SourceFile} SourceFile
 * @typedef {object} Rule
 * @property {string} name
 * @property {(file: SourceFile) => string[]} check what is wrong with the file
 * @property {SourceFile[]} broken each of these must be refused
 * @property {SourceFile[]} kept each of these must pass
 */

const PARTS = ['vfs', 'registry', 'embed', 'compile', 'sandbox', 'net', 'git', 'sql', 'ledger', 'policy', 'state'];
const BOTTOM = ['error', 'ids', 'threads', 'turns', 'bounded_read', 'loopback', 'bound_secrets', 'near_name'];
const ROOMS = [...PARTS, ...BOTTOM, 'kernel', 'binding'];
const MAX_LINES = 400;

/**
 * The one file outside the engine with unsafe code: it loads the library, looks up its main function and calls it, one
 * operation per block as clippy wants. Running another file's code is nothing that a check could make safe.
 */
const LAUNCHER = 'src/bin/tgp_sandbox.rs';
const LAUNCHER_BLOCKS = 3;
const ENGINE = 'src/sandbox/engine/';

/**
 * Where the host file system may be reached: the jail and its threats, a file of an installed package, the repository, the certificates that the
 * application names, the ledger's own folder, the snapshot and the locale data beside the library, the probe that must fail to reach it, and what is known of
 * the processes and the scratch of a program (`src/sandbox/program/`).
 */
const FILE_SYSTEM =
  /^src\/vfs\/(?:disk_(?:vfs|threats)|package_file)\.rs$|^src\/git\/|^src\/net\/ca_bundle\.rs$|^src\/ledger\/|^src\/sandbox\/engine\/(?:isolate\/(?:snapshot|locale_data)|home\/probe)\.rs$|^src\/sandbox\/program\//;

/** Spelt apart, so that this file does not break its own rule. */
const LEFTOVER = new RegExp(
  `\\b(?:${['TO', 'FIX', 'XX'].map((head, index) => head + ['DO', 'ME', 'X'][index]).join('|')})\\b`,
);

/** @param {string} path */
function room(path) {
  return /^src\/(\w+)/.exec(path)?.[1] ?? '';
}

/** @param {string} path */
function isRust(path) {
  return path.startsWith('src/') && path.endsWith('.rs');
}

/**
 * @param {RegExp} pattern
 * @param {string} text
 * @param {string} problem
 */
function matches(pattern, text, problem) {
  return pattern.test(text) ? [problem] : [];
}

/** @type {Rule[]} */
export const RULES = [
  {
    name: 'parts do not import parts; only the kernel imports them; the bottom imports nothing of ours',
    check: ({ path, text }) => {
      if (!isRust(path)) return [];
      const own = room(path);
      const allowed = new Set([own, ...BOTTOM]);
      if (own === 'kernel') for (const part of PARTS) allowed.add(part);
      if (own === 'binding') allowed.add('kernel');
      if (BOTTOM.includes(own)) for (const other of BOTTOM) if (other !== own) allowed.delete(other);
      return modulesUsed(path, text)
        .filter((used) => ROOMS.includes(used) && !allowed.has(used))
        .map((used) => `${own} must not use crate::${used}`);
    },
    broken: [
      { path: 'src/vfs/disk_vfs.rs', text: 'use crate::git::GitStore;' },
      { path: 'src/sandbox/pool/pool.rs', text: 'fn f() { crate::vfs::read(); }' },
      { path: 'src/sql/database.rs', text: 'use crate::{error::Error, registry::{self, Registry}};' },
      { path: 'src/compile/lint.rs', text: 'use super::super::registry::Registry;' },
      { path: 'src/compile/mod.rs', text: 'use super::kernel::Kernel;' },
      { path: 'src/git/push.rs', text: 'use crate::kernel::Kernel;' },
      { path: 'src/binding/binding_kernel.rs', text: 'use crate::sandbox::Sandbox;' },
      { path: 'src/error.rs', text: 'use crate::ids::RunId;' },
      { path: 'src/lib.rs', text: 'fn main() { crate::sandbox::run(); }' },
    ],
    kept: [
      { path: 'src/kernel/kernel.rs', text: 'use crate::{git::GitStore, vfs::Vfs};' },
      { path: 'src/binding/binding_kernel.rs', text: 'use crate::kernel::Kernel;' },
      {
        path: 'src/vfs/disk_vfs.rs',
        text: '// unlike crate::git\nuse crate::error::Error; use super::jail_path::JailPath;',
      },
      { path: 'src/compile/rules/eval.rs', text: 'use super::super::lint::Lint; use crate::compile::parse;' },
    ],
  },
  {
    name: 'only the binding knows napi',
    check: ({ path, text }) =>
      isRust(path) && room(path) !== 'binding' ? matches(/\bnapi(?:_derive)?\b/, codeOf(text), 'uses napi') : [],
    broken: [
      { path: 'src/kernel/kernel.rs', text: 'use napi::Env;' },
      { path: 'src/sandbox/pool/pool.rs', text: '#[napi]\npub fn f() {}' },
      { path: 'src/lib.rs', text: 'use napi_derive::napi;' },
    ],
    kept: [
      { path: 'src/binding/binding_kernel.rs', text: 'use napi_derive::napi;' },
      { path: 'src/kernel/kernel.rs', text: '//! knows nothing of napi' },
    ],
  },
  {
    name: 'V8 is used in the engine only',
    check: ({ path, text }) =>
      isRust(path) && !path.startsWith(ENGINE) ? matches(/\bv8\s*::|\buse\s+v8\b/, codeOf(text), 'uses v8') : [],
    broken: [
      { path: 'src/sandbox/pool/pool.rs', text: 'use v8;' },
      { path: 'src/kernel/kernel.rs', text: 'fn f(isolate: &mut v8::Isolate) {}' },
    ],
    kept: [{ path: 'src/sandbox/engine/isolate/guest_isolate.rs', text: 'use v8::Isolate;' }],
  },
  {
    name: 'unsafe code is in the engine only',
    check: ({ path, text }) => {
      if (!isRust(path) || path.startsWith(ENGINE)) return [];
      const code = codeOf(text);
      if (path !== LAUNCHER) return matches(/\bunsafe\b/, code, 'has unsafe code');
      const blocks = [...code.matchAll(/\bunsafe\s*\{/g)].length;
      return blocks > LAUNCHER_BLOCKS ? [`has ${blocks} unsafe blocks instead of ${LAUNCHER_BLOCKS}`] : [];
    },
    broken: [
      { path: 'src/vfs/disk_vfs.rs', text: 'fn f() { unsafe { g() } }' },
      { path: 'src/binding/module_init.rs', text: '#[unsafe(no_mangle)]\npub extern "C" fn f() {}' },
      { path: LAUNCHER, text: `fn main() { ${'unsafe { a() };'.repeat(LAUNCHER_BLOCKS + 1)} }` },
    ],
    kept: [
      { path: LAUNCHER, text: `fn main() { ${'unsafe { a() };'.repeat(LAUNCHER_BLOCKS)} }` },
      { path: 'src/sandbox/engine/isolate/platform.rs', text: 'fn f() { unsafe { g() } }' },
      { path: 'src/vfs/disk_vfs.rs', text: '// never unsafe\nconst A: &str = "unsafe";' },
    ],
  },
  {
    name: 'the host file system is reached in few places',
    check: ({ path, text }) => {
      if (!isRust(path) || FILE_SYSTEM.test(path) || isTestFile(path)) return [];
      const code = codeOf(withoutTests(text));
      return [
        ...matches(/\bstd::fs\b|\bstd::\{[^;]*\bfs\b/, code, 'uses std::fs'),
        ...(room(path) === 'vfs' ? [] : matches(/\bcap_std\b|\bcap_tempfile\b/, code, 'uses cap-std')),
      ];
    },
    broken: [
      { path: 'src/kernel/kernel.rs', text: 'use std::fs;' },
      { path: 'src/sandbox/pool/pool.rs', text: 'use std::{collections::HashMap, fs::File};' },
      { path: 'src/registry/meta_file.rs', text: 'use cap_std::fs::Dir;' },
      { path: 'src/vfs/memory_vfs.rs', text: 'fn f() { std::fs::read("a"); }' },
    ],
    kept: [
      { path: 'src/vfs/disk_vfs.rs', text: 'use std::fs;' },
      { path: 'src/git/lock.rs', text: 'use std::fs;' },
      { path: 'src/vfs/mount_table.rs', text: 'use cap_std::fs::Dir;' },
      { path: 'src/kernel/kernel.rs', text: 'fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }' },
    ],
  },
  {
    name: 'threads and pools are started where panics are caught',
    check: ({ path, text }) =>
      isRust(path) && path !== 'src/threads.rs' && !isTestFile(path)
        ? matches(
            /\bthread::(?:spawn|Builder)\b|\bThreadPoolBuilder\b|\brayon::spawn\b/,
            codeOf(withoutTests(text)),
            'starts threads: use crate::threads',
          )
        : [],
    broken: [
      { path: 'src/git/push.rs', text: 'fn f() { std::thread::spawn(g); }' },
      { path: 'src/kernel/background.rs', text: 'use rayon::ThreadPoolBuilder;' },
      { path: 'src/net/fetcher.rs', text: 'use std::thread::Builder;' },
    ],
    kept: [
      { path: 'src/threads.rs', text: 'use std::thread::Builder;' },
      { path: 'src/git/push.rs', text: 'fn f() { threads::spawn("tgp-git", g); }' },
      { path: 'src/git/push.rs', text: '#[cfg(test)]\nmod tests { fn f() { std::thread::spawn(g); } }' },
    ],
  },
  {
    name: 'no lint is allowed silently',
    check: ({ path, text }) =>
      isRust(path) ? matches(/#!?\[\s*allow\b/, codeOf(text), 'use #[expect(lint, reason)]') : [],
    broken: [
      { path: 'src/lib.rs', text: '#![allow(dead_code)]' },
      { path: 'src/vfs/vfs.rs', text: '#[allow(clippy::all)]\nfn f() {}' },
    ],
    kept: [{ path: 'src/vfs/vfs.rs', text: '#[expect(dead_code, reason = "used by the next part")]\nfn f() {}' }],
  },
  {
    name: `no file is longer than ${MAX_LINES} lines`,
    check: ({ text }) => {
      const lines = text.split('\n').length - 1;
      return lines > MAX_LINES ? [`has ${lines} lines: split it by concept`] : [];
    },
    broken: [
      { path: 'src/vfs/vfs.rs', text: '\n'.repeat(MAX_LINES + 1) },
      { path: 'js/kernel/tgp.js', text: 'a();\n'.repeat(MAX_LINES + 1) },
    ],
    kept: [{ path: 'js/kernel/tgp.js', text: '\n'.repeat(MAX_LINES) }],
  },
  {
    name: 'no work is left as a note',
    check: ({ text }) => matches(LEFTOVER, text, 'holds a note about work to do: do it, or write an issue'),
    broken: ['TO-DO', 'FIX-ME'].map((word) => ({ path: 'js/a.js', text: `// ${word.replace('-', '')}: later` })),
    kept: [{ path: 'js/a.js', text: 'const todos = [];' }],
  },
  {
    name: 'what is shipped imports nothing that is not',
    check: ({ path, text }) =>
      /^(?:js|bin|examples\/demo)\/|^(?:index|mcp)\.js$/.test(path)
        ? matches(
            /(?:from|import\(|require\()\s*['"][^'"]*(?:__test__|scripts|benches)\//,
            text,
            'imports what is not shipped',
          )
        : [],
    broken: [
      { path: 'js/agent_tools/kernel_tools.js', text: "import { a } from '../__test__/helpers/a.js';" },
      { path: 'bin/tgp.js', text: "await import('../scripts/build.mjs');" },
    ],
    kept: [{ path: 'js/cli/main.js', text: "await import('../examples/demo/demo.js');" }],
  },
  {
    name: 'one file of js/ loads the addon',
    check: ({ path, text }) =>
      path.startsWith('js/') && path !== 'js/boundary/native.js'
        ? matches(/(?:from|\()\s*['"][^'"]*binding\.cjs['"]/, withoutTypeImports(text), 'loads the addon')
        : [],
    broken: [{ path: 'js/kernel/tgp.js', text: "import binding from '../binding.cjs';" }],
    kept: [
      { path: 'js/boundary/typed_native.d.ts', text: "import type * as binding from '../../binding.cjs';" },
      { path: 'js/kernel/tgp.js', text: "/** @typedef {import('../binding.cjs').BindingKernel} K */" },
    ],
  },
  ...HOST_RULES,
  ...SCRIPT_RULES,
];

/** @param {string} text */
function withoutTypeImports(text) {
  return text.replace(/\/\*\*[\s\S]*?\*\/|^import type [^;]*;/gm, '');
}
