import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { withTGP } from '../../dist/next.js';

const { withTGP: required } = createRequire(import.meta.url)('@tgp/core/next');

describe.each([
  ['import', withTGP],
  ['require', required],
])('withTGP by %s', (_, wrap) => {
  test('leaves the package out of the bundle and its files in the output', () => {
    const { serverExternalPackages, outputFileTracingIncludes } = wrap({});
    expect(serverExternalPackages).toEqual(['@tgp/core']);
    const globs = outputFileTracingIncludes['/**'];
    expect(globs).toContain('tgp.config.*');
    expect(globs.join('\n')).toMatch(/\*\.node.*tgp-sandbox\*.*tgp\.snapshot/);
    // Next.js joins every glob to the application's folder.
    expect(globs.filter((/** @type {string} */ glob) => glob.startsWith('/'))).toEqual([]);
  });

  test('keeps the config, and values that others added to the same keys', () => {
    const original = {
      output: 'standalone',
      serverExternalPackages: ['sharp'],
      outputFileTracingIncludes: { '/**': ['./data/**/*'], '/docs': ['./docs/*'] },
    };
    const copy = structuredClone(original);
    const made = wrap(original);
    expect(original).toEqual(copy);
    expect(made.output).toBe('standalone');
    expect(made.serverExternalPackages).toEqual(['sharp', '@tgp/core']);
    expect(made.outputFileTracingIncludes['/docs']).toEqual(['./docs/*']);
    expect(made.outputFileTracingIncludes['/**']).toEqual(expect.arrayContaining(['./data/**/*', 'tgp.config.*']));
  });

  test('accepts functions and promises, as Next.js does', async () => {
    const made = wrap(async (/** @type {string} */ phase, /** @type {any} */ { defaultConfig }) => ({
      env: { phase, distDir: defaultConfig.distDir },
    }));
    const config = await made('phase-production-build', { defaultConfig: { distDir: '.next' } });
    expect(config.env).toEqual({ phase: 'phase-production-build', distDir: '.next' });
    expect(config).toMatchObject(wrap({}));
    expect(await wrap(Promise.resolve({}))).toEqual(wrap({}));
  });

  test('is idempotent, and works without a config', () => {
    expect(wrap(wrap({ reactStrictMode: true }))).toEqual(wrap({ reactStrictMode: true }));
    expect(wrap()).toEqual(wrap({}));
  });

  test('can be limited to the routes that use the kernel', () => {
    const { outputFileTracingIncludes } = wrap({}, { routes: ['/api/agent'] });
    expect(Object.keys(outputFileTracingIncludes)).toEqual(['/api/agent']);
  });
});
