import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** Areas of the web platform, in `conformance/areas`. */
const AREAS = ['bodies', 'crypto', 'encoding', 'events', 'headers', 'performance', 'streams', 'urls'];

/** Runs each text as the body of a function, in a Node of its own. */
const PROGRAM = `
const AsyncFunction = (async () => {}).constructor;
let input = '';
for await (const chunk of process.stdin) input += chunk;
for (const name of Object.keys(console)) if (typeof console[name] === 'function') console[name] = { [name]() {} }[name];
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
const outcomes = [];
for (const code of JSON.parse(input)) {
  try {
    outcomes.push({ value: JSON.parse(JSON.stringify(await new AsyncFunction(code)()) ?? 'null') });
  } catch (error) {
    outcomes.push({ error: String(error?.name ?? typeof error) });
  }
}
process.stdout.write(JSON.stringify(outcomes), () => process.exit());
`;

/** @param {string[]} codes */
function inNode(codes) {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(codes));
  return json(child.stdout);
}

describe('what Node has of the web platform, the sandbox has', () => {
  for (const area of AREAS) {
    it(area, async () => {
      const { cases } = /** @type {{ cases: { name: string, code: string, expected?: unknown }[] }} */ (
        await import(`../../conformance/areas/${area}.js`)
      );
      const { tools, kernel } = await createKernel({ sandbox: { timeoutMs: 10_000, wallMs: 20_000 } });
      const outcomes = /** @type {object[]} */ (await inNode(cases.map(({ code }) => code)));
      for (const [index, { name, code, ...rest }] of cases.entries()) {
        const path = `tools/cases/case${index}.js`;
        await tools.write_file.execute({ path, content: code });
        const ran = await kernel.exec(path, {}).then(
          ({ result }) => ({ value: result }),
          (error) => ({ error: error.details?.name ?? error.code, message: error.message }),
        );
        const expected = 'expected' in rest ? { value: rest.expected } : outcomes[index];
        expect({ name, ...ran }).toMatchObject({ name, ...expected });
        if ('value' in ran) expect({ name, ...ran }).toEqual({ name, ...expected });
      }
    }, 60_000);
  }
});
