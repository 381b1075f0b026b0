/** Functions for rows of objects: group, join, sort, reshape. Inputs are never modified. */

export type Row = Record<string, unknown>;
type Key = string | number | boolean | null | undefined;
type Pick<T> = keyof T | ((row: T) => Key);

const picker = <T extends Row>(by: Pick<T>): ((row: T) => Key) =>
  typeof by === 'function' ? by : (row) => row[by] as Key;

/** Groups rows by a key, in order of first occurrence. */
export function groupBy<T extends Row>(rows: readonly T[], by: Pick<T>): Map<Key, T[]> {
  const keyOf = picker(by);
  const groups = new Map<Key, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/** Aggregates rows: one row per key, with the value of each aggregate. */
export function summarise<T extends Row, A extends Record<string, (rows: T[]) => unknown>>(
  rows: readonly T[],
  by: keyof T & string,
  aggregates: A,
): (Row & { [Name in keyof A]: ReturnType<A[Name]> })[] {
  return [...groupBy(rows, by)].map(([key, group]) => {
    const values = Object.entries(aggregates).map(([name, aggregate]) => [name, aggregate(group)]);
    return { [by]: key, ...Object.fromEntries(values) };
  });
}

/** Sorts rows by a key (stable). Numbers sort numerically, text by code point. */
export function sortBy<T extends Row>(
  rows: readonly T[],
  by: Pick<T>,
  order: 'ascending' | 'descending' = 'ascending',
): T[] {
  const keyOf = picker(by);
  const sign = order === 'ascending' ? 1 : -1;
  return [...rows].sort((left, right) => {
    const [a, b] = [keyOf(left), keyOf(right)];
    if (a === b) return 0;
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    return a < b ? -sign : sign;
  });
}

/** The first row of each key. */
export function uniqueBy<T extends Row>(rows: readonly T[], by: Pick<T>): T[] {
  return [...groupBy(rows, by).values()].map((group) => group[0] as T);
}

/** Merges every pair of rows with the same key; the right row wins on common columns. `left` also keeps unmatched left rows. */
export function join<L extends Row, R extends Row>(
  left: readonly L[],
  right: readonly R[],
  on: keyof L & keyof R & string,
  kind: 'inner' | 'left' = 'inner',
): (L & Partial<R>)[] {
  const matches = groupBy(right, on);
  return left.flatMap((row): (L & Partial<R>)[] => {
    const found = matches.get(row[on] as Key) ?? [];
    if (found.length === 0) return kind === 'left' ? [{ ...row } as L & Partial<R>] : [];
    return found.map((match) => ({ ...row, ...match }));
  });
}

/** A pivot table: one row per `row` key, one column per `column` key, with sums of `value`. */
export function pivot<T extends Row>(
  rows: readonly T[],
  row: keyof T & string,
  column: keyof T & string,
  value: keyof T & string,
): Row[] {
  return [...groupBy(rows, row)].map(([key, group]) => {
    const cells: Row = { [row]: key };
    for (const item of group) {
      const name = String(item[column]);
      cells[name] = Number(cells[name] ?? 0) + Number(item[value]);
    }
    return cells;
  });
}
