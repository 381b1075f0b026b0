/** The result of one check of `tgp doctor`. */
type Status = 'ok' | 'warning' | 'problem';
export type Finding = { status: Status; detail: string; remedy?: string };

/** A check that passed. */
export function ok(detail: string): Finding {
  return { status: 'ok', detail };
}

/** A check that found a limitation. */
export function warning(detail: string, remedy: string): Finding {
  return { status: 'warning', detail, remedy };
}

/** A check that found an error. */
export function problem(detail: string, remedy: string): Finding {
  return { status: 'problem', detail, remedy };
}
