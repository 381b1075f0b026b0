import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeVFS } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { howOften } from '../helpers/how_often.js';
import { tempRoot } from '../helpers/temp_root.js';

const INDEX = new URL('../../index.js', import.meta.url).href;
const ROUNDS = howOften({ usual: 3, long: 8 });
const FILES = 12;
const PLAIN_WRITES = howOften({ usual: 300, long: 4000 });
const PLAIN_ROUNDS = howOften({ usual: 60, long: 120 });

/** Writes without end, eight files at a time: each text has its number in every line, and its number of lines. */
const writer = (root) => `
  const { TGP, tgpTools } = await import(${JSON.stringify(INDEX)});
  const { write_file } = tgpTools(new TGP({ config: { rootDir: ${JSON.stringify(root)} } }));
  let number = Date.now();
  const lane = async () => {
    while (true) {
      const own = number++;
      const lines = 1 + (own % 400);
      const content = '/** Number ' + own + '. */ export default () => ' + lines + ';\\n' + ('// ' + own + '\\n').repeat(lines);
      await write_file.execute({ path: 'tools/f' + (own % ${FILES}) + '.ts', content });
      process.stdout.write('.');
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
`;

/** The same without Git, which allows more writes. */
const plainWriter = (root) => `
  const { createNodeVFS } = await import(${JSON.stringify(INDEX)});
  const vfs = createNodeVFS(${JSON.stringify(root)});
  for (let number = Date.now(); ; number++) {
    const lines = 1 + (number % 400);
    const content = '/** Number ' + number + '. */ export default () => ' + lines + ';\\n' + ('// ' + number + '\\n').repeat(lines);
    await vfs.writeFile('tools/f' + (number % ${FILES}) + '.ts', content);
    process.stdout.write('.');
  }
`;

/** @param {string} text */
function isWhole(text) {
  const head = /^\/\*\* Number (\d+)\. \*\/ export default \(\) => (\d+);\n/.exec(text);
  return head !== null && text.slice(head[0].length) === `// ${head[1]}\n`.repeat(Number(head[2]));
}

describe('a kernel that is killed while it writes', () => {
  it('leaves every file old or new, meta.json readable, the repository valid, and the next kernel working', async () => {
    const root = await tempRoot();
    let writes = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer(root)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.on('data', (dots) => {
        writes += dots.length;
      });
      await once(child.stdout, 'data');
      await new Promise((done) => setTimeout(done, 300 + Math.random() * 500));
      child.kill('SIGKILL');
      await once(child, 'exit');
      const files = readdirSync(join(root, 'tools')).filter((name) => name.endsWith('.ts'));
      for (const name of files) {
        expect(isWhole(readFileSync(join(root, 'tools', name), 'utf8')), `round ${round}: ${name}`).toBe(true);
      }
      const meta = JSON.parse(readFileSync(join(root, 'meta.json'), 'utf8'));
      expect(Object.keys(meta.tools).length).toBeGreaterThan(0);
    }
    expect(execFileSync('git', ['-C', root, 'fsck', '--full', '--strict', '--no-dangling'], { encoding: 'utf8' })).toBe(
      '',
    );
    const { kernel, tools } = await createKernel({ rootDir: root });
    const content = '/** The last one. */ export default () => 7;\n';
    expect((await tools.write_file.execute({ path: 'tools/last.ts', content })).persisted).toBe(true);
    expect((await kernel.exec('tools/last.ts')).result).toBe(7);
    const listed = await kernel.registry.list();
    for (const { path, description } of listed.filter((tool) => tool.path !== 'tools/last.ts')) {
      expect(readFileSync(join(root, path), 'utf8')).toContain(description);
    }
    console.info(`${writes} writes in ${ROUNDS} rounds`);
  });

  it('leaves every plain file old or new, in hundreds of writes', async () => {
    const root = await tempRoot();
    let writes = 0;
    for (let round = 0; writes < PLAIN_WRITES && round < PLAIN_ROUNDS; round++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', plainWriter(root)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.on('data', (dots) => {
        writes += dots.length;
      });
      await once(child.stdout, 'data');
      await new Promise((done) => setTimeout(done, 100 + Math.random() * 300));
      child.kill('SIGKILL');
      await once(child, 'exit');
      for (const name of readdirSync(join(root, 'tools')).filter((file) => file.endsWith('.ts'))) {
        expect(isWhole(readFileSync(join(root, 'tools', name), 'utf8')), `round ${round}: ${name}`).toBe(true);
      }
    }
    expect(writes).toBeGreaterThan(PLAIN_WRITES / 4);
    // Temporary files of a killed writer are not listed.
    const files = await createNodeVFS(root).listFiles('tools');
    expect(files.every((path) => /^tools\/f\d+\.ts$/.test(path))).toBe(true);
  }, 240_000);
});
