import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const PATH = 'tools/a.txt';
/** Lines that a diff parser could misread. */
const LINES = [
  '',
  ' ',
  '\t',
  'a',
  'b',
  'a b',
  '  a',
  '-- x',
  '++ y',
  '--- a',
  '+++ b',
  '@@ -1 +1 @@',
  '\\ No',
  '```',
  'ä😀',
];

/** A seeded random number generator. */
function seededRandom(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

function randomText(next, most) {
  const text = Array.from({ length: next(most) }, () => LINES[next(LINES.length)]).join('\n');
  return text === '' || next(4) === 0 ? text : `${text}\n`;
}

/** The text with random lines removed, changed and added. */
function changed(next, text) {
  const lines = text.split('\n').flatMap((line) => {
    const what = next(12);
    const other = LINES[next(LINES.length)];
    return what === 0 ? [] : what === 1 ? [other] : what === 2 ? [line, other] : [line];
  });
  return lines.join('\n');
}

/** A function that returns the diff of git for two texts, empty for equal texts. */
async function gitDiffer() {
  const folder = await tempRoot();
  return (before, after, context) => {
    writeFileSync(join(folder, 'before'), before);
    writeFileSync(join(folder, 'after'), after);
    const options = ['diff', '--no-index', '--text', `-U${context}`, 'before', 'after'];
    return spawnSync('git', options, { cwd: folder, encoding: 'utf8' }).stdout;
  };
}

async function workspace() {
  const { tools, rootDir } = await createKernel();
  const diff = await gitDiffer();
  return {
    diff,
    write: (content) => tools.write_file.execute({ path: PATH, content }),
    apply: (diff) => tools.apply_diff.execute({ path: PATH, diff }),
    text: () => readFileSync(join(rootDir, PATH), 'utf8'),
  };
}

describe('apply_diff', () => {
  it('applies every valid diff of git to the same text as git', async () => {
    const { diff, write, apply, text } = await workspace();
    const next = seededRandom(12);
    let compared = 0;
    for (let round = 0; round < 80; round++) {
      const before = randomText(next, 40);
      const after = changed(next, before);
      const patch = diff(before, after, next(4));
      if (patch === '') continue;
      await write(before);
      await apply(patch).catch((error) => {
        throw new Error(`${error.message}\n${JSON.stringify({ before, after, patch })}`);
      });
      expect(text(), JSON.stringify({ before, patch })).toBe(after);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(50);
  });

  it('applies a damaged diff completely or not at all', async () => {
    const { diff, write, apply, text } = await workspace();
    const next = seededRandom(99);
    let refused = 0;
    for (let round = 0; round < 60; round++) {
      const before = randomText(next, 30);
      const lines = diff(before, changed(next, before), 3).split('\n');
      for (let times = next(4); times >= 0; times--) {
        const at = next(lines.length);
        const damage = next(4);
        if (damage === 0) lines.splice(at, 1);
        else if (damage === 1) lines.splice(at, 0, lines[next(lines.length)] ?? '');
        else if (damage === 2) lines[at] = `${lines[at]}x`;
        else
          lines[at] = ['@@', '<<<<<<< SEARCH', '=======', '>>>>>>> REPLACE', '@@ -99999999999999999999 +1 @@'][next(5)];
      }
      await write(before);
      const outcome = await apply(lines.join('\n')).catch((error) => error);
      if (outcome.success) continue;
      expect(outcome.code).toMatch(/^ERR_(?:VALIDATION|NOT_FOUND)$/);
      expect(text()).toBe(before);
      refused += 1;
    }
    expect(refused).toBeGreaterThan(10);
  });

  it('finds the place of a diff with wrong line numbers, as patch does', async () => {
    const { diff, write, apply, text } = await workspace();
    const next = seededRandom(5);
    for (let round = 0; round < 15; round++) {
      const body = Array.from({ length: 30 }, (_, index) => `line ${index} ${LINES[next(LINES.length)]}`);
      const after = body.map((line, index) => (index % 11 === 5 ? `${line}!` : line));
      const moved = Array.from({ length: 1 + next(9) }, (_, index) => `before ${index}`);
      await write([...moved, ...body].join('\n'));
      const { applied } = await apply(diff(body.join('\n'), after.join('\n'), 2));
      expect(text()).toBe([...moved, ...after].join('\n'));
      expect(applied.map(({ lineOffset }) => lineOffset)).toEqual(applied.map(() => moved.length));
    }
  });
});

it('git is installed for the comparison', () => {
  expect(execFileSync('git', ['--version'], { encoding: 'utf8' })).toContain('git version');
});
