// `console.table`.
(function consoleTable(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { hasOwn, isArray, list, mapForEach, max, objectKeys, push, setForEach } = realm;

  realm.need('inspect');
  const { repeated, widthOf } = realm.inspecting;

  // Larger tables are cut.
  const MAX_ROWS = 1000;
  const MAX_COLUMNS = 100;
  const MANY_MEMBERS = 2;
  const INDEX = '(index)';
  const NUMBER = '(iteration index)';

  /** @param {Guest} value */
  const isObject = (value) => value !== null && (typeof value === 'object' || typeof value === 'function');
  /** @param {Guest} value */
  const shown = (value) => {
    const isList = isArray(value) || native.kindOf(value) === 'TypedArray';
    const isLarge = isObject(value) && !isList && objectKeys(value).length > MANY_MEMBERS;
    const options = { __proto__: null, depth: isLarge ? -1 : 0, maxArrayLength: 3, breakLength: Infinity };
    return realm.inspectWith(value, options);
  };

  /** @param {string} text @param {number} width */
  const cell = (text, width) => ` ${text}${repeated(' ', width - widthOf(text))} `;

  // A list of rows of one length, the heads first.
  /** @param {List<List<string>>} rows */
  const draw = (rows) => {
    const widths = list();
    for (let i = 0; i < rows[0].length; i++) {
      let width = 0;
      for (let j = 0; j < rows.length; j++) width = max(width, widthOf(rows[j][i]));
      push(widths, width);
    }
    /** @param {string} left @param {string} middle @param {string} right */
    const rule = (left, middle, right) => {
      let out = left;
      for (let i = 0; i < widths.length; i++) out += (i === 0 ? '' : middle) + repeated('─', widths[i] + 2);
      return out + right;
    };
    let out = rule('┌', '┬', '┐');
    for (let j = 0; j < rows.length; j++) {
      out += '\n│';
      for (let i = 0; i < widths.length; i++) out += `${i === 0 ? '' : '│'}${cell(rows[j][i], widths[i])}`;
      out += '│';
      if (j === 0) out += `\n${rule('├', '┼', '┤')}`;
    }
    return `${out}\n${rule('└', '┴', '┘')}`;
  };

  /** @param {string} one @param {string} other @param {string} [third] */
  const newRow = (one, other, third) => {
    const row = list();
    push(row, one);
    push(row, other);
    if (third !== undefined) push(row, third);
    return row;
  };

  /** @param {Guest} data @param {string} kind */
  const collectionRows = (data, kind) => {
    const rows = list();
    push(rows, kind === 'Map' ? newRow(NUMBER, 'Key', 'Values') : newRow(NUMBER, 'Values'));
    /** @param {Guest} item @param {Guest} key */
    const add = (item, key) => {
      const number = `${rows.length - 1}`;
      if (rows.length > MAX_ROWS) return;
      push(rows, kind === 'Map' ? newRow(number, shown(key), shown(item)) : newRow(number, shown(item)));
    };
    if (kind === 'Map') mapForEach(data, add);
    else setForEach(data, (item) => add(item, item));
    return rows;
  };

  // The names of the columns: those of the call, or the members of the rows.
  /** @param {Guest} data @param {string[]} keys @param {Guest} wanted */
  const columnsOf = (data, keys, wanted) => {
    /** @type {Table<any>} */
    const columns = { __proto__: null };
    let count = 0;
    /** @param {Guest} name */
    const add = (name) => {
      if (columns[name] === true || count >= MAX_COLUMNS) return;
      columns[name] = true;
      count += 1;
    };
    if (wanted !== undefined) for (let i = 0; i < wanted.length; i++) add(wanted[i]);
    for (let i = 0; i < keys.length && i < MAX_ROWS && wanted === undefined; i++) {
      const row = data[keys[i]];
      const names = isObject(row) ? objectKeys(row) : undefined;
      if (names !== undefined) for (let j = 0; j < names.length && j < MAX_COLUMNS; j++) add(names[j]);
    }
    return objectKeys(columns);
  };

  /** @param {Guest} data @param {Guest} wanted */
  const objectRows = (data, wanted) => {
    const keys = objectKeys(data);
    const columns = columnsOf(data, keys, wanted);
    let hasValues = false;
    for (let i = 0; i < keys.length && wanted === undefined; i++) if (!isObject(data[keys[i]])) hasValues = true;
    const rows = list();
    const heads = list();
    push(heads, INDEX);
    for (let i = 0; i < columns.length; i++) push(heads, columns[i]);
    if (hasValues) push(heads, 'Values');
    push(rows, heads);
    for (let i = 0; i < keys.length && i < MAX_ROWS; i++) {
      const value = data[keys[i]];
      const row = list();
      push(row, keys[i]);
      for (let j = 0; j < columns.length; j++)
        push(row, isObject(value) && hasOwn(value, columns[j]) ? shown(value[columns[j]]) : '');
      if (hasValues) push(row, isObject(value) ? '' : shown(value));
      push(rows, row);
    }
    return rows;
  };

  // The table, or undefined if the value is not an object.
  realm.tableText = (data, wanted) => {
    if (data === null || typeof data !== 'object') return undefined;
    if (wanted !== undefined && !isArray(wanted))
      throw new realm.TypeError('The columns of console.table must be an array');
    const kind = native.kindOf(data);
    return draw(kind === 'Map' || kind === 'Set' ? collectionRows(data, kind) : objectRows(data, wanted));
  };
});
