/** Architecture rules that a compiler does not check. Each has examples that break it, to prove that it can fail. */

import { DIALECT_RULES } from './dialect_rules.js';
import { EXPORT_RULES } from './export_rules.js';
import { FOREIGN_TEXT_RULES } from './foreign_text_rules.js';
import { GUEST_SCRIPT_RULES } from './guest_script_rules.js';
import { HOST_RULES } from './host_rules.js';
import { ROOM_RULES } from './room_rules.js';
import { codeOf, isRustSource as isRust, isTestFile, withoutTests } from './rust_source.js';
import { SCRIPT_RULES } from './script_rules.js';
import { TOOL_NAME_RULES } from './tool_name_rules.js';
import { WORD_RULES } from './word_rules.js';

/**
 * @typedef {import('./source_tree.js').SourceFile} SourceFile
 * @typedef {object} Rule
 * @property {string} name
 * @property {(file: SourceFile) => string[]} check what is wrong with the file
 * @property {SourceFile[]} broken each of these must be refused
 * @property {SourceFile[]} kept each of these must pass
 */

const MAX_LINES = 400;

/** Loads the library, looks up its main function and calls it. No check can make it safe to run code of another file. */
const LAUNCHER = 'crates/launcher/src/bin/tgp_sandbox.rs';
/**
 * The files outside the engine with unsafe code, and how many blocks each has, one operation per block as clippy wants. SQLite
 * takes its allocator as C functions; settings of libgit2 are global variables.
 * @type {Record<string, number>}
 */
const UNSAFE_BLOCKS = {
  [LAUNCHER]: 3,
  'crates/sql/src/sqlite/heap.rs': 13,
  'crates/git/src/store/user_configuration.rs': 2,
};
const ENGINE = 'crates/sandbox/src/engine/';

/**
 * Where the host file system may be reached: the jail and its threats, a file of an installed package, the repository, the
 * certificates that the application names, the ledger's own folder, the cache of the graph, the snapshot and the locale data beside
 * the library, the probe that must fail to reach it, and the processes and the scratch of a program
 * (`crates/sandbox/src/program/`).
 */
const FILE_SYSTEM =
  /^crates\/(?:vfs\/src\/(?:disk_(?:vfs|threats)|package_file)\.rs$|git\/|net\/src\/ca_bundle\.rs$|ledger\/|graph\/src\/store\/database\.rs$|sandbox\/src\/(?:engine\/(?:isolate\/(?:snapshot|locale_data)|worker_process\/probe)\.rs$|program\/))/;

