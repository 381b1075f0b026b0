import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hostPlatform } from '../../tools/platform.mjs';

const platform = hostPlatform();
const ADDON = fileURLToPath(new URL(`../../tgp.${platform.name}.node`, import.meta.url));
const WORKER = fileURLToPath(new URL(`../../${platform.worker}`, import.meta.url));
const LOADERS = ['ld-linux-x86-64.so.2', 'ld-linux-aarch64.so.1'];

const read = (command, ...args) => execFileSync(command, args, { encoding: 'utf8', maxBuffer: 64 << 20 });

/** The newest glibc that AWS Lambda and Vercel have. */
const NEWEST_GLIBC = [2, 34];

it('addon and worker exist', () => {
  for (const file of [ADDON, WORKER]) expect(statSync(file).size).toBeGreaterThan(0);
});

describe.runIf(process.platform === 'linux')('the shipped binaries', () => {
  it('need nothing but the C library at run time', () => {
    for (const file of [ADDON, WORKER]) {
      const needed = [...read('readelf', '-d', file).matchAll(/NEEDED.*\[(.+)\]/g)].map((match) => match[1]);
      const allowed = ['libc.so.6', 'libm.so.6', 'libgcc_s.so.1', ...LOADERS];
      expect(needed.filter((library) => !allowed.includes(String(library)))).toEqual([]);
    }
  });

  it('require no newer glibc than serverless platforms have', () => {
    for (const file of [ADDON, WORKER]) {
      const versions = [...read('nm', '-D', '--undefined-only', file).matchAll(/GLIBC_(\d+)\.(\d+)/g)];
      const newer = versions.filter(
        ([, major, minor]) => Number(major) * 1000 + Number(minor) > NEWEST_GLIBC[0] * 1000 + NEWEST_GLIBC[1],
      );
      expect(newer.map(([version]) => version)).toEqual([]);
    }
  });

  it('export no C++ symbol of V8, and use no static thread-local storage', () => {
    const defined = read('nm', '-D', '--defined-only', ADDON);
    expect(defined).toContain('napi_register_module_v1');
    expect(defined).toContain('tgp_sandbox_main');
    expect(defined).not.toMatch(/\b_ZN?K?2v8/);
    expect(read('readelf', '-d', ADDON)).not.toContain('STATIC_TLS');
  });

  it('are stripped and executable', () => {
    expect(read('readelf', '-S', ADDON)).not.toContain('.symtab');
    expect(statSync(WORKER).mode & 0o111).not.toBe(0);
  });
});

/** Properties of our own archive of V8, which only this platform has. */
describe.runIf(platform.name === 'linux-x64-gnu')('the shipped binaries with the V8 of vendor/v8', () => {
  it('use the allocator of the C library', () => {
    const undefinedNames = read('nm', '-D', '--undefined-only', ADDON);
    for (const name of ['malloc', 'free', 'calloc', 'realloc'])
      expect(undefinedNames).toMatch(new RegExp(` ${name}@GLIBC`));
  });

  it('are smaller than 62 MB', () => {
    expect(statSync(ADDON).size).toBeLessThan(62e6);
  });
});
