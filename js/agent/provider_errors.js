/** What providers fail with: whether to ask again, when, and what is said of it. */

import { TGPError } from '../boundary/errors.js';
import { messageOf } from '../boundary/thrown.js';
import { withoutKeys } from './provider_keys.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** Longer than this nobody wants to wait, whatever a provider says. */
const LONGEST_ASKED_MS = 120_000;
const MAX_REASON_CHARS = 300;
const MAX_CAUSES = 5;
/** Failures of the AI SDK that are no different the second time. */
const LASTING =
  /^AI_(?:LoadAPIKeyError|LoadSettingError|NoSuchModelError|InvalidPromptError|InvalidArgumentError|UnsupportedFunctionalityError|UnsupportedModelVersionError)$/;
/** Words that providers put into streams for what will not go away. */
const LASTING_TYPES =
  /invalid_request|authentication|permission|not_found|insufficient_quota|invalid_api_key|context_length|billing/i;

/** The provider did not give a turn, and will not. */
export class ProviderError extends TGPError {
  /**
   * @param {string} message
   * @param {unknown} cause
   */
  constructor(message, cause) {
    super(/** @type {any} */ ('ERR_PROVIDER'), message, { cause });
  }
}

/** The turn has not come to its end. */
export class CutOff extends Error {}

/**
 * Whether the same request may succeed later. Nothing has been done because of a turn that did not arrive, so it can be asked for
 * again.
 * @param {unknown} error
 */
export function isPassing(error) {
  const failed = /** @type {any} */ (error);
  if (failed instanceof CutOff) return true;
  if (failed instanceof TGPError) return false;
  if (typeof failed?.isRetryable === 'boolean' && typeof failed.statusCode === 'number') {
    return failed.isRetryable || failed.statusCode >= 500;
  }
  if (typeof failed?.name === 'string' && LASTING.test(failed.name)) return false;
  return !LASTING_TYPES.test(typeOfError(failed));
}

/**
 * How long to wait before the next attempt.
 * @param {unknown} error
 * @param {number} attempt the one that failed, from 1 on
 */
export function waitAfter(error, attempt) {
  const asked = askedWait(headersOf(error));
  if (asked !== undefined) return Math.min(asked, LONGEST_ASKED_MS);
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  // Not all who were turned away come back at the same moment.
  return Math.round(longest * (0.5 + Math.random() / 2));
}

/**
 * What went wrong, in one line without keys.
 * @param {unknown} error
 */
export function reasonOf(error) {
  const failed = /** @type {any} */ (error);
  const status = typeof failed?.statusCode === 'number' ? `${failed.statusCode}: ` : '';
  const text = withoutKeys(messageOf(innermost(failed)))
    .replace(/\s+/g, ' ')
    .trim();
  const shown = text.length > MAX_REASON_CHARS ? `${text.slice(0, MAX_REASON_CHARS)}…` : text;
  return status + (shown === '' ? 'no reason was given' : shown);
}

/**
 * The SDK wraps what happened in words of its own.
 * @param {any} error
 */
function innermost(error) {
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at?.lastError !== undefined; depth++) at = at.lastError;
  // Providers send objects where their clients hand on errors.
  const told = at?.error?.message ?? at?.response?.error?.message;
  return !(at instanceof Error) && typeof told === 'string' ? told : at;
}

/** @param {any} error */
function typeOfError(error) {
  const named = [error?.type, error?.code, error?.error?.type, error?.error?.code, error?.response?.error?.code];
  return named.filter((name) => typeof name === 'string').join(' ');
}

/** @param {any} error */
function headersOf(error) {
  const headers = error?.responseHeaders;
  return typeof headers === 'object' && headers !== null ? headers : {};
}

/** @param {Record<string, unknown>} headers */
function askedWait(headers) {
  const ms = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && ms >= 0) return ms;
  const after = headers['retry-after'];
  if (typeof after !== 'string') return undefined;
  const seconds = Number(after);
  if (after.trim() !== '' && seconds >= 0) return seconds * 1_000;
  const until = Date.parse(after) - Date.now();
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}