/** Spelt apart, so that this file does not break its own rule. */
const LEFTOVER = new RegExp(
  `\\b(?:${['TO', 'FIX', 'XX'].map((head, index) => head + ['DO', 'ME', 'X'][index]).join('|')})\\b`,
);

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
    name: 'the binding uses the kernel and no part; the kernel does not use the binding',
    check: ({ path, text }) => {
      const code = codeOf(text);
      if (path.startsWith('src/binding/'))
        return matches(/\btgp_(?!base\b|core\b|fuzzing\b)\w+::/, code, 'uses a part');
      return path.startsWith('src/kernel/') ? matches(/\bcrate::binding\b/, code, 'uses the binding') : [];
    },
    broken: [
      { path: 'src/binding/binding_kernel.rs', text: 'use tgp_sandbox::Sandbox;' },
      { path: 'src/kernel/kernel.rs', text: 'fn f() { crate::binding::run(); }' },
    ],
    kept: [
      { path: 'src/binding/binding_kernel.rs', text: 'use crate::kernel::Kernel;\nuse tgp_base::error::Error;' },
      { path: 'src/kernel/kernel.rs', text: 'use tgp_git::GitStore;' },
    ],
  },
  {
    name: 'only the binding uses napi',
    check: ({ path, text }) =>
      isRust(path) && !path.startsWith('src/binding/')
        ? matches(/\bnapi(?:_derive)?\b/, codeOf(text), 'uses napi')
        : [],
    broken: [
      { path: 'src/kernel/kernel.rs', text: 'use napi::Env;' },
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
    broken: [{ path: 'crates/sandbox/src/pool/pool.rs', text: 'fn f(isolate: &mut v8::Isolate) {}' }],
    kept: [{ path: 'crates/sandbox/src/engine/isolate/guest_isolate.rs', text: 'use v8::Isolate;' }],
  },
  {
    name: 'unsafe code is in the engine and three named files only',
    check: ({ path, text }) => {
      if (!isRust(path) || path.startsWith(ENGINE)) return [];
      const code = codeOf(text);
      const most = UNSAFE_BLOCKS[path];
      if (most === undefined) return matches(/\bunsafe\b/, code, 'has unsafe code');
      const blocks = [...code.matchAll(/\bunsafe\s*\{/g)].length;
      return blocks > most ? [`has ${blocks} unsafe blocks instead of ${most}`] : [];
    },
    broken: [
      { path: 'crates/vfs/src/disk_vfs.rs', text: 'fn f() { unsafe { g() } }' },
      { path: 'src/binding/module_init.rs', text: '#[unsafe(no_mangle)]\npub extern "C" fn f() {}' },
      { path: LAUNCHER, text: `fn main() { ${'unsafe { a() };'.repeat(4)} }` },
    ],
    kept: [
      { path: LAUNCHER, text: `fn main() { ${'unsafe { a() };'.repeat(3)} }` },
      { path: 'crates/sandbox/src/engine/isolate/platform.rs', text: 'fn f() { unsafe { g() } }' },
      { path: 'crates/vfs/src/disk_vfs.rs', text: '// never unsafe\nconst A: &str = "unsafe";' },
    ],
  },
  {
    name: 'the host file system is reached in few places',
    check: ({ path, text }) => {
      if (!isRust(path) || FILE_SYSTEM.test(path) || isTestFile(path)) return [];
      const code = codeOf(withoutTests(text));
      return [
        ...matches(/\bstd::fs\b|\bstd::\{[^;]*\bfs\b/, code, 'uses std::fs'),
        ...(path.startsWith('crates/vfs/') ? [] : matches(/\bcap_std\b|\bcap_tempfile\b/, code, 'uses cap-std')),
      ];
    },
    broken: [
      { path: 'src/kernel/kernel.rs', text: 'use std::fs;' },
      { path: 'crates/sandbox/src/pool/pool.rs', text: 'use std::{collections::HashMap, fs::File};' },
      { path: 'crates/registry/src/meta_file.rs', text: 'use cap_std::fs::Dir;' },
      { path: 'crates/vfs/src/memory_vfs.rs', text: 'fn f() { std::fs::read("a"); }' },
    ],
    kept: [
      { path: 'crates/vfs/src/disk_vfs.rs', text: 'use std::fs;' },
      { path: 'crates/git/src/lock.rs', text: 'use std::fs;' },
      { path: 'crates/vfs/src/mount_table.rs', text: 'use cap_std::fs::Dir;' },
      { path: 'src/kernel/kernel.rs', text: 'fn f() {}\n#[cfg(test)]\nmod tests { use std::fs; }' },
    ],
  },
  {
    name: 'threads and pools are started where panics are caught',
    check: ({ path, text }) =>
      isRust(path) && path !== 'crates/base/src/threads.rs' && !isTestFile(path)
        ? matches(
            /\bthread::(?:spawn|Builder)\b|\bThreadPoolBuilder\b|\brayon::spawn\b/,
            codeOf(withoutTests(text)),
            'starts threads: use tgp_base::threads',
          )
        : [],
    broken: [
      { path: 'crates/git/src/push.rs', text: 'fn f() { std::thread::spawn(g); }' },
      { path: 'src/kernel/background.rs', text: 'use rayon::ThreadPoolBuilder;' },
      { path: 'crates/net/src/fetcher.rs', text: 'use std::thread::Builder;' },
    ],
    kept: [
      { path: 'crates/base/src/threads.rs', text: 'use std::thread::Builder;' },
      { path: 'crates/git/src/push.rs', text: 'fn f() { threads::spawn("tgp-git", g); }' },
      { path: 'crates/git/src/push.rs', text: '#[cfg(test)]\nmod tests { fn f() { std::thread::spawn(g); } }' },
    ],
  },
  {
    name: 'no lint is allowed silently',
    check: ({ path, text }) =>
      isRust(path) ? matches(/#!?\[\s*allow\b/, codeOf(text), 'use #[expect(lint, reason)]') : [],
    broken: [
      { path: 'src/lib.rs', text: '#![allow(dead_code)]' },
      { path: 'crates/vfs/src/vfs.rs', text: '#[allow(clippy::all)]\nfn f() {}' },
    ],
    kept: [
      { path: 'crates/vfs/src/vfs.rs', text: '#[expect(dead_code, reason = "used by the next part")]\nfn f() {}' },
    ],
  },
  {
    name: `no file is longer than ${MAX_LINES} lines`,
    check: ({ text }) => {
      const lines = text.split('\n').length - 1;
      return lines > MAX_LINES ? [`has ${lines} lines: split it by concept`] : [];
    },
    broken: [
      { path: 'crates/vfs/src/vfs.rs', text: '\n'.repeat(MAX_LINES + 1) },
      { path: 'js/kernel/tgp.ts', text: 'a();\n'.repeat(MAX_LINES + 1) },
    ],
    kept: [{ path: 'js/kernel/tgp.ts', text: '\n'.repeat(MAX_LINES) }],
  },
  {
    name: 'there are no notes about open work',
    check: ({ text }) => matches(LEFTOVER, text, 'holds a note about work to do: do it, or write an issue'),
    broken: ['TO-DO', 'FIX-ME'].map((word) => ({ path: 'js/a.ts', text: `// ${word.replace('-', '')}: later` })),
    kept: [{ path: 'js/a.ts', text: 'const todos = [];' }],
  },
  {
    name: 'one file of js/ loads the addon',
    check: ({ path, text }) =>
      path.startsWith('js/') && path !== 'js/boundary/native.ts'
        ? matches(/(?:from|\()\s*['"][^'"]*binding\.cjs['"]/, withoutTypeImports(text), 'loads the addon')
        : [],
    broken: [{ path: 'js/kernel/tgp.ts', text: "import binding from '../binding.cjs';" }],
    kept: [
      { path: 'js/boundary/typed_native.ts', text: "import type * as binding from '../../binding.cjs';" },
      { path: 'js/kernel/tgp.ts', text: "/** @typedef {import('../binding.cjs').BindingKernel} K */" },
    ],
  },
  ...DIALECT_RULES,
  ...EXPORT_RULES,
  ...FOREIGN_TEXT_RULES,
  ...GUEST_SCRIPT_RULES,
  ...HOST_RULES,
  ...TOOL_NAME_RULES,
  ...WORD_RULES,
  ...ROOM_RULES,
  ...SCRIPT_RULES,
];

/** @param {string} text */
function withoutTypeImports(text) {
  return text.replace(/\/\*\*[\s\S]*?\*\/|^import type [^;]*;/gm, '');
}
