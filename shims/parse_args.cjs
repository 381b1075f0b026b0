/** `parseArgs` of `node:util`. */

const { nodeError, invalidType, invalidValue, needType } = require('tgp:node_error');

const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

/** @param {any} options */
function reader(options) {
  const typeOf = (name) => own(own(options, name) ?? {}, 'type');
  const nameOf = (short) => Object.entries(options).find(([, option]) => own(option, 'short') === short)?.[0] ?? short;
  return { typeOf, nameOf, takesText: (name) => typeOf(name) === 'string' };
}

/**
 * The arguments as tokens: options with their values, other arguments, and `--`.
 * @param {string[]} args @param {any} options
 */
function tokensOf(args, options) {
  const { nameOf, takesText } = reader(options);
  const tokens = [];
  /** Arguments, and the parts of a group such as `-abc`, with the index of their argument. */
  const rest = args.map((arg, index) => ({ arg, index }));
  const add = (name, rawName, index, value, inlineValue) =>
    tokens.push({ kind: 'option', name, rawName, index, value, inlineValue });
  const addTaking = (name, rawName, index) => {
    if (takesText(name) && rest.length > 0) add(name, rawName, index, rest.shift().arg, false);
    else add(name, rawName, index, undefined, undefined);
  };
  while (rest.length > 0) {
    const { arg, index } = rest.shift();
    if (arg === '--') {
      tokens.push({ kind: 'option-terminator', index });
      for (const one of rest) tokens.push({ kind: 'positional', index: one.index, value: one.arg });
      break;
    }
    const isLong = arg.startsWith('--') && arg.length > 2;
    const isShort = !isLong && arg[0] === '-' && arg[1] !== '-' && arg.length > 1;
    const equals = isLong ? arg.indexOf('=', 3) : -1;
    if (isLong && equals >= 0)
      add(arg.slice(2, equals), `--${arg.slice(2, equals)}`, index, arg.slice(equals + 1), true);
    else if (isLong) addTaking(arg.slice(2), arg, index);
    else if (!isShort) tokens.push({ kind: 'positional', index, value: arg });
    else if (arg.length === 2) addTaking(nameOf(arg[1]), arg, index);
    else if (takesText(nameOf(arg[1]))) add(nameOf(arg[1]), arg.slice(0, 2), index, arg.slice(2), true);
    else rest.unshift(...groupOf(arg, nameOf, takesText).map((part) => ({ arg: part, index })));
  }
  return tokens;
}

/** `-abc` as `-a`, `-b`, `-c`; what follows an option with a value is its value. */
function groupOf(arg, nameOf, takesText) {
  const parts = [];
  for (let i = 1; i < arg.length; i++) {
    if (takesText(nameOf(arg[i])) && i < arg.length - 1) return [...parts, `-${arg.slice(i)}`];
    parts.push(`-${arg[i]}`);
  }
  return parts;
}

const invalidOption = (message) => nodeError(TypeError, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE', message);

/** Throws if an option is unknown, or has no value or one too many. */
function checkOption(token, options, allowPositionals, allowNegative) {
  const isNegative = allowNegative && token.name.startsWith('no-');
  const name = isNegative && !Object.hasOwn(options, token.name) ? token.name.slice(3) : token.name;
  const { typeOf } = reader(options);
  if (!Object.hasOwn(options, name) || (isNegative && name !== token.name && typeOf(name) !== 'boolean')) {
    const advice = allowPositionals
      ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${token.rawName}"`
      : '';
    throw nodeError(TypeError, 'ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${token.rawName}'${advice}`);
  }
  const short = own(options[name], 'short');
  const shown = `${short ? `-${short}, ` : ''}--${name}`;
  if (typeOf(name) === 'string' && typeof token.value !== 'string')
    throw invalidOption(`Option '${shown} <value>' argument missing`);
  if (typeOf(name) === 'boolean' && token.value != null)
    throw invalidOption(`Option '${shown}' does not take an argument`);
  if (token.inlineValue || token.value == null || !(token.value.length > 1 && token.value[0] === '-')) return;
  const form = token.rawName.startsWith('--')
    ? `'${token.rawName}=-XYZ'`
    : `'--${name}=-XYZ' or '${token.rawName}-XYZ'`;
  throw invalidOption(
    `Option '${token.rawName}' argument is ambiguous.\nDid you forget to specify the option argument for '${token.rawName}'?\nTo specify an option argument starting with a dash use ${form}.`,
  );
}

/** @param {any} options */
function checkOptions(options) {
  for (const [name, option] of Object.entries(options)) {
    const at = `options.${name}`;
    if (typeof option !== 'object' || option === null) throw invalidType(at, ['object'], option);
    const type = own(option, 'type');
    if (type !== 'string' && type !== 'boolean')
      throw nodeError(
        TypeError,
        'ERR_INVALID_ARG_TYPE',
        `The "${at}.type" property must be ('string|boolean').${typeof type === 'string' ? ` Received type string ('${type}')` : ` Received ${type}`}`,
      );
    if (Object.hasOwn(option, 'short')) {
      needType(`${at}.short`, 'string', option.short);
      if (option.short.length !== 1) throw invalidValue(`${at}.short`, option.short, 'must be a single character');
    }
    if (Object.hasOwn(option, 'multiple')) needType(`${at}.multiple`, 'boolean', option.multiple);
    const standard = own(option, 'default');
    if (standard === undefined) continue;
    if (own(option, 'multiple')) {
      if (!Array.isArray(standard)) throw invalidType(`${at}.default`, ['Array'], standard);
      standard.forEach((one, i) => {
        needType(`${at}.default[${i}]`, type, one);
      });
    } else needType(`${at}.default`, type, standard);
  }
}

function parseArgs(config = {}) {
  const args = own(config, 'args') ?? [];
  const strict = own(config, 'strict') ?? true;
  const allowPositionals = own(config, 'allowPositionals') ?? !strict;
  const allowNegative = own(config, 'allowNegative') ?? false;
  const options = own(config, 'options') ?? {};
  if (!Array.isArray(args)) throw invalidType('args', ['Array'], args);
  if (typeof options !== 'object' || options === null) throw invalidType('options', ['object'], options);
  checkOptions(options);
  const tokens = tokensOf(args.map(String), options);
  const values = Object.create(null);
  const positionals = [];
  for (const token of tokens) {
    if (token.kind === 'option') {
      if (strict) checkOption(token, options, allowPositionals, allowNegative);
      store(token, options, values, allowNegative);
    } else if (token.kind === 'positional') {
      if (!allowPositionals)
        throw nodeError(
          TypeError,
          'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL',
          `Unexpected argument '${token.value}'. This command does not take positional arguments`,
        );
      positionals.push(token.value);
    }
  }
  for (const [name, option] of Object.entries(options)) {
    const standard = own(option, 'default');
    if (standard !== undefined && values[name] === undefined && name !== '__proto__') values[name] = standard;
  }
  return own(config, 'tokens') ? { values, positionals, tokens } : { values, positionals };
}

/** Adds the value of an option; `--no-name` is false. */
function store(token, options, values, allowNegative) {
  if (token.name === '__proto__') return;
  let { value } = token;
  if (allowNegative && token.name.startsWith('no-') && value === undefined) {
    token.name = token.name.slice(3);
    value = false;
  }
  value ??= true;
  if (!own(own(options, token.name) ?? {}, 'multiple')) values[token.name] = value;
  else if (values[token.name]) values[token.name].push(value);
  else values[token.name] = [value];
}

module.exports = parseArgs;
