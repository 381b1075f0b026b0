/** Arguments that the text of a tool refuses: the type that it takes, and the values that a model may have meant. */

import { ValidationError } from '../../boundary/errors.js';
import { isRecord } from '../../boundary/foreign_json.js';
import { forgedSchema } from '../../forged/cleaned_parameters.js';
import { typeOf } from '../../prompt/typescript_signature.js';

/** How arguments are passed: as they are, or by a model, which passes an object. */
export type Passing = 'as they are' | 'in an object';

/** Adds the type that a tool takes to the error of arguments that it refuses. */
export function withType(error: unknown, passing: Passing): unknown {
  const parameters = refusedBy(error);
  if (parameters === undefined) return error;
  const type = typeOf(passing === 'as they are' ? parameters : forgedSchema(parameters, '', typeOf).schema);
  // Tells the model to repair the call, not the tool.
  const advice =
    passing === 'in an object' && parameters.type !== 'object'
      ? `It takes a value that is not an object, and a call passes one object: give ${type} as that object, or change the tool to take one object. Nothing was run.`
      : `It takes ${type}. Correct the arguments and call it again; nothing was run.`;
  (error as ValidationError).message += ` ${advice}`;
  return error;
}

/**
 * Makes a call with arguments from a model. If the tool refuses them, the call is repeated with the arguments as they may have
 * been meant: JSON text as its value, a wrapped value without the wrapper.
 */
export async function fitted<Value>(call: (args: unknown) => Promise<Value>, args: unknown): Promise<Value> {
  try {
    return await call(args);
  } catch (error) {
    const parameters = refusedBy(error);
    if (parameters === undefined) throw error;
    const { converted } = forgedSchema(parameters, '', typeOf);
    const meant = converted(args);
    if (meant === args) throw withType(error, 'in an object');
    return await call(meant).catch((failure) => {
      throw withType(failure, 'in an object');
    });
  }
}

/** Whether a call was refused because of its arguments, before anything ran. */
export function isRefusedBySchema(error: unknown) {
  return refusedBy(error) !== undefined;
}

/** The schema of the text that refused its arguments; undefined for other errors. */
function refusedBy(error: unknown): Record<string, unknown> | undefined {
  if (!(error instanceof ValidationError)) return undefined;
  const { parameters } = error.details;
  return isRecord(parameters) ? parameters : undefined;
}
