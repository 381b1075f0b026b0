// The layout of what an object holds: on one line, in columns, or on a line for each.
(function inspectLayout(/** @type {Realm} */ realm) {
  const { floor, indexOf, list, max, min, push } = realm;
  const { repeated, widthOf, withoutColors } = realm.inspecting;

  // Between two entries: a comma and a space.
  const GAP = 2;
  const MAX_COLUMNS = 15;
  const SHORT_ENTRY = 6;
  const LEAST_GROUPED = 6;
  const MARGIN = 10;

  /** @param {List<string>} parts @param {string} glue */
  const joined = (parts, glue) => {
    let out = '';
    for (let i = 0; i < parts.length; i++) out += (i === 0 ? '' : glue) + parts[i];
    return out;
  };
  /** @param {string} text */
  const isBroken = (text) => indexOf(text, '\n') >= 0;

  /** @param {Guest} array @param {number} count */
  const isNumeric = (array, count) => {
    if (array === undefined) return true;
    for (let i = 0; i < count; i++) {
      const type = typeof realm.ownValue(array, i);
      if (type !== 'number' && type !== 'bigint') return false;
    }
    return true;
  };

  // Node's formula: about a square, if a character is 2.5 times as high as wide; short entries get more columns.
  /** @param {Inspection} ctx @param {number} cell @param {number} bias @param {number} count */
  const columnsOf = (ctx, cell, bias, count) => {
    const width = max(cell - 3 - bias, 1);
    const square = floor((2.5 * width * count) ** 0.5 / width + 0.5);
    const fitting = floor((ctx.breakLength - ctx.indent) / cell);
    return min(min(square, fitting), min(/** @type {number} */ (ctx.compact) * 4, MAX_COLUMNS));
  };

  // Numbers are aligned at the right, other entries at the left. `rest` of the entries is a note that is not aligned.
  /** @param {Inspection} ctx @param {List<string>} parts @param {Guest} array */
  const grouped = (ctx, parts, array) => {
    const hasNote = ctx.maxArrayLength < parts.length;
    const count = hasNote ? parts.length - 1 : parts.length;
    const widths = list();
    let total = 0;
    let widest = 0;
    for (let i = 0; i < count; i++) {
      const width = widthOf(parts[i]);
      push(widths, width);
      total += width + GAP;
      widest = max(widest, width);
    }
    const cell = widest + GAP;
    if (cell * 3 + ctx.indent >= ctx.breakLength || (total / cell <= 5 && widest > SHORT_ENTRY)) return parts;
    const columns = columnsOf(ctx, cell, (cell - total / parts.length) ** 0.5, count);
    if (columns <= 1) return parts;
    const columnWidths = list();
    for (let i = 0; i < columns; i++) {
      let width = 0;
      for (let j = i; j < count; j += columns) width = max(width, widths[j]);
      push(columnWidths, width + GAP);
    }
    const isRight = isNumeric(array, parts.length);
    const rows = list();
    for (let i = 0; i < count; i += columns) {
      const end = min(i + columns, count);
      let row = '';
      for (let j = i; j < end; j++) {
        const isLast = j === end - 1;
        const space = repeated(' ', columnWidths[j - i] - GAP - widths[j]);
        const cellText = isLast ? parts[j] : `${parts[j]}, `;
        row += isRight ? space + cellText : cellText + (isLast ? '' : space);
      }
      push(rows, row);
    }
    if (hasNote) push(rows, parts[count]);
    return rows;
  };

  /** @param {Inspection} ctx @param {List<string>} parts @param {number} start @param {string} base */
  const fits = (ctx, parts, start, base) => {
    if (isBroken(base)) return false;
    if (ctx.breakLength === Infinity) {
      for (let i = 0; i < parts.length; i++) if (isBroken(parts[i])) return false;
      return true;
    }
    let length = parts.length + start;
    if (length + parts.length > ctx.breakLength) return false;
    for (let i = 0; i < parts.length; i++) {
      length += (ctx.colors ? withoutColors(parts[i]) : parts[i]).length;
      if (length > ctx.breakLength) return false;
    }
    return true;
  };

  // The text of an object: `base`, and its parts in the brackets `open` and `close`. The innermost `compact` levels are put on one
  // line if they fit.
  /** @type {InspectParts['layOut']} */
  const layOut = (ctx, given, { base, open, close, isList }, level, array) => {
    let parts = given;
    const space = repeated(' ', ctx.indent);
    if (ctx.compact === true) {
      const middle = base === '' ? '' : ` ${base}`;
      if (fits(ctx, parts, 0, base)) return `${open}${middle} ${joined(parts, ', ')} ${close}`;
      const first = base === '' && open.length === 1 ? ' ' : `${middle}\n${space}  `;
      return `${open}${first}${joined(parts, `,\n${space}  `)} ${close}`;
    }
    const before = base === '' ? '' : `${base} `;
    if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
      const count = parts.length;
      if (isList && count > LEAST_GROUPED) parts = grouped(ctx, parts, array);
      if (ctx.deepest - level < ctx.compact && count === parts.length) {
        const start = parts.length + ctx.indent + open.length + base.length + MARGIN;
        if (fits(ctx, parts, start, base)) {
          const line = joined(parts, ', ');
          if (!isBroken(line)) return `${before}${open} ${line} ${close}`;
        }
      }
    }
    return `${before}${open}\n${space}  ${joined(parts, `,\n${space}  `)}\n${space}${close}`;
  };

  realm.inspecting = { __proto__: null, ...realm.inspecting, layOut };
});
