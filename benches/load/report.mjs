/** Generates `docs/load.md`: ratios first, then the figures of both builds. */

import { table } from '../../tools/markdown_table.mjs';
import { shown } from '../tables.mjs';

/**
 * @typedef {import('./figures.mjs').Figure} Figure
 * @typedef {{ figures?: Figure[], skipped?: string, failure?: string, seconds: number }} Outcome of a scenario with one build
 * @typedef {'now' | 'before'} Side
 * @typedef {object} LoadRun
 * @property {string} date
 * @property {number} minutes for each build
 * @property {Partial<Record<Side, string>>} builds what each is called
 * @property {{ cpu: string, cores: number, memoryGb: number, system: string }} machine
 * @property {{ node: string, git: string }} versions
 * @property {string[]} warnings what limits the figures
 * @property {{ name: string, title: string, about: string, outcomes: Partial<Record<Side, Outcome>> }[]} scenarios
 */

const GOOD = { less: 'less', more: 'more', zero: '0', fact: '' };

/** @param {LoadRun} run */
export function loadPage(run) {
  const { machine, versions, builds, minutes, date, warnings } = run;
  const sides = builds.before === undefined ? '' : `\n- before: ${builds.before}`;
  const parts = [
    '# Load tests',
    `Behaviour and guarantees of the package under load. Written by \`npm run load\`; the scenarios are in \`benches/load/\`. The figures
are from one run on one machine: a virtual machine with few processors says little about yours. Compare the two builds with each
other.`,
    `- now: ${builds.now}${sides}
- ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, Node ${versions.node}, Git ${versions.git}
- ${date.slice(0, 16).replace('T', ' ')}, ${minutes} minutes for each build${warnings.map((text) => `\n- note: ${text}`).join('')}`,
    `Each scenario runs in a separate process, with one build and then with the other, through the public API only. "now / before" is
the ratio of the two figures; "good" tells whether less or more is better. A row whose good value is 0 counts violations of a
guarantee: every acknowledged call must have a RESULT in the ledger, every acknowledged write must be in the Git history with its
text (read with the \`git\` program), every acknowledged row must be in the database. A call that is refused with a code has an
answer, and is not lost.`,
    '## Guarantees',
    promises(run),
    ...run.scenarios.flatMap((scenario) => [
      `## ${scenario.title}`,
      ...(isRepeated(run, scenario) ? [] : [scenario.about]),
      ...section(scenario.outcomes, builds.before !== undefined),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Whether the text of the mix was already printed. @param {LoadRun} run @param {LoadRun['scenarios'][number]} scenario */
const isRepeated = ({ scenarios }, scenario) => scenarios.find(({ about }) => about === scenario.about) !== scenario;

/** @param {Partial<Record<Side, Outcome>>} outcomes @param {boolean} compared */
function section({ now, before }, compared) {
  const notes = Object.entries({ now, before }).flatMap(([side, outcome]) =>
    outcome?.skipped
      ? [`Skipped (${side}): ${outcome.skipped}.`]
      : outcome?.failure
        ? [`Failed (${side}): ${outcome.failure}`]
        : [],
  );
  const base = new Map(before?.figures?.map((figure) => [figure.name, figure]));
  const named = now?.figures ?? before?.figures ?? [];
  if (named.length === 0) return notes;
  const own = new Map(now?.figures?.map((figure) => [figure.name, figure]));
  const head = ['figure', ...(compared ? ['now / before'] : []), 'good', 'now', ...(compared ? ['before'] : [])];
  const rows = named.map(({ name, good }) => [
    name,
    ...(compared ? [ratio(own.get(name), base.get(name))] : []),
    GOOD[good],
    cell(own.get(name)),
    ...(compared ? [cell(base.get(name))] : []),
  ]);
  return [...notes, table(head, rows)];
}

/** @param {Figure | undefined} now @param {Figure | undefined} before */
function ratio(now, before) {
  if (now === undefined || before === undefined || !['less', 'more'].includes(now.good)) return '';
  return shown(now.value / before.value);
}

/** @param {Figure | undefined} figure */
function cell(figure) {
  if (figure === undefined || !Number.isFinite(figure.value)) return '–';
  const note = figure.note ? ` (${figure.note})` : '';
  return `${shown(figure.value)}${figure.unit && ` ${figure.unit}`}${note}`;
}

/** @param {LoadRun} run */
function promises(run) {
  return Object.keys(run.builds)
    .map((side) => {
      const { kept, violated, unknown } = verdict(run, /** @type {Side} */ (side));
      const ends = unknown.length === 0 ? '' : ` No figures of: ${unknown.join(', ')}.`;
      const list = violated.map((text) => `\n  - ${text}`).join('');
      return `- ${side}: ${kept} kept, ${violated.length} broken.${ends}${list}`;
    })
    .join('\n');
}

/**
 * The verdict on the guarantees of one build.
 * @param {LoadRun} run
 * @param {Side} side
 * @returns {{ kept: number, violated: string[], unknown: string[] }} `unknown`: scenarios that failed
 */
export function verdict({ scenarios }, side) {
  const counted = scenarios.flatMap(({ title, outcomes }) =>
    (outcomes[side]?.figures ?? []).filter(({ good }) => good === 'zero').map((figure) => ({ title, ...figure })),
  );
  const violated = counted.filter(({ value }) => value !== 0);
  return {
    kept: counted.length - violated.length,
    violated: violated.map((figure) => `${figure.title}: ${figure.name}: ${cell(figure)}`),
    unknown: scenarios.filter(({ outcomes }) => outcomes[side]?.failure !== undefined).map(({ title }) => title),
  };
}
