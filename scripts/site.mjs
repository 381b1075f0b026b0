/**
 * Builds the documentation site into `target/site/dist` with VitePress, from README.md and the published pages of `docs/`. VitePress
 * is a dependency of `website/` alone, installed on first use.
 *
 * npm run docs:site
 */

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, run } from '../tools/process.mjs';
import { apiPages, PRIVATE_PAGES, SECTIONS, titleOf } from './doc_pages.mjs';

const WEBSITE = join(ROOT, 'website');
const SITE = join(ROOT, 'target', 'site');
const PAGES = join(SITE, 'pages');
const HIDDEN = ['parts', 'decisions', ...PRIVATE_PAGES];
/** Links to files that the site does not have. */
const OUTSIDE =
  /\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!\.\.\/api\.md)(?:\.\.\/|(?:(?:parts|decisions)\/|releasing|start_here|CONTRIBUTING|SECURITY|CHANGELOG|ARCHITECTURE)[^)\s]*\.md)[^)\s]*\)/g;

/**
 * A page of the repository as one of the site: links to files outside become plain text.
 * @param {string} text
 */
export function sitePage(text) {
  return text.replaceAll('](docs/', '](').replace(OUTSIDE, '$1');
}

/** Copies the pages, pictures and indexes to {@link PAGES}. */
export function stagePages() {
  rmSync(SITE, { recursive: true, force: true });
  const docs = join(ROOT, 'docs');
  cpSync(docs, PAGES, { recursive: true, filter: (path) => !HIDDEN.some((name) => path === join(docs, name)) });
  mkdirSync(join(PAGES, 'public', 'api'), { recursive: true });
  cpSync(join(docs, 'llms.txt'), join(PAGES, 'public', 'llms.txt'));
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  writeFileSync(join(PAGES, 'index.md'), sitePage(readme));
  const index = readFileSync(join(docs, 'llms.txt'), 'utf8');
  for (const [, page = ''] of index.matchAll(/\]\(([\w/]+\.md)\)/g)) {
    const file = join(PAGES, page);
    const text = sitePage(readFileSync(file, 'utf8'));
    writeFileSync(file, text);
    // The sources, which llms.txt names.
    writeFileSync(join(PAGES, 'public', page), text);
  }
  const item = (/** @type {string} */ page) => ({
    text: titleOf(page).replace(/^API: /, ''),
    link: `/${page.replace(/\.md$/, '')}`,
  });
  const sidebar = Object.entries(SECTIONS).map(([text, pages]) => ({ text, items: Object.keys(pages).map(item) }));
  const reference = sidebar.find(({ text }) => text === 'Reference');
  reference?.items.push(...apiPages().map(item));
  writeFileSync(join(SITE, 'sidebar.json'), JSON.stringify(sidebar));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const generator = join(WEBSITE, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  if (!existsSync(generator)) run('npm', ['ci', '--prefix', WEBSITE, '--no-audit', '--no-fund']);
  stagePages();
  run(process.execPath, [generator, 'build', WEBSITE]);
  console.log(`The site is in ${join(SITE, 'dist')}.`);
}
