// `console.table`.
(function consoleTable(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { hasOwn, isArray, list, mapForEach, objectKeys, push, setForEach, textOf } = realm;

  // Larger tables are cut.
  const MAX_ROWS = 1000;
  const MAX_COLUMNS = 100;

  /** @param {Guest} value */
  const isObject = (value) => value !== null && (typeof value === 'object' || typeof value === 'function');
  /** @param {Guest} value */
  const shown = (value) => (typeof value === 'string' ? `'${value}'` : textOf(value));

  /** @param {Guest} data @param {string | undefined} kind */
  const rowsOf = (data, kind) => {
    const rows = list();
    /** @param {string} index @param {Guest} value */
    const add = (index, value) => {
      if (rows.length < MAX_ROWS) push(rows, { __proto__: null, index, value });
    };
    if (kind === 'Map') mapForEach(data, (value, key) => add(shown(key), value));
    else if (kind === 'Set') setForEach(data, (value) => add(`${rows.length}`, value));
    else {
      const keys = objectKeys(data);
      for (let i = 0; i < keys.length && i < MAX_ROWS; i++) add(keys[i], data[keys[i]]);
    }
    return rows;
  };

  /** @param {List<{ index: string; value: Guest }>} rows @param {Guest} wanted */
  const columnsOf = (rows, wanted) => {
    const columns = list();
    /** @type {Table<any>} */
    const seen = { __proto__: null };
    /** @param {string} name */
    const add = (name) => {
      if (seen[name] === true || columns.length >= MAX_COLUMNS) return;
      seen[name] = true;
      push(columns, name);
    };
    if (wanted !== undefined) {
      for (let i = 0; i < wanted.length; i++) add(`${wanted[i]}`);
      return columns;
    }
    for (let i = 0; i < rows.length; i++) {
      if (!isObject(rows[i].value)) continue;
      const keys = objectKeys(rows[i].value);
      for (let j = 0; j < keys.length && j < MAX_COLUMNS; j++) add(keys[j]);
    }
    return columns;
  };

  /** @param {string} text @param {number} count */
  const repeat = (text, count) => {
    let out = '';
    for (let i = 0; i < count; i++) out += text;
    return out;
  };
  /** @param {string} text @param {number} width */
  const centred = (text, width) => {
    const left = realm.floor((width - text.length) / 2);
    return repeat(' ', left) + text + repeat(' ', width - text.length - left);
  };

  /** @param {List<List<string>>} table */
  const draw = (table) => {
    const widths = list();
    for (let i = 0; i < table[0].length; i++) {
      let width = 0;
      for (let j = 0; j < table.length; j++) if (table[j][i].length > width) width = table[j][i].length;
      push(widths, width + 2);
    }
    /** @param {string} left @param {string} middle @param {string} right */
    const rule = (left, middle, right) => {
      let out = left;
      for (let i = 0; i < widths.length; i++) out += (i === 0 ? '' : middle) + repeat('─', widths[i]);
      return out + right;
    };
    let out = rule('┌', '┬', '┐');
    for (let j = 0; j < table.length; j++) {
      out += '\n│';
      for (let i = 0; i < widths.length; i++) out += `${i === 0 ? '' : '│'}${centred(table[j][i], widths[i])}`;
      out += '│';
      if (j === 0) out += `\n${rule('├', '┼', '┤')}`;
    }
    return `${out}\n${rule('└', '┴', '┘')}`;
  };

  // The table, or undefined if the value is not an object.
  realm.tableText = (data, wanted) => {
    if (!isObject(data)) return undefined;
    if (wanted !== undefined && !isArray(wanted))
      throw new realm.TypeError('The columns of console.table must be an array');
    const kind = native.classOf(data);
    const rows = rowsOf(data, kind);
    const columns = columnsOf(rows, wanted);
    let hasValues = false;
    for (let i = 0; i < rows.length; i++) if (!isObject(rows[i].value)) hasValues = true;
    const table = list();
    const head = list();
    push(head, kind === 'Map' || kind === 'Set' ? '(iteration index)' : '(index)');
    for (let i = 0; i < columns.length; i++) push(head, columns[i]);
    if (hasValues) push(head, 'Values');
    push(table, head);
    for (let i = 0; i < rows.length; i++) {
      const { index, value } = rows[i];
      const cells = list();
      push(cells, index);
      for (let j = 0; j < columns.length; j++) {
        const has = isObject(value) && hasOwn(value, columns[j]);
        push(cells, has ? shown(value[columns[j]]) : '');
      }
      if (hasValues) push(cells, isObject(value) ? '' : shown(value));
      push(table, cells);
    }
    return draw(table);
  };
});
