/** Makes the short form of the sandbox's declarations that models are shown: `js/prompt/sandbox_api.js`. */

/**
 * @param {string} declarations the text of sandbox/tgp.d.ts
 * @returns {string} a module
 */
export function sandboxApiModule(declarations) {
  const documented = membersOf(declarations, 'Tgp').map(({ doc, signature }) => `  ${signature} // ${doc}`);
  const types = ['TgpRequestInit', 'TgpHeaders', 'TgpResponse'].map((name) => {
    const members = membersOf(declarations, name).map(({ signature }) => signature);
    return `type ${name} = { ${members.join(' ').replace(/;$/, '')} };`;
  });
  const members = membersOf(declarations, 'Tgp').map(({ signature }) => `  ${signature}`);
  const wrapped = (/** @type {string[]} */ lines) => ['declare const tgp: {', ...lines, '};', ...types].join('\n');
  const globals = [...declarations.matchAll(/^declare (?:const|function|class) (\w+)/gm)].map(([, name]) =>
    String(name),
  );
  return `/** Made by scripts/sandbox_api.mjs from sandbox/tgp.d.ts. */

export const DOCUMENTED_API = ${literal(wrapped(documented))};

export const PLAIN_API = ${literal(wrapped(members))};

export const GLOBALS = ${literal(globals.join(', '))};
`;
}

/**
 * @param {string} declarations
 * @param {string} name of an interface
 */
function membersOf(declarations, name) {
  const body = new RegExp(`^interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(declarations)?.[1];
  if (body === undefined) throw new Error(`sandbox/tgp.d.ts has no interface ${name}.`);
  // A member ends with a semicolon at the end of a line that is indented once.
  return [...body.matchAll(/(?: {2}\/\*\*([\s\S]*?)\*\/\n)?( {2}\S[\s\S]*?;)\n/g)].map(
    ([, doc = '', signature = '']) => ({
      doc: doc.replace(/\s*\n\s*\*\s?/g, ' ').trim(),
      signature: signature.replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/,? \)/g, ')').trim(),
    }),
  );
}

/** @param {string} text */
function literal(text) {
  return `\`${text.replace(/[`\\$]/g, '\\$&')}\``;
}
