/** Generates `docs/llms.txt`, the index of the documentation for language models (llmstxt.org). Run by the build. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../tools/process.mjs';
import { apiPages, SECTIONS, titleOf } from './doc_pages.mjs';

/** @returns {string} the index; its links are relative to `docs/` */
export function llmsIndex() {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, name, about = ''] = /^# (.+)\n\n([\s\S]+?)\n\n/.exec(readme) ?? [];
  const sections = Object.entries(SECTIONS).map(([section, pages]) => [
    `## ${section}`,
    ...Object.entries(pages).map(([page, description]) => `- [${titleOf(page)}](${page}): ${description}`),
  ]);
  const api = apiPages().map((page) => `- [${titleOf(page)}](${page})`);
  const parts = [[`# ${name}`], [`> ${about.replaceAll('\n', ' ')}`], ...sections, ['## Optional', ...api]];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`.replace(/^(## .+)\n/gm, '$1\n\n');
}

/** Writes the index. */
export function writeLlmsIndex() {
  writeFileSync(join(ROOT, 'docs', 'llms.txt'), llmsIndex());
}
