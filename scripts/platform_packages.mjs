/**
 * Ties the main package to its platform packages for publishing: `link` gives all of them and `@tgp/memory` the main
 * package's version and lists the platforms as optional dependencies; `unlink` takes the list out again.
 *
 * The list is not in Git because `npm ci` would look for packages that are not published yet. `npm publish` runs `link`
 * before it packs and `unlink` after.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLATFORM_NAMES, packageJson } from './platform.mjs';
import { ROOT } from './process.mjs';

const MAIN = join(ROOT, 'package.json');

/**
 * @param {string} file
 * @param {object} content
 */
function writeJson(file, content) {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

function link() {
  const main = packageJson();
  for (const name of [...PLATFORM_NAMES, 'memory']) {
    const file = join(ROOT, 'npm', name, 'package.json');
    writeJson(file, { ...JSON.parse(readFileSync(file, 'utf8')), version: main.version });
  }
  const alias = join(ROOT, 'npm', 'tgp', 'package.json');
  const dependencies = { [main.name]: main.version };
  writeJson(alias, { ...JSON.parse(readFileSync(alias, 'utf8')), version: main.version, dependencies });
  const linked = Object.fromEntries(PLATFORM_NAMES.map((name) => [`${main.name}-${name}`, main.version]));
  writeJson(MAIN, { ...main, optionalDependencies: { ...main.optionalDependencies, ...linked } });
}

function unlink() {
  const main = packageJson();
  const others = Object.entries(main.optionalDependencies).filter(([name]) => !name.startsWith(`${main.name}-`));
  writeJson(MAIN, { ...main, optionalDependencies: Object.fromEntries(others) });
}

const command = process.argv[2];
if (command === 'link') link();
else if (command === 'unlink') unlink();
else {
  process.stderr.write('Usage: node scripts/platform_packages.mjs link | unlink\n');
  process.exitCode = 2;
}
