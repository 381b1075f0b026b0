/**
 * The terminal output of an agent run: model text goes to standard output, everything else to standard error, as plain lines.
 * A terminal gets colours and a status line.
 */

import { Writable } from 'node:stream';
import { guarded, ignored } from '../../boundary/guarded.js';
import { harmless, harmlessJson } from '../../boundary/harmless.js';
import type { AgentEvent } from '../../types/agent.js';
import type { Colour, Line } from './agent_text.js';
import { callSummary, count, endLines, eventText } from './agent_text.js';
import { columnsOf, widthOf, withinWidth } from './agent_width.js';
import { err, inStyle, out, own } from './output.js';
import type { Format } from './screen.js';
import { fitted } from './screen.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;
const CLEAR_LINE = own('\u001b[1G\u001b[2K');
const MAX_REMARK_CHARS = 2_000;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

export class AgentScreen {
  #format;
  #ending;
  #hasStatus;
  /** The current activity, for the status line. */
  #doing: string | undefined;
  #isPaused = false;
  #isDrawn = false;
  #frame = 0;
  #timer;
  /** Whether the model's text is in the middle of a line. */
  #isInLine = false;
  /** The incomplete end of the last piece: half a character, or half a line end. */
  #pending = '';
  #tokens = 0;
  #calls = 0;

  constructor({ format, ...ending }: { format: Format; isReplay?: boolean; isDryRun?: boolean }) {
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

  /** Prints an event. */
  show(event: AgentEvent) {
    if (this.#format === 'json') {
      out(`${harmlessJson(event)}\n`);
      return;
    }
    this.#clear();
    if (event.type === 'text') this.#printText(event.text);
    else if (event.type === 'end') this.#end(event);
    else this.#printLine(eventText(event));
    this.#follow(event);
    this.#draw();
  }

  /** Prints a notice. */
  note(line: Line) {
    if (this.#format === 'json') return;
    this.#clear();
    this.#printLine(line);
    this.#draw();
  }

  /** A console whose lines appear between those of the run: for kernel warnings and output of a config file. */
  console(): Console {
    const write = (chunk: unknown, _: unknown, done: () => void) => {
      for (const text of String(chunk).trimEnd().split('\n')) this.#remark(text);
      done();
    };
    const lines = new Writable({ decodeStrings: false, write });
    return new console.Console({ stdout: lines, stderr: lines, colorMode: false });
  }

  #remark(text: string) {
    const message = harmless(text, MAX_REMARK_CHARS);
    if (this.#format === 'json') err(`${message}\n`);
    else this.note({ mark: '·', colour: 'dim', text: message, isWhole: true });
  }

  /** Hides the status line while `work` uses the terminal. */
  async aside<T>(work: () => Promise<T>) {
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

  /** Stops the status line and ends an open line of text. */
  close() {
    clearInterval(this.#timer);
    this.#clear();
    if (this.#format === 'text') this.#endLine();
    this.#doing = undefined;
  }

  #printText(piece: string) {
    const whole = `${this.#pending}${piece}`;
    const half = HIGH_SURROGATE.exec(whole)?.[0] ?? (whole.endsWith('\r') ? '\r' : '');
    this.#pending = half;
    this.#write(half === '' ? whole : whole.slice(0, -half.length));
  }

  /** @param text of the model */
  #write(text: string) {
    if (text === '') return;
    out(text);
    this.#isInLine = !text.endsWith('\n');
  }

  #endLine() {
    const rest = this.#pending;
    this.#pending = '';
    this.#write(rest);
    if (this.#isInLine) out('\n');
    this.#isInLine = false;
  }

  #end(event: Extract<AgentEvent, { type: 'end' }>) {
    for (const line of endLines(event, this.#ending)) this.#printLine(line);
  }

  #printLine(line: Line | undefined) {
    if (line === undefined) return;
    this.#endLine();
    const { mark, colour, text, isWhole } = line;
    const columns = columnsOf(process.stderr);
    const column = widthOf(`${mark} `);
    const fitting = isWhole ? fitted(text, column, columns) : withinWidth(text, columns - column - 1);
    err(`${painted(colour, mark)} ${colour === 'dim' ? painted(colour, fitting) : fitting}\n`);
  }

  #follow(event: AgentEvent) {
    if (event.type === 'usage') this.#tokens = event.total;
    if (event.type === 'tool_call') this.#calls += 1;
    if (event.type === 'end') this.#doing = undefined;
    else if (event.type === 'tool_call') this.#doing = callSummary(event);
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
    if (!this.#hasStatus || this.#isPaused || this.#doing === undefined || this.#isInLine || this.#pending !== '')
      return;
    const facts = [
      this.#doing,
      `${this.#calls} ${this.#calls === 1 ? 'call' : 'calls'}`,
      `${count(this.#tokens)} tokens`,
    ].join(' · ');
    const text = withinWidth(facts, columnsOf(process.stderr) - 3);
    err(`${painted('cyan', FRAMES[this.#frame % FRAMES.length] ?? '')} ${painted('dim', text)}`);
    this.#isDrawn = true;
  }

  #clear() {
    if (!this.#isDrawn) return;
    err(CLEAR_LINE);
    this.#isDrawn = false;
  }
}

/** Text for standard error, coloured if the terminal supports it. */
export function painted(colour: Colour, text: string) {
  const isColourful = process.stderr.isTTY && process.stderr.hasColors();
  return isColourful ? inStyle(colour, text) : text;
}
