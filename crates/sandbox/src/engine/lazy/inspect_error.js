// Errors as `inspect` shows them: the stack, under the name of their class.
(function inspectError(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { hasOwn, indexOf, isArray, list, min, push, regexpExec, slice } = realm;
  const { endsWith, indented, linesOf, prefixOf } = realm.inspecting;

  const FRAME = '\n    at';
  // In the stack of a nested tool's error.
  const NESTED_FRAME = '\n      at';
  const LEAST_SHARED = 3;
  const TITLE = '^([A-Z][a-z_ A-Z0-9[\\]()-]+)(?::|\\n {4}at)';
  const LONE_NAME = '^([a-z_A-Z0-9-]*Error)$';

  /** @param {string} text @param {number} from */
  const firstFrame = (text, from) => {
    const at = indexOf(text, FRAME, from);
    return at < 0 ? indexOf(text, NESTED_FRAME, from) : at;
  };

  /** @param {Guest} error @param {string} key */
  const read = (error, key) => {
    try {
      return error[key];
    } catch {
      return undefined;
    }
  };

  /** @param {Inspection} ctx @param {Guest} error */
  const stackOf = (ctx, error) => {
    const stack = read(error, 'stack');
    if (typeof stack === 'string' || !stack) return realm.errorText(error);
    push(ctx.seen, error);
    ctx.indent += 4;
    const text = realm.inspecting.valueText(ctx, stack, 0);
    ctx.indent -= 4;
    ctx.seen.length -= 1;
    return `${realm.errorTitle(error)}\n    ${text}`;
  };

  // Puts the name of the class into a stack that begins with the name of a base class.
  /** @param {string} stack @param {string | null} className @param {string} name @param {string} tag */
  const named = (stack, className, name, tag) => {
    const next = stack[name.length] ?? '\n';
    const isRegular = endsWith(name, 'Error') && indexOf(stack, name) === 0 && (next === ':' || next === '\n');
    if (className !== null && !isRegular) return stack;
    let fallback = 'Error';
    let length = name.length;
    if (className === null) {
      const found = regexpExec(new realm.RegExp(TITLE), stack) ?? regexpExec(new realm.RegExp(LONE_NAME), stack);
      const title = found === null ? '' : `${found[1]}`;
      length = title.length;
      if (title !== '') fallback = title;
    }
    const prefix = slice(prefixOf(className, tag, fallback), 0, -1);
    if (name === prefix) return stack;
    if (indexOf(prefix, name) < 0) return `${prefix} [${name}]${slice(stack, length)}`;
    return length === 0 ? `${prefix}: ${stack}` : prefix + slice(stack, length);
  };

  // The first sequence of more than three frames that are those of the cause, too: its length and place.
  /** @param {List<string>} frames @param {List<string>} others */
  const sharedFrames = (frames, others) => {
    for (let i = 0; i < frames.length - LEAST_SHARED; i++) {
      let at = 0;
      while (at < others.length && others[at] !== frames[i]) at += 1;
      const most = min(frames.length - i, others.length - at);
      let length = 0;
      while (length < most && frames[i + length] === others[at + length]) length += 1;
      if (length > LEAST_SHARED) return { __proto__: null, length, at: i };
    }
    return undefined;
  };

  /** @param {Inspection} ctx @param {Guest} error @param {string} frames */
  const withoutShared = (ctx, error, frames) => {
    const cause = read(error, 'cause');
    if (!native.isError(cause)) return frames;
    const causeStack = stackOf(ctx, cause);
    const from = firstFrame(causeStack, 0);
    if (from < 0) return frames;
    const lines = linesOf(frames);
    const shared = sharedFrames(lines, linesOf(slice(causeStack, from + 1)));
    if (shared === undefined) return frames;
    const hidden = shared.length - 2;
    let out = '';
    for (let i = 0; i < lines.length; i++) {
      if (i > shared.at + 1 && i <= shared.at + hidden) continue;
      const note = `    ... ${hidden} lines matching cause stack trace ...`;
      out += `${i === 0 ? '' : '\n'}${i === shared.at + 1 ? ctx.stylize(note, 'undefined') : lines[i]}`;
    }
    return out;
  };

  // The members to show: not those that are in the stack; the cause and the inner errors although they are not enumerable.
  /** @param {Inspection} ctx @param {Guest} error @param {string} stack @param {List<string | symbol>} keys */
  const membersOf = (ctx, error, stack, keys) => {
    const kept = list();
    let hasCause = false;
    let hasErrors = false;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (!ctx.showHidden) {
        if (key === 'stack') continue;
        const text = key === 'message' || key === 'name' ? read(error, key) : undefined;
        if ((key === 'message' || key === 'name') && (typeof text !== 'string' || indexOf(stack, text) >= 0)) continue;
      }
      if (key === 'cause') hasCause = true;
      if (key === 'errors') hasErrors = true;
      push(kept, key);
    }
    if (!hasCause && hasOwn(error, 'cause')) push(kept, 'cause');
    if (!hasErrors && hasOwn(error, 'errors') && isArray(read(error, 'errors'))) push(kept, 'errors');
    return kept;
  };

  /** @type {InspectParts['errorParts']} */
  const errorParts = (ctx, error, className, tag, keys) => {
    const stack = stackOf(ctx, error);
    const shown = membersOf(ctx, error, stack, keys);
    const name = read(error, 'name') ?? 'Error';
    const message = read(error, 'message');
    let text = typeof name === 'string' ? named(stack, className, name, tag) : stack;
    const at = typeof message === 'string' && message !== '' ? indexOf(text, message) : -1;
    const frames = firstFrame(text, at > 0 ? at + message.length : 0);
    if (frames < 0) text = `[${text}]`;
    else text = `${slice(text, 0, frames)}\n${withoutShared(ctx, error, slice(text, frames + 1))}`;
    return { __proto__: null, text: indented(text, ctx.indent), members: shown };
  };

  realm.inspecting = { __proto__: null, ...realm.inspecting, errorParts };
});
