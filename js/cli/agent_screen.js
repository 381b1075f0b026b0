/**
 * A run of an agent as it is seen: what the model says goes to standard output, all else to standard error, as plain lines. On a
 * terminal there are colours, and one line below that says what is going on.
 */

import { Writable } from 'node:stream';
import { guarded, ignored } from '../boundary/guarded.js';
import { harmless, harmlessJson } from '../boundary/harmless.js';
import { callWords, count, endLines, eventText } from './agent_text.js';
import { widthOf, withinWidth } from './agent_width.js';
import { err, inStyle, out, own } from './output.js';
import { fitted } from './screen.js';

/**
 * @typedef {import('../../index.js').AgentEvent} AgentEvent
 * @typedef {import('./agent_text.js').Line} Line
 * @typedef {import('./screen.js').Format} Format
 */

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const CLEAR_LINE = own('\u001b[1G\u001b[2K');
const DEFAULT_COLUMNS = 80;
const MAX_REMARK_CHARS = 2_000;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

export class AgentScreen {
  #format;
  #ending;
  #hasStatus;
  /** What is going on; nothing while somebody else has the terminal. @type {string | undefined} */
  #doing;
  #isPaused = false;
  #isDrawn = false;
  #frame = 0;
  #timer;
  /** Whether the model's text is in the middle of a line. */
  #isInLine = false;
  /** The end of a piece that is half a character, or half a line end. */
  #held = '';
  #tokens = 0;
  #calls = 0;

  /** @param {{ format: Format, isReplay?: boolean, isDryRun?: boolean }} options */
  constructor({ format, ...ending }) {
    this.#format = format;
    this.#ending = ending;
    this.#hasStatus = format === 'text' && process.stderr.isTTY === true && process.env.TERM !== 'dumb';
    if (!this.#hasStatus) return;
    this.#timer = setInterval(
      guarded(ignored, () => this.#turn()),
      FRAME_MS,
    );
    this.#timer.unref();
  }

  /** @param {AgentEvent} event */
  show(event) {
    if (this.#format === 'json') {
      out(`${harmlessJson(event)}\n`);
      return;
    }
    this.#clear();
    if (event.type === 'text') this.#say(event.text);
    else if (event.type === 'end') this.#end(event);
    else this.#tell(eventText(event));
    this.#follow(event);
    this.#draw();
  }

  /**
   * A line of our own.
   * @param {Line} line
   */
  note(line) {
    if (this.#format === 'json') return;
    this.#clear();
    this.#tell(line);
    this.#draw();
  }

  /**
   * A console whose lines stand between those of the run: warnings of the kernel, and what a config file prints.
   * @returns {Console}
   */
  console() {
    const write = (/** @type {unknown} */ chunk, /** @type {unknown} */ _, /** @type {() => void} */ done) => {
      for (const text of String(chunk).trimEnd().split('\n')) this.#remark(text);
      done();
    };
    const lines = new Writable({ decodeStrings: false, write });
    return new console.Console({ stdout: lines, stderr: lines, colorMode: false });
  }

  /** @param {string} text */
  #remark(text) {
    const said = harmless(text, MAX_REMARK_CHARS);
    if (this.#format === 'json') err(`${said}\n`);
    else this.note({ mark: '·', colour: 'dim', text: said, isWhole: true });
  }

  /**
   * Does something that needs the terminal for itself.
   * @template T
   * @param {() => Promise<T>} work
   */
  async aside(work) {
    this.#clear();
    this.#endLine();
    this.#isPaused = true;
    try {
      return await work();
    } finally {
      this.#isPaused = false;
      this.#draw();
    }
  }

  /** Leaves the terminal as it was. */
  close() {
    clearInterval(this.#timer);
    this.#clear();
    if (this.#format === 'text') this.#endLine();
    this.#doing = undefined;
  }

  /** @param {string} piece */
  #say(piece) {
    const whole = `${this.#held}${piece}`;
    const half = HIGH_SURROGATE.exec(whole)?.[0] ?? (whole.endsWith('\r') ? '\r' : '');
    this.#held = half;
    this.#write(half === '' ? whole : whole.slice(0, -half.length));
  }

  /** @param {string} text of the model */
  #write(text) {
    if (text === '') return;
    out(text);
    this.#isInLine = !text.endsWith('\n');
  }

  #endLine() {
    const held = this.#held;
    this.#held = '';
    this.#write(held);
    if (this.#isInLine) out('\n');
    this.#isInLine = false;
  }

  /** @param {Extract<AgentEvent, { type: 'end' }>} event */
  #end(event) {
    for (const line of endLines(event, this.#ending)) this.#tell(line);
  }

  /** @param {Line | undefined} line */
  #tell(line) {
    if (line === undefined) return;
    this.#endLine();
    const { mark, colour, text, isWhole } = line;
    const columns = process.stderr.isTTY ? (process.stderr.columns ?? DEFAULT_COLUMNS) : Number.POSITIVE_INFINITY;
    const column = widthOf(`${mark} `);
    const fitting = isWhole ? fitted(text, column, columns) : withinWidth(text, columns - column - 1);
    err(`${painted(colour, mark)} ${colour === 'dim' ? painted(colour, fitting) : fitting}\n`);
  }

  /** @param {AgentEvent} event */
  #follow(event) {
    if (event.type === 'usage') this.#tokens = event.total;
    if (event.type === 'tool_call') this.#calls += 1;
    if (event.type === 'end') this.#doing = undefined;
    else if (event.type === 'tool_call') this.#doing = callWords(event);
    else if (event.type === 'retry') this.#doing = 'waiting for the provider';
    else this.#doing = 'the model is thinking';
  }

  #turn() {
    if (!this.#isDrawn) return;
    this.#frame += 1;
    this.#clear();
    this.#draw();
  }

  #draw() {
    if (!this.#hasStatus || this.#isPaused || this.#doing === undefined || this.#isInLine || this.#held !== '') return;
    const facts = [
      this.#doing,
      `${this.#calls} ${this.#calls === 1 ? 'call' : 'calls'}`,
      `${count(this.#tokens)} tokens`,
    ].join(' · ');
    const text = withinWidth(facts, (process.stderr.columns ?? DEFAULT_COLUMNS) - 3);
    err(`${painted('cyan', FRAMES[this.#frame % FRAMES.length] ?? '')} ${painted('dim', text)}`);
    this.#isDrawn = true;
  }

  #clear() {
    if (!this.#isDrawn) return;
    err(CLEAR_LINE);
    this.#isDrawn = false;
  }
}

/**
 * Text for standard error, in a colour where that has some.
 * @param {import('./agent_text.js').Colour} colour
 * @param {string} text
 */
export function painted(colour, text) {
  const isColourful = process.stderr.isTTY && process.stderr.hasColors();
  return isColourful ? inStyle(colour, text) : text;
}
