/** Comma-separated values (RFC 4180). */

export type CsvOptions = {
  /** One character. Default: `,` */
  delimiter?: string;
};

/** Parses CSV into rows of cells. Quoted cells may contain delimiters, doubled quotes and line breaks; empty lines are skipped. */
export function parseRows(text: string, { delimiter = ',' }: CsvOptions = {}): string[][] {
  if (delimiter.length !== 1) throw new TypeError('The CSV delimiter must be one character');
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || cell !== '') rows.push(row);
    row = [];
    cell = '';
  };
  for (let i = 0; i < source.length; i++) {
    const character = source[i];
    if (quoted) {
      if (character !== '"') cell += character;
      else if (source[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (character === '"' && cell === '') quoted = true;
    else if (character === delimiter) {
      row.push(cell);
      cell = '';
    } else if (character === '\n') endRow();
    else if (character === '\r' && source[i + 1] === '\n') {
      endRow();
      i++;
    } else cell += character;
  }
  if (quoted) throw new SyntaxError('The CSV ends inside a quoted cell');
  endRow();
  return rows;
}

/** Parses CSV into one object per line, with keys from the first line. Missing cells are empty strings; extra cells are an error. */
export function parse(text: string, options?: CsvOptions): Record<string, string>[] {
  const [names, ...rows] = parseRows(text, options);
  if (names === undefined) return [];
  return rows.map((row, index) => {
    if (row.length > names.length) {
      throw new SyntaxError(`Line ${index + 2} of the CSV has ${row.length} cells for ${names.length} names`);
    }
    return Object.fromEntries(names.map((name, column) => [name, row[column] ?? '']));
  });
}

function quote(value: unknown, delimiter: string): string {
  const cell = value === null || value === undefined ? '' : value instanceof Date ? value.toISOString() : String(value);
  return /["\r\n]/.test(cell) || cell.includes(delimiter) || cell.trim() !== cell
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;
}

/** Formats objects as CSV with a header line. The columns are the keys of all objects, in order of first use. */
export function stringify(rows: readonly Record<string, unknown>[], { delimiter = ',' }: CsvOptions = {}): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => names.map((name) => quote(row[name], delimiter)).join(delimiter));
  return [names.map((name) => quote(name, delimiter)).join(delimiter), ...lines].join('\r\n');
}
