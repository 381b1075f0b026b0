/** Turns the addon's answers into values, and its errors into throws. */

import type { TGPErrorCode } from '../types/errors.js';
import { ERROR_CLASSES, TGPError } from './errors.js';
import type { NativeOutcome } from './typed_native.js';

/**
 * The value of a binding's outcome. Throws its error as the class of its code.
 * @param context error options unknown to the binding, such as an abort's reason
 */
export function unwrap<Value>({ error, value }: NativeOutcome<Value>, context: { cause?: unknown } = {}): Value {
  if (!error) {
    const read: unknown = value === undefined ? undefined : JSON.parse(value);
    // As the addon declares it; a method without a value returns `undefined`.
    return read as Value;
  }
  const code = error.code as TGPErrorCode;
  const details: Record<string, unknown> = JSON.parse(error.details);
  const options = { ...context, details };
  const ErrorClass = Object.hasOwn(ERROR_CLASSES, code) ? ERROR_CLASSES[code] : undefined;
  throw ErrorClass ? new ErrorClass(error.message, options) : new TGPError(code, error.message, options);
}
