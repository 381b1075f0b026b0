/** Test runners of the application: they would run the tests of tools, which run only in the sandbox. */

import { join } from 'node:path';
import { readTextAtMost } from '../../boundary/bounded_read.js';
import type { Project } from './project.js';

const EXTENSIONS = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'];
/** `narrow` finds settings that restrict where the runner searches: they may exclude the root. */
const RUNNERS: { name: string; files: string[]; narrow: RegExp; setting: (root: string) => string }[] = [
  {
    name: 'vitest',
    narrow: /\b(?:include|dir|root|projects)\s*:/,
    files: ['vitest.config', 'vitest.workspace', 'vite.config'],
    setting: (root) => `set test.exclude to [...configDefaults.exclude, '${root}/**']`,
  },
  {
    name: 'jest',
    narrow: /\b(?:rootDir|roots|projects|testMatch)["']?\s*:/,
    files: ['jest.config'],
    setting: (root) => `set testPathIgnorePatterns to ['/node_modules/', '/${root}/']`,
  },
];

/** The settings to add, one sentence for each test runner of the application. */
export function exclusions(uses: Project['uses'], root: string): string[] {
  return RUNNERS.filter(({ name }) => uses(name)).map(
    ({ name, setting }) => `In your ${name} config, ${setting(root)}: "tgp test" runs the tests of tools.`,
  );
}

/** Those whose configuration does not name the root. */
export async function missingExclusions({ folder, uses }: Project, root: string): Promise<string[]> {
  const missing: string[] = [];
  for (const { name, files, narrow } of RUNNERS.filter((runner) => uses(runner.name))) {
    const paths = ['package.json', ...files.flatMap((file) => EXTENSIONS.map((extension) => `${file}.${extension}`))];
    const texts = await Promise.all(paths.map((path) => readTextAtMost(join(folder, path)).catch(() => '')));
    if (!texts.some((text) => text.includes(root) || narrow.test(text))) missing.push(name);
  }
  return exclusions((name) => missing.includes(name), root);
}
