/**
 * The result of one check of `tgp doctor`.
 * @typedef {'ok' | 'warning' | 'problem'} Status
 * @typedef {{ status: Status, detail: string, remedy?: string }} Finding
 */

/** @type {(detail: string) => Finding} */
export function ok(detail) {
  return { status: 'ok', detail };
}

/** @type {(detail: string, remedy: string) => Finding} */
export function warning(detail, remedy) {
  return { status: 'warning', detail, remedy };
}

/** @type {(detail: string, remedy: string) => Finding} */
export function problem(detail, remedy) {
  return { status: 'problem', detail, remedy };
}
