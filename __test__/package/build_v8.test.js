import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { gnArgs } from '../../scripts/build_v8.mjs';
import { entries } from '../../scripts/v8/debian.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const STEPS = ['sources', 'tools', 'gn', 'compiler', 'configure', 'compile', 'binding', 'store'];

const script = (/** @type {string[]} */ ...words) =>
  spawnSync(process.execPath, [path('scripts/build_v8.mjs'), ...words], { encoding: 'utf8' });

describe('the V8 archive', () => {
  it('exists once, for the pinned version, and matches its checksums', () => {
    const version = /^v8 = \{ version = "=([\d.]+)"/m.exec(readFileSync(path('Cargo.toml'), 'utf8'))?.[1];
    expect(readdirSync(path('vendor/v8')).sort()).toEqual(['LICENSES.txt', 'README.md', `v${version}`]);
    const folder = path(`vendor/v8/v${version}`);
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
    const names = sums.map((line) => line.split('  ')[1] ?? '');
    expect(readdirSync(folder).sort()).toEqual(['SHA256SUMS', ...names].sort());
    expect(names.filter((name) => name.endsWith('.a.gz'))).toHaveLength(1);
    for (const line of sums) {
      const [sum, name = ''] = line.split('  ');
      expect(
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
        name,
      ).toBe(sum);
    }
  });
});

describe('scripts/build_v8.mjs', () => {
  it('lists all steps, or the requested ones in their order, and executes none', async () => {
    const work = join(await tempRoot(), 'work');
    const steps = (/** @type {string[]} */ ...words) =>
      [...script('--dry-run', '--work', work, ...words).stdout.matchAll(/^==> (\w+):/gm)].map(([, name]) => name);
    expect(steps()).toEqual(STEPS);
    expect(steps('--steps', 'configure,gn')).toEqual(['gn', 'configure']);
    expect(existsSync(work)).toBe(false);
  });

  it('refuses an unknown step', () => {
    const { status, stderr } = script('--dry-run', '--steps', 'gn,nonsense');
    expect(status).toBe(1);
    expect(stderr).toContain('There is no step "nonsense". Steps: sources, tools');
  });

  it('builds the variant that Cargo.toml requires', () => {
    expect(gnArgs('/llvm')).toEqual(
      expect.arrayContaining([
        'v8_enable_sandbox=true',
        'v8_enable_pointer_compression=true',
        'v8_enable_external_code_space=true',
        'clang_base_path="/llvm"',
      ]),
    );
    expect(readFileSync(path('crates/sandbox/Cargo.toml'), 'utf8')).toContain('features = ["v8_enable_sandbox"]');
  });

  it('finds packages in the index of Debian by their whole name', () => {
    const paragraph = (/** @type {string} */ name) =>
      `Package: ${name}\nVersion: 1\nFilename: pool/${name}_1.deb\nSHA256: ${name}-sum\nDescription: of ${name}`;
    const index = ['libc6-dev', 'libc6', 'generate-ninja'].map(paragraph).join('\n\n');
    expect(entries(index, ['generate-ninja', 'libc6'])).toEqual([
      { path: 'pool/generate-ninja_1.deb', sum: 'generate-ninja-sum' },
      { path: 'pool/libc6_1.deb', sum: 'libc6-sum' },
    ]);
    expect(() => entries(index, ['libc'])).toThrow('Debian has no package libc.');
  });
});

describe.runIf(process.platform === 'linux')('scripts/v8/clang.sh', () => {
  /** The wrapper around a compiler that records its arguments. */
  async function wrapper() {
    const folder = await tempRoot();
    for (const bin of ['llvm/bin', 'real/bin', 'out']) mkdirSync(join(folder, bin), { recursive: true });
    copyFileSync(path('scripts/v8/clang.sh'), join(folder, 'llvm/bin/clang++'));
    const record = '#!/bin/bash\necho "$@" >>calls\nwhile [ $# -gt 0 ]; do [ "$1" = -o ] && touch "$2"; shift; done\n';
    writeFileSync(join(folder, 'real/bin/clang++'), record);
    for (const file of ['llvm/bin/clang++', 'real/bin/clang++']) chmodSync(join(folder, file), 0o755);
    const options = { cwd: join(folder, 'out'), env: { ...process.env, LLVM_HOME: join(folder, 'real') } };
    return {
      folder,
      call: (/** @type {string} */ words) => execFileSync(join(folder, 'llvm/bin/clang++'), words.split(' '), options),
      calls: () => readFileSync(join(folder, 'out/calls'), 'utf8').trim().split('\n'),
    };
  }

  it("drops flags of Chromium's clang, and adds a missing function only when linking", async () => {
    const { folder, call, calls } = await wrapper();
    call('-c -O2 -fno-lifetime-dse -fsanitize-ignore-for-ubsan-feature=x -fmodule-name=y a.c -o a.o');
    call('-fdiagnostics-show-inlining-chain a.o -o mksnapshot');
    expect(calls()).toEqual(['-c -O2 a.c -o a.o', `a.o -o mksnapshot ${folder}/llvm/death_callback.o`]);
  });

  it('precompiles headers once for each of the large targets', async () => {
    const { folder, call, calls } = await wrapper();
    mkdirSync(join(folder, 'out/obj/v8_compiler'), { recursive: true });
    for (const name of ['a', 'b']) call(`-MD -MF ${name}.d -O2 -c ${name}.cc -o obj/v8_compiler/${name}.o`);
    expect(calls()).toEqual([
      '-O2 -x c++-header ahead/v8_compiler.h -o ahead/v8_compiler.tmp',
      '-MD -MF a.d -O2 -c a.cc -o obj/v8_compiler/a.o -include-pch ahead/v8_compiler.pch',
      '-MD -MF b.d -O2 -c b.cc -o obj/v8_compiler/b.o -include-pch ahead/v8_compiler.pch',
    ]);
    expect(readFileSync(join(folder, 'out/ahead/v8_compiler.h'), 'utf8')).toContain('turboshaft/assembler.h');
  });
});
