/** The code of README and docs/git.md runs unchanged. */

import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { charts } from '../../benches/charts.mjs';
import { comparison, withComparison } from '../../benches/comparison.mjs';
import { withFigures } from '../../benches/tables.mjs';
import { loadTGPConfig, TGP, TGPError } from '../../index.js';
import { SCRIPTED_MODEL } from '../helpers/running_server.js';
import { strictPrograms } from '../helpers/strict_typescript.js';
import { tempRoot } from '../helpers/temp_root.js';

const exec = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOOL = 'tools/shipping/dim_weight.ts';

/**
 * The code blocks of a section, in order.
 * @param {string} file
 * @param {string} title
 * @param {string} [language]
 */
async function blocks(file, title, language = 'ts') {
  const text = await readFile(join(ROOT, file), 'utf8');
  const section = text.split(/^##? /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map((match) =>
    String(match[1]),
  );
}

/** A folder with this package and those of its development. */
async function application() {
  const folder = await tempRoot();
  await mkdir(join(folder, 'node_modules', '@tgp'), { recursive: true });
  await symlink(ROOT, join(folder, 'node_modules', '@tgp', 'core'));
  for (const name of ['ai', 'better-sqlite3']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

test('the first screen has one sentence, the picture and the demo', async () => {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  const screen = text.split('\n').slice(0, 15).join('\n');
  expect(screen).toMatch(/^`@tgp\/core` lets the AI agent in your Node app write its own tools/m);
  expect(screen).toContain('](docs/demo.svg)');
  expect(screen).toContain('npx tgp demo');
});

test('every block of the page is run by a test', async () => {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  const found = [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```/gm)].map(([, , language, code = '']) =>
    language === 'bash' ? code.replace(/ +#.*/g, '').trim().split('\n') : language,
  );
  // The demo: __test__/cli/demo.test.js. The commands of a clone: CI, and __test__/package/setup.test.js.
  const demo = ['npm install @tgp/core ai', 'npx tgp demo'];
  expect(found).toEqual([demo, 'js', 'js', 'js', 'yaml', ['npm run demo', 'npm test']]);
});

test('"Use it": the first example prints what its comment says', async () => {
  const [first = ''] = await blocks('README.md', 'Use it', 'js');
  const folder = await application();
  await writeFile(join(folder, 'first.mjs'), first);
  const { stdout } = await exec(process.execPath, ['first.mjs'], { cwd: folder });
  expect(stdout).toBe(`${/console\.log.* \/\/ (.*)/.exec(first)?.[1]}\n`);
});

test('"Use it": the examples compile in strict TypeScript with noUncheckedIndexedAccess', async () => {
  const folder = await application();
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const sources = (await blocks('README.md', 'Use it', 'js')).map((code, index) => [`block_${index}.ts`, code]);
  expect(sources).toHaveLength(3);
  expect(await strictPrograms(folder, 'readme', Object.fromEntries(sources))).toBe('');
});

test('"Use it": with a model, the agent forges the tool and answers', async () => {
  const [, agent = ''] = await blocks('README.md', 'Use it', 'js');
  const folder = await application();
  await writeFile(join(folder, 'agent.mjs'), agent);
  const { stdout } = await exec(process.execPath, ['--import', SCRIPTED_MODEL, 'agent.mjs'], { cwd: folder });
  expect(stdout).toBe(`It bills as 576 pounds (forged ${TOOL}).\n`);
});

test('"Use it": with the database of the page, neither the agent nor its tools can change data', async () => {
  const program = (await blocks('README.md', 'Use it', 'js')).at(-1);
  const folder = await application();
  const used = `
    const sum = 'export default async () => tgp.exec_sql("SELECT sum(n) AS n FROM t");';
    const add = 'export default async () => tgp.exec_sql("INSERT INTO t VALUES (1)");';
    await tools.write_file.execute({ path: 'tools/sum.ts', content: sum });
    await tools.write_file.execute({ path: 'tools/add.ts', content: add });
    const codeOf = (call) => call.then(({ code }) => code, ({ code }) => code);
    console.log(JSON.stringify({
      forged: await codeOf(tools.exec_tool.execute({ path: 'tools/add.ts', args: {} })),
      asked: await codeOf(tools.exec_sql.execute({ sql: 'INSERT INTO t VALUES (1)' })),
      read: (await kernel.exec('tools/sum.ts')).result,
    }));
    await kernel.shutdown();`;
  const made = `import Database from 'better-sqlite3';
    new Database('app.db').exec('CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (41)').close();`;
  await writeFile(join(folder, 'made.mjs'), made);
  await writeFile(join(folder, 'agent.mjs'), `${program}${used}`);
  const { stdout } = await exec(process.execPath, ['--import', './made.mjs', 'agent.mjs'], { cwd: folder });
  const refused = 'ERR_SECURITY_VIOLATION';
  expect(JSON.parse(stdout)).toEqual({ forged: refused, asked: refused, read: [{ n: 41 }] });
});

test('"Git as the memory": the configuration is accepted', async () => {
  const [sample] = await blocks('docs/git.md', 'Git as the memory');
  const file = join(await tempRoot(), 'tgp.config.ts');
  await writeFile(file, `export default { ${sample} };\n`);
  expect(await loadTGPConfig(file)).toMatchObject({
    git: { provider: 'github', repo: 'my-org/tools', writeStrategy: 'direct' },
  });
});

test('"What you get": the policy of the page denies the call that it describes', async () => {
  const [policy] = await blocks('README.md', 'What you get', 'yaml');
  const folder = await tempRoot();
  const file = join(folder, 'tgp.policy.yaml');
  await writeFile(file, String(policy).replace(/^ {2}/gm, ''));
  const kernel = new TGP({ config: { rootDir: join(folder, '.tgp'), policy: file } });
  const denied = await kernel.exec('tools/payments/pay.ts', {}).catch((error) => error);
  await kernel.shutdown();
  expect(denied).toBeInstanceOf(TGPError);
  expect([denied.code, denied.details.rule]).toEqual(['ERR_DENIED', 'no-payments']);
});

test('the comparison has exactly the measured values', async () => {
  const results = JSON.parse(await readFile(join(ROOT, 'benches/results.json'), 'utf8'));
  const [readme, page] = await Promise.all(
    ['README.md', 'docs/benchmarks.md'].map((file) => readFile(join(ROOT, file), 'utf8')),
  );
  expect(withComparison(String(readme), results)).toBe(readme);
  expect(withFigures(String(page), results, Object.keys(charts(results)))).toBe(page);
  expect(
    comparison(results)
      ?.split('\n')
      .filter((line) => line.startsWith('| ')),
  ).toHaveLength(8);
  for (const [name, svg] of Object.entries(charts(results))) {
    expect(await readFile(join(ROOT, 'docs/charts', name), 'utf8'), name).toBe(svg);
  }
});
