/** The documentation site. `scripts/site.mjs` prepares its pages. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const SITE = fileURLToPath(new URL('../../target/site/', import.meta.url));

export default defineConfig({
  title: '@tgp/core',
  description: 'Lets the AI agent in your Node app write its own tools',
  srcDir: `${SITE}pages`,
  outDir: `${SITE}dist`,
  srcExclude: ['public/**'],
  cacheDir: `${SITE}cache`,
  cleanUrls: true,
  markdown: {
    config: (md) => {
      // `{{secret:NAME}}` is text, not an expression of Vue.
      const code = md.renderer.rules.code_inline;
      md.renderer.rules.code_inline = (...args) => code?.(...args).replace('<code', '<code v-pre') ?? '';
    },
  },
  themeConfig: {
    nav: [
      { text: 'Cookbook', link: '/cookbook' },
      { text: 'API', link: '/api' },
    ],
    sidebar: JSON.parse(readFileSync(`${SITE}sidebar.json`, 'utf8')),
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
