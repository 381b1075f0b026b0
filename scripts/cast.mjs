/**
 * Records `tgp "<task>"` at a terminal with a local provider as a picture: docs/agent.svg. Command line, kernel and client
 * package are real; only the model is scripted. The output is reproducible: durations and session names are omitted.
 *
 * node scripts/cast.mjs [file]
 */

import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openaiServer } from '../examples/demo/providers/openai_server.js';
import { forgeTestFirst } from '../tools/model_scripts.mjs';
import { ROOT } from '../tools/process.mjs';
import { runCli } from '../tools/run_cli.mjs';
import { HUE, PALETTE } from '../tools/svg.mjs';
import { atTerminal } from '../tools/terminal.mjs';

const TASK = 'What does a box of 40 x 40 x 50 inches weigh, divisor 139?';
const MODEL = 'openai/gpt-5.4';
const COLUMNS = 96;
const FONT_SIZE = 13;
const LETTER_WIDTH = 7.8;
const LINE_HEIGHT = 18;
const MARGIN = 16;
const BAR_HEIGHT = 28;
const MAX_BYTES = 60_000;
const USAGE = { input: 3_000, output: 120 };

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours begin with it
const COLOUR = /(\u001b\[[\d;]*m)/;
/** Classes by the codes of the terminal that switch them on. @type {Record<string, string>} */
const CLASSES = {
  1: 'b',
  2: 'small',
  31: `f${HUE.red}`,
  32: `f${HUE.green}`,
  33: `f${HUE.amber}`,
  36: `f${HUE.cyan}`,
};

/** @returns {Promise<string[]>} the lines on the screen, with their colours */
async function record() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tgp-cast-')));
  const server = await openaiServer((seen) => ({ ...forgeTestFirst(seen), usage: USAGE }));
  try {
    await writeFile(join(folder, 'package.json'), '{}');
    await writeFile(join(folder, 'tgp.config.json'), JSON.stringify({ memory: 'off' }));
    const made = await runCli(folder, ['init', '--yes']);
    if (made.code !== 0) throw new Error(made.stderr);
    const { code, lines, stdout, stderr } = await atTerminal(folder, [TASK, '--model', MODEL], {
      columns: COLUMNS,
      env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: 'none-is-needed', NO_COLOR: undefined },
      script: [
        ['Allow?', 'y'],
        ['Allow?', 'y'],
        ['Allow?', 'r'],
      ],
    });
    if (code !== 0 || server.problems.length > 0) throw new Error(`${stdout}${stderr}${server.problems.join('\n')}`);
    return lines;
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The lines without parts that differ between runs.
 * @param {string[]} lines
 */
function settled(lines) {
  return lines
    .filter((line) => !/session {2}\d/.test(line))
    .map((line) => line.replace(/( tokens), [\d.]+ (?:ms|s|min)(?: [\d.]+ s)?/, '$1').trimEnd())
    .filter((line, index, all) => line !== '' || index < all.length - 1);
}

/**
 * @param {string} line
 * @returns {string} its parts, each in its colour
 */
function spans(line) {
  /** @type {string[]} */
  let classes = [];
  let made = '';
  for (const part of line.split(COLOUR)) {
    const codes = part.startsWith('\u001b[') ? part.slice(2, -1) : undefined;
    if (codes === undefined) {
      if (part !== '')
        made += classes.length > 0 ? `<tspan class="${classes.join(' ')}">${escaped(part)}</tspan>` : escaped(part);
      continue;
    }
    for (const code of codes.split(';')) {
      const name = CLASSES[code];
      if (name !== undefined) classes.push(name);
      else if (code === '22') classes = classes.filter((one) => one !== 'b' && one !== 'small');
      else classes = classes.filter((one) => one === 'b' || one === 'small');
    }
  }
  return made;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @param {string[]} lines */
function picture(lines) {
  const all = [`\u001b[2m$\u001b[22m \u001b[1mtgp "${TASK}"\u001b[22m`, ...lines];
  const width = Math.ceil(2 * MARGIN + COLUMNS * LETTER_WIDTH);
  const height = BAR_HEIGHT + 2 * MARGIN + all.length * LINE_HEIGHT;
  const texts = all.map((line, index) => {
    const y = BAR_HEIGHT + MARGIN + (index + 1) * LINE_HEIGHT - 5;
    return `<text x="${MARGIN}" y="${y}">${spans(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="A task at the command line: a model writes a test, sees it fail, writes the tool, sees the test pass and runs the tool">
<style>
${PALETTE}
text{font:${FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}
.b{font-weight:bold}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" class="paper grid"/>
<circle cx="18" cy="16" r="5" class="f${HUE.red}"/><circle cx="36" cy="16" r="5" class="f${HUE.amber}"/><circle cx="54" cy="16" r="5" class="f${HUE.green}"/>
${texts.join('\n')}
</svg>
`;
}

const svg = picture(settled(await record()));
if (svg.length > MAX_BYTES) throw new Error(`The picture has ${svg.length} bytes, more than ${MAX_BYTES}.`);
const [file = join(ROOT, 'docs', 'agent.svg')] = process.argv.slice(2);
await writeFile(file, svg);
console.log(`${file}: ${svg.length} bytes`);
