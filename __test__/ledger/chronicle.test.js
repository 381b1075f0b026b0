/** The chronicle of a file: its events in a fixed form, with the same bytes in every process. */

import { readFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { sha256 } from '../helpers/ledger.js';
import { runProgram } from '../helpers/run_program.js';

const fixture = (/** @type {string} */ name) =>
  readFileSync(new URL(`../fixtures/chronicle/${name}`, import.meta.url), 'utf8');
const PATH = 'tools/reports/revenue.ts';

test('events of the application match the fixtures', async () => {
  const { kernel } = await createKernel();
  const before = Date.now();
  for (const event of JSON.parse(fixture('basic.input.json'))) await kernel.ledger.append(event);
  await kernel.ledger.append({ path: 'tools/other.ts', what: 'not this one' });
  const events = await kernel.ledger.chronicle(PATH);
  const lines = events.map(({ eventId: _, prevEventId, timestamp, ...content }) => canonicalize(content));
  expect(`${lines.join('\n')}\n`).toBe(fixture('basic.output.ndjson'));
  let previous;
  for (const { eventId, timestamp, prevEventId, ...content } of events) {
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before);
    expect(prevEventId).toBe(previous);
    expect(eventId).toBe(sha256(String(canonicalize({ ...content, timestamp }))));
    previous = eventId;
  }
});

test('the chronicle has the calls for its file only', async () => {
  const { kernel, tools } = await createKernel();
  await tools.write_file.execute({ path: PATH, content: 'return 1' });
  await tools.write_file.execute({ path: 'tools/other.ts', content: 'return 2' });
  await kernel.exec(PATH);
  const events = await kernel.ledger.chronicle(PATH);
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['CALL', 'COMMIT', 'RESULT']));
  expect(new Set(events.map(({ filePath }) => filePath))).toEqual(new Set([PATH]));
  expect(await kernel.ledger.chronicle('tools/none.ts')).toEqual([]);
});

test('another process reads the same bytes', async () => {
  const { kernel, tools, rootDir } = await createKernel();
  await tools.write_file.execute({ path: PATH, content: 'return 1' });
  const events = await kernel.ledger.chronicle(PATH);
  expect(events.length).toBeGreaterThan(0);
  const read = await runProgram(
    rootDir,
    `const kernel = new TGP({ config: { rootDir: ${JSON.stringify(rootDir)}, sandbox: { warm: 0 } } });
     process.chdir('/');
     const events = await kernel.ledger.chronicle(${JSON.stringify(PATH)});
     await kernel.shutdown();
     console.log(JSON.stringify(events));`,
  );
  expect(JSON.stringify(read)).toBe(JSON.stringify(events));
});
