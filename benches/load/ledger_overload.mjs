/** Results of 200 KB, faster than the ledger can store them, with concurrent writes. */

import { broken, countsOf, fact, gain, latencies } from './figures.mjs';
import { ledgerCalls, missingWrites } from './promises.mjs';
import { createKernel, LARGE, pause, placeTools, rootOf, TOOLS, timed, toolText } from './workspace.mjs';

const LANES = 16;
const BETWEEN_WRITES_MS = 200;
/** Numbers of writes begin here. */
const FIRST_WRITE = 1e9;

/** @param {import('./workspace.mjs').Job} job */
export default async function ledgerOverload({ api, folder, seconds }) {
  const kernel = createKernel(api, folder);
  await placeTools(api, kernel, { 'tools/large.ts': TOOLS['tools/large.ts'] });
  const { write_file } = api.tgpTools(kernel);
  const started = performance.now();
  const end = started + 1000 * seconds;
  /** @type {{ id: number, ms: number, code?: string }[]} */
  const runs = [];
  /** @type {(import('./machine.mjs').Written & { id: number })[]} */
  const writes = [];
  let next = 0;
  const run = async () => {
    while (performance.now() < end) {
      const id = next++;
      const { ms, code } = await timed(() => kernel.exec('tools/large.ts', { id, bytes: LARGE }));
      runs.push({ id, ms, code });
    }
  };
  const write = async () => {
    for (let id = FIRST_WRITE; performance.now() < end; id++) {
      const [path, content] = [`tools/written/t${id % 100}.ts`, toolText(id)];
      const { ms, code, value } = await timed(() => write_file.execute({ path, content }));
      writes.push({ id, path, content, ms, code, persisted: value?.persisted, commit: value?.commit });
      await pause(BETWEEN_WRITES_MS);
    }
  };
  await Promise.all([...Array.from({ length: LANES }, run), write()]);
  const worked = (performance.now() - started) / 1000;
  await kernel.shutdown();

  const reader = createKernel(api, folder);
  const [{ finished, reportedLost, leftOut }, verdict] = [await ledgerCalls(reader), await reader.ledger.verify()];
  await reader.shutdown();
  const all = [...runs, ...writes];
  const acknowledged = all.filter(({ code }) => code === undefined);
  const unrecorded = acknowledged.filter(({ id }) => !finished.has(id)).length;
  const refused = all.flatMap(({ code }) => code ?? []);
  const kept = writes.filter(({ persisted }) => persisted);
  const answered = runs.filter(({ code }) => code === undefined);
  return [
    fact('acknowledged calls', acknowledged.length),
    fact('refused, by code', refused.length, countsOf(refused)),
    gain('results', (answered.length * LARGE) / 1e6 / worked, 'MB/s'),
    ...latencies(
      'run',
      answered.map(({ ms }) => ms),
    ),
    ...latencies(
      'write',
      kept.map(({ ms }) => ms),
    ),
    fact('results recorded without their text', leftOut),
    fact('events that the ledger reports as lost', reportedLost),
    broken('acknowledged calls that the ledger lost in silence', Math.max(0, unrecorded - reportedLost)),
    broken('ledger that does not verify', verdict.ok ? 0 : 1, verdict.problem?.kind),
    broken('acknowledged writes that are not in Git HEAD', missingWrites(rootOf(folder), 'HEAD', kept).length),
  ];
}
