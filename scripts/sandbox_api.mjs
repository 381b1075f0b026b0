/** Generates the short form of the sandbox's declarations for the prompt: `js/prompt/sandbox_api.ts`. */

/**
 * @param {string} declarations the texts of the declarations in sandbox/
 * @returns {string} a module
 */
export function sandboxApiModule(declarations) {
  // Requests and responses are a subset of the web's: models need to know which.
  const short = (/** @type {string} */ signature) =>
    signature.replace(/\bTgp(?:RequestInit|Response)\b/g, (name) => namesOf(membersOf(declarations, name)));
  const functions = membersOf(declarations, 'Tgp').map(
    ({ signature }) => `  ${/^\w+/.exec(signature)}: ${literal(short(signature))},`,
  );
  const globals = [...declarations.matchAll(/^declare (?:const|function|class) (\w+)[^{;]*(?:\{\n([\s\S]*?)^\})?/gm)]
    .filter(([, , body]) => !isHandedOut(body ?? ''))
    .map(([, name]) => String(name));
  return `/** Made by scripts/sandbox_api.mjs from sandbox/tgp.d.ts. */

/** What is on \`tgp\`, by name. */
export const FUNCTIONS = {
${functions.join('\n')}
};

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

/** @param {{ signature: string }[]} members */
function namesOf(members) {
  const names = members.map(({ signature }) => {
    const [, name, isMethod] = /^(?:readonly )?(\w+)\??(<.*>)?(?=[(:])/.exec(signature) ?? [];
    return signature.includes(`${name}(`) || isMethod ? `${name}()` : name;
  });
  return `{ ${names.join(', ')} }`;
}

/**
 * Whether a class is never constructed by tools, so that its name is not needed.
 * @param {string} body
 */
function isHandedOut(body) {
  return body.includes('  private constructor();') && !body.includes('  static ');
}

/** @param {string} text */
function literal(text) {
  return `\`${text.replace(/[`\\$]/g, '\\$&')}\``;
}
