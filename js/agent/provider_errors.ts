/** Errors of model providers: whether and when to retry, and the message to report. */

import { TGPError } from '../boundary/errors.js';
import { messageOf } from '../boundary/thrown.js';
import type { TGPErrorCode } from '../types/errors.js';
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

/** A code of agent runs. The closed list of codes of the package does not have it. */
const PROVIDER_CODE: string = 'ERR_PROVIDER';

type RetryHeaders = { 'retry-after-ms'?: unknown; 'retry-after'?: unknown };
type ErrorObject = { type?: unknown; code?: unknown; message?: unknown };
/** The members of an error of the AI SDK or of a provider's client that are read here. */
type Failure = {
  name?: unknown;
  type?: unknown;
  code?: unknown;
  cause?: unknown;
  isRetryable?: unknown;
  statusCode?: unknown;
  responseHeaders?: unknown;
  lastError?: unknown;
  error?: ErrorObject;
  response?: { error?: ErrorObject };
};

/** The message of a method that a model does not have, such as `doStream` of a mock of the AI SDK. */
const NOT_IMPLEMENTED = /^(?:(?:method|function) )?not (?:yet )?implemented\b/i;
/** Errors of the program itself: the same call fails again. */
const PROGRAM_ERRORS = [TypeError, ReferenceError, RangeError, SyntaxError];

/** The provider failed to return a turn, after all retries. */
export class ProviderError extends TGPError {
  constructor(message: string, cause: unknown) {
    super(PROVIDER_CODE as TGPErrorCode, message, { cause });
  }
}

/** The stream of a turn ended early. */
export class TruncatedTurn extends Error {}

/** Whether a retry of the request may succeed. A retry is safe, because no call of an incomplete turn is made. */
export function isRetryable(error: unknown) {
  if (error instanceof TruncatedTurn) return true;
  if (error instanceof TGPError) return false;
  const failed = failureOf(error);
  if (typeof failed.isRetryable === 'boolean' && typeof failed.statusCode === 'number') {
    return failed.isRetryable || failed.statusCode >= 500;
  }
  if (typeof failed.name === 'string' && PERMANENT.test(failed.name)) return false;
  if (isProgramError(error) || isNotImplemented(error)) return false;
  return !PERMANENT_TYPES.test(typeOfError(failed));
}

/** Whether a model does not have the requested method. */
export function isNotImplemented(error: unknown) {
  return error instanceof Error && NOT_IMPLEMENTED.test(messageOf(error));
}

/** A failed connection is a TypeError too, with a cause or a code. */
function isProgramError(error: unknown) {
  const { code, cause } = failureOf(error);
  return code === undefined && cause === undefined && PROGRAM_ERRORS.some((kind) => error instanceof kind);
}

/**
 * How long to wait before the next attempt.
 * @param attempt the one that failed, from 1 on
 */
export function waitAfter(error: unknown, attempt: number) {
  const requested = retryAfterMs(headersOf(error));
  if (requested !== undefined) return Math.min(requested, MAX_RETRY_AFTER_MS);
  const longest = Math.min(MAX_WAIT_MS, INITIAL_WAIT_MS * 2 ** (attempt - 1));
  // Jitter, so that clients do not retry at the same moment.
  return Math.round(longest * (0.5 + Math.random() / 2));
}

/** The error message in one line, without keys. */
export function reasonOf(error: unknown) {
  const { statusCode } = failureOf(error);
  const status = typeof statusCode === 'number' ? `${statusCode}: ` : '';
  const text = redactKeys(messageOf(innermost(error)))
    .replace(/\s+/g, ' ')
    .trim();
  const shown = text.length > MAX_REASON_CHARS ? `${text.slice(0, MAX_REASON_CHARS)}…` : text;
  return status + (shown === '' ? 'no reason given' : shown);
}

/** The original error inside wrappers of the SDK. */
function innermost(error: unknown) {
  let at = error;
  for (let depth = 0; depth < MAX_CAUSES && failureOf(at).lastError !== undefined; depth++)
    at = failureOf(at).lastError;
  // Some clients pass the provider's error object on as it is.
  const { error: passedOn, response } = failureOf(at);
  const message = passedOn?.message ?? response?.error?.message;
  return !(at instanceof Error) && typeof message === 'string' ? message : at;
}

function failureOf(error: unknown): Failure {
  return typeof error === 'object' && error !== null ? error : {};
}

function typeOfError({ type, code, error, response }: Failure) {
  const named = [type, code, error?.type, error?.code, response?.error?.code];
  return named.filter((name) => typeof name === 'string').join(' ');
}

function headersOf(error: unknown): RetryHeaders {
  const { responseHeaders } = failureOf(error);
  return typeof responseHeaders === 'object' && responseHeaders !== null ? responseHeaders : {};
}

function retryAfterMs(headers: RetryHeaders) {
  const ms = Number(headers['retry-after-ms']);
  if (headers['retry-after-ms'] !== undefined && ms >= 0) return ms;
  const after = headers['retry-after'];
  if (typeof after !== 'string') return undefined;
  const seconds = Number(after);
  if (after.trim() !== '' && seconds >= 0) return seconds * 1_000;
  const until = Date.parse(after) - Date.now();
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}
