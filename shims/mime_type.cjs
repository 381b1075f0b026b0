/** `MIMEType` and `MIMEParams` of `node:util`. */

const { nodeError } = require('tgp:node_error');

const TOKEN = /^[!#$%&'*+\-.^_`|~\w]+$/;
const NOT_TOKEN = /[^!#$%&'*+\-.^_`|~\w]/;
const NOT_VALUE = /[^\t -~\u0080-\u00ff]/;
/** A name, and a value in quotation marks or without. */
const PART = /;[\t\n\f\r ]*([^;=]*)(?:=("(?:[^"\\]|\\[\s\S]|\\$)*"?[^;]*|[^;]*))?/gy;

const trimmed = (text) => text.replaceAll(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '');
const lower = (text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

function syntaxError(what, text, at) {
  const place = at < 0 ? '' : ` at ${at}`;
  return nodeError(
    TypeError,
    'ERR_INVALID_MIME_SYNTAX',
    `The MIME syntax for a ${what} in "${text}" is invalid${place}`,
  );
}

/** @param {string} what @param {string} part @param {RegExp} wrong a character that is not allowed */
function needPart(what, part, wrong, whole = part) {
  const at = part.search(wrong);
  if (at >= 0 || (part === '' && wrong === NOT_TOKEN)) throw syntaxError(what, whole, at);
}

class MIMEParams {
  #values = new Map();

  /** @param {MIMEParams} params @param {string} text what follows the essence */
  static read(params, text) {
    for (const [, name, raw] of text.matchAll(PART)) {
      if (raw === undefined) continue;
      const quoted = /^"((?:[^"\\]|\\[\s\S]|\\$)*)/.exec(raw)?.[1];
      const value = quoted === undefined ? raw.trimEnd() : quoted.replaceAll(/\\([\s\S])/g, '$1');
      const key = lower(name);
      const isValid = TOKEN.test(name) && !NOT_VALUE.test(value) && (value !== '' || quoted !== undefined);
      if (isValid && !params.#values.has(key)) params.#values.set(key, value);
    }
  }
  delete(name) {
    this.#values.delete(name);
  }
  get(name) {
    return this.#values.get(name) ?? null;
  }
  has(name) {
    return this.#values.has(name);
  }
  set(name, value) {
    const [key, text] = [`${name}`, `${value}`];
    needPart('parameter name', key, NOT_TOKEN);
    needPart('parameter value', text, NOT_VALUE);
    this.#values.set(lower(key), text);
  }
  entries() {
    return this.#values.entries();
  }
  keys() {
    return this.#values.keys();
  }
  values() {
    return this.#values.values();
  }
  toString() {
    const shown = (value) => (TOKEN.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`);
    return [...this.#values].map(([name, value]) => `${name}=${shown(value)}`).join(';');
  }
  toJSON() {
    return this.toString();
  }
  [Symbol.iterator]() {
    return this.entries();
  }
}
const { read } = MIMEParams;
delete MIMEParams.read;

class MIMEType {
  #type;
  #subtype;
  #params = new MIMEParams();

  constructor(input) {
    const text = trimmed(`${input}`);
    const [essence] = text.split(';', 1);
    const slash = essence.indexOf('/');
    if (slash < 0) throw syntaxError('type', `${input}`, essence.search(NOT_TOKEN));
    needPart('type', essence.slice(0, slash), NOT_TOKEN, text);
    const subtype = trimmed(essence.slice(slash + 1));
    needPart('subtype', subtype, NOT_TOKEN, text);
    this.#type = lower(essence.slice(0, slash));
    this.#subtype = lower(subtype);
    read(this.#params, text.slice(essence.length));
  }
  get type() {
    return this.#type;
  }
  set type(value) {
    const text = `${value}`;
    needPart('type', text, NOT_TOKEN);
    this.#type = lower(text);
  }
  get subtype() {
    return this.#subtype;
  }
  set subtype(value) {
    const text = `${value}`;
    needPart('subtype', text, NOT_TOKEN);
    this.#subtype = lower(text);
  }
  get essence() {
    return `${this.#type}/${this.#subtype}`;
  }
  get params() {
    return this.#params;
  }
  toString() {
    const params = `${this.#params}`;
    return params === '' ? this.essence : `${this.essence};${params}`;
  }
  toJSON() {
    return this.toString();
  }
}

module.exports = { MIMEParams, MIMEType };
