/** The result of one check of `tgp doctor`. */
type Status = 'ok' | 'warning' | 'problem';
export type Finding = { status: Status; detail: string; remedy?: string };

export function ok(detail: string): Finding {
  return { status: 'ok', detail };
}

export function warning(detail: string, remedy: string): Finding {
  return { status: 'warning', detail, remedy };
}

export function problem(detail: string, remedy: string): Finding {
  return { status: 'problem', detail, remedy };
}
