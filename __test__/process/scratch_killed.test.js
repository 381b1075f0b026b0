import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const MARK = 'scratch-that-nobody-else-may-see';
const TOOL = `
  const before = tgp.list_files('/tmp');
  for (let i = 0; i < 20; i++) tgp.write_file('/tmp/' + args.name + i + '.txt', '${MARK}'.repeat(1000));
  const text = tgp.read_file('/tmp/' + args.name + '0.txt').length;
  const found = tgp.list_files('/tmp').filter((path) => !path.startsWith('/tmp/' + args.name)).length;
  await tgp.ready();
  return { before, text, found };`;

/** @param {string} body of the application, after the tool is written */
const program = (body) => `
  const kernel = new TGP({
    config: { rootDir: './.tgp' },
    sandboxAPI: { ready: () => new Promise((done) => { console.log('ready'); if (process.env.FINISH) done(); }) },
  });
  await tgpTools(kernel).write_file.execute({ path: 'tools/scratch.ts', content: ${JSON.stringify(TOOL)} });
  ${body}`;

/** @param {string} folder @returns {string[]} */
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

describe('THREAT: a host that is killed while tools hold scratch files', () => {
  it('leaves no scratch files for the next host', async () => {
    const cwd = await tempRoot();
    const temporary = join(cwd, 'temporary');
    mkdirSync(temporary);
    const env = { TMPDIR: temporary, TEMP: temporary, TMP: temporary };
    const both =
      "await Promise.all(['a', 'b'].map((name) => kernel.exec('tools/scratch.ts', { name }, { timeoutMs: 5000 })));";
    const { child, ended } = startProgram(cwd, program(both), env);
    let printed = '';
    for await (const chunk of child.stdout) {
      printed += chunk;
      if (printed.split('ready').length > 2) break;
    }
    child.kill('SIGKILL');
    await ended;
    // The ledger contains the written text as an argument of the call.
    const left = filesBelow(cwd)
      .filter((path) => !path.includes('/.git/tgp/ledger/'))
      .filter((path) => readFileSync(path, 'latin1').includes(MARK.repeat(2)));
    expect(left).toEqual([]);
    expect(filesBelow(temporary)).toEqual([]);

    const again =
      "const runs = await Promise.all(['a', 'c'].map((name) => kernel.exec('tools/scratch.ts', { name }, { timeoutMs: 5000 }))); console.log(JSON.stringify(runs.map((run) => run.result))); await kernel.shutdown();";
    const next = startProgram(cwd, program(again), { ...env, FINISH: '1' });
    let output = '';
    next.child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await Promise.all([once(next.child.stdout, 'close'), next.ended]);
    const alone = { before: [], text: MARK.length * 1000, found: 0 };
    expect(JSON.parse(output.slice(output.indexOf('[')))).toEqual([alone, alone]);
    expect(filesBelow(temporary)).toEqual([]);
  });
});
