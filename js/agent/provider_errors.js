/** Errors of model providers: whether and when to retry, and the message to report. */

import { TGPError } from '../boundary/errors.js';
import { messageOf } from '../boundary/thrown.js';
import { redactKeys } from './provider_keys.js';

const INITIAL_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** Upper limit for a wait that a provider requests with Retry-After. */
const MAX_RETRY_AFTER_MS = 120_000;
const MAX_REASON_CHARS = 300;
const MAX_CAUSES = 5;
/** Errors of the AI SDK that a retry cannot fix. */
const PERMANENT =
  /^AI_(?:LoadAPIKeyError|LoadSettingError|NoSuchModelError|InvalidPromptError|InvalidArgumentError|UnsupportedFunctionalityError|UnsupportedModelVersionError)$/;
/** Error types in provider streams that a retry cannot fix. */
const PERMANENT_TYPES =
  /invalid_request|authentication|permission|not_found|insufficient_quota|invalid_api_key|context_length|billing/i;

/** The provider failed to return a turn, after all retries. */
export class ProviderError extends TGPError {
  /**
   * @param {string} message
   * @param {unknown} cause
   */
  constructor(message, cause) {
    super(/** @type {any} */ ('ERR_PROVIDER'), message, { cause });
  }
}

/** The stream of a turn ended early. */
export class TruncatedTurn extends Error {}

/**
 * Whether a retry of the request may succeed. A retry is safe, because no call of an incomplete turn is made.
 * @param {unknown} error
 */
export function isRetryable(error) {
  const failed = /** @type {any} */ (error);
  if (failed instanceof TruncatedTurn) return true;
  if (failed instanceof TGPError) return false;
  if (typeof failed?.isRetryable === 'boolean' && typeof failed.statusCode === 'number') {
    return failed.isRetryable || failed.statusCode >= 500;
  }
  if (typeof failed?.name === 'string' && PERMANENT.test(failed.name)) return false;
  return !PERMANENT_TYPES.test(typeOfError(failed));
}

/**
 * How long to wait before the next attempt.
 * @param {unknown} error
 * @param {number} attempt the one that failed, from 1 on
 */
export function waitAfter(error, attempt) {
  const requested = retryAfterMs(headersOf(error));
  if (requested !== undefined) return Math.min(requested, MAX_RETRY_AFTER_MS);
  const longest = Math.min(MAX_WAIT_MS, INITIAL_WAIT_MS * 2 ** (attempt - 1));
  // Jitter, so that clients do not retry at the same moment.
  return Math.round(longest * (0.5 + Math.random() / 2));
}

/**
 * The error message in one line, without keys.
 * @param {unknown} error
 */
export function reasonOf(error) {
  const failed = /** @type {any} */ (error);
  const status = typeof failed?.statusCode === 'number' ? `${failed.statusCode}: ` : '';
  const text = redactKeys(messageOf(innermost(failed)))
    .replace(/\s+/g, ' ')
    .trim();
  const shown = text.length > MAX_REASON_CHARS ? `${text.slice(0, MAX_REASON_CHARS)}…` : text;
  return status + (shown === '' ? 'no reason given' : shown);
}

/**
 * The original error inside wrappers of the SDK.
 * @param {any} error
 */
function innermost(error) {
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && at?.lastError !== undefined; depth++) at = at.lastError;
  // Some clients pass the provider's error object on as it is.
  const message = at?.error?.message ?? at?.response?.error?.message;
  return !(at instanceof Error) && typeof message === 'string' ? message : at;
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
function retryAfterMs(headers) {
  const ms = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && ms >= 0) return ms;
  const after = headers['retry-after'];
  if (typeof after !== 'string') return undefined;
  const seconds = Number(after);
  if (after.trim() !== '' && seconds >= 0) return seconds * 1_000;
  const until = Date.parse(after) - Date.now();
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}
