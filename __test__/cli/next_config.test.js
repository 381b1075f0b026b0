import { describe, expect, test } from 'vitest';
import { wrap } from '../../dist/cli/init/next_config.js';

const IMPORT = "import { withTGP } from '@tgp/core/next';\n";
const REQUIRE = "const { withTGP } = require('@tgp/core/next');\n";

describe('the config of a Next.js application', () => {
  test.each([
    {
      name: 'a constant, in TypeScript',
      before: "import type { NextConfig } from 'next';\n\nconst config: NextConfig = {};\n\nexport default config;\n",
      after: `${IMPORT}import type { NextConfig } from 'next';\n\nconst config: NextConfig = {};\n\nexport default withTGP(config);\n`,
    },
    {
      name: 'an object, with characters of more than one byte before it',
      before: "// é 漢 🙂\nexport default { env: { a: 'é' } };\n",
      after: `${IMPORT}\n// é 漢 🙂\nexport default withTGP({ env: { a: 'é' } });\n`,
    },
    {
      name: 'satisfies',
      before: 'export default {} satisfies NextConfig',
      after: `${IMPORT}\nexport default withTGP({} satisfies NextConfig)`,
    },
    {
      name: 'a function',
      before: 'export default async function config(phase) {\n  return { env: { phase } };\n}\n',
      after: `${IMPORT}\nexport default withTGP(async function config(phase) {\n  return { env: { phase } };\n})\n`,
    },
    {
      name: 'another wrapper, and a comment above the imports',
      before: "// our config\nimport mdx from '@next/mdx';\nexport default mdx()({ pageExtensions: ['mdx'] });\n",
      after: `// our config\n${IMPORT}import mdx from '@next/mdx';\nexport default withTGP(mdx()({ pageExtensions: ['mdx'] }));\n`,
    },
    {
      name: 'CommonJS, checked by TypeScript',
      before: "// @ts-check\n/** @type {import('next').NextConfig} */\nconst config = {};\nmodule.exports = config;\n",
      after: `// @ts-check\n${REQUIRE}\n/** @type {import('next').NextConfig} */\nconst config = {};\nmodule.exports = withTGP(config);\n`,
    },
  ])('is wrapped: $name', async ({ before, after }) => {
    expect(await wrap(before)).toBe(after);
  });

  test.each([
    ['two exports', 'module.exports = a;\nmodule.exports = b(module.exports);'],
    ['an export in a branch', 'if (a) module.exports = b;\nelse module.exports = c;'],
    ['a re-export', "export { default } from './config.js';"],
    ['invalid code', 'export default {'],
    ['nothing', ''],
  ])('is not changed: %s', async (_, text) => {
    expect(await wrap(text)).toBeUndefined();
  });
});
