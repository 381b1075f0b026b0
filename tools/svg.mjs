/** Small SVG charts with light and dark colours. */

const WIDTH = 760;
const LABELS = 290;
const RIGHT = 90;
const ROW = 26;
const HEAD = 66;
const FOOT = 58;
const PLOT_HEIGHT = 260;
const LETTER = 6.6;
/**
 * The colours of data on a light and on a dark background, distinguishable for colour-blind readers. Class `f0` fills with the first
 * one, `l0` draws a line with it.
 */
const HUES = {
  light: ['#2563eb', '#d97706', '#059669', '#db2777', '#7c3aed', '#64748b', '#0891b2', '#b91c1c', '#a16207', '#9a3412'],
  dark: ['#60a5fa', '#fbbf24', '#34d399', '#f472b6', '#a78bfa', '#94a3b8', '#22d3ee', '#f87171', '#fde047', '#fb923c'],
};
/** The hues by name. */
export const HUE = { blue: 0, amber: 1, green: 2, pink: 3, violet: 4, grey: 5, cyan: 6, red: 7, yellow: 8, brown: 9 };
const NEUTRAL = {
  light: { ink: '#1f2937', muted: '#6b7280', axis: '#9ca3af', grid: '#e5e7eb', paper: '#ffffff' },
  dark: { ink: '#e5e7eb', muted: '#9ca3af', axis: '#6b7280', grid: '#374151', paper: '#0d1117' },
};

/** @param {'light' | 'dark'} mode */
function rules(mode) {
  const { ink, muted, axis, grid, paper } = NEUTRAL[mode];
  const neutral = `text{fill:${ink}}.small{fill:${muted}}.axis{stroke:${axis}}.grid{stroke:${grid}}.paper{fill:${paper}}`;
  return neutral + HUES[mode].map((hue, at) => `.f${at}{fill:${hue}}.l${at}{stroke:${hue}}`).join('');
}

/** The palette of every picture of the project: styles that follow the reader's light or dark mode. */
export const PALETTE = `${rules('light')}@media(prefers-color-scheme:dark){${rules('dark')}}`;

const STYLE = `${PALETTE}text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif}.title{font-size:15px;font-weight:600}.small{font-size:11px}.strong{font-weight:600}`;
/** Patterns of lines, so that one that covers another does not hide it. */
const DASHES = ['', '7 4', '2 3', '12 4 2 4', '4 2', '1 4', '16 4', '6 2 1 2'];

/** @param {string | number} text */
const escaped = (text) =>
  String(text).replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

/** @param {number} x @param {number} y @param {string | number} text */
function label(x, y, text, { anchor = 'start', kind = '' } = {}) {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${kind && ` class="${kind}"`}>${escaped(text)}</text>`;
}

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} kind */
const line = (x1, y1, x2, y2, kind) =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" class="${kind}"/>`;

/** @param {number} height @param {{ title: string, about: string, source: string }} words @param {string[]} parts */
function picture(height, { title, about, source }, parts) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="6"/>`,
    label(16, 24, title, { kind: 'title' }),
    label(16, 42, about, { kind: 'small' }),
    ...parts,
    label(16, height - 12, source, { kind: 'small' }),
    '</svg>',
    '',
  ].join('\n');
}

/**
 * Round numbers for an axis.
 * @param {number} low @param {number} high @param {'linear' | 'log'} scale
 * @returns {number[]}
 */
export function ticks(low, high, scale) {
  if (scale === 'log') {
    const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
    return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
  }
  const rough = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((times) => times * power >= rough) ?? 10) * power;
  const first = Math.floor(low / step);
  return Array.from({ length: Math.ceil(high / step) - first + 1 }, (_, at) => (first + at) * step);
}

/** @param {number[]} marks @param {'linear' | 'log'} scale @param {number} from @param {number} to */
function placed(marks, scale, from, to) {
  const of = (/** @type {number} */ value) => (scale === 'log' ? Math.log10(value) : value);
  const [low, high] = [of(marks[0] ?? 0), of(marks.at(-1) ?? 1)];
  return (/** @type {number} */ value) => from + ((of(value) - low) / (high - low || 1)) * (to - from);
}

/** @param {number} value */
export const short = (value) =>
  Math.abs(value) >= 1000 ? `${Number((value / 1000).toPrecision(3))}k` : String(Number(value.toPrecision(3)));

/**
 * A dot for each row on a logarithmic axis, with the confidence interval of the median.
 * @param {{ title: string, about: string, source: string, unit: string, rows: { name: string, value: number, low: number, high: number, ours?: boolean }[] }} chart
 */
export function dotChart({ unit, rows, ...words }) {
  const marks = ticks(Math.min(...rows.map(({ low }) => low)), Math.max(...rows.map(({ high }) => high)), 'log');
  const x = placed(marks, 'log', LABELS, WIDTH - RIGHT);
  const bottom = HEAD + rows.length * ROW;
  const parts = marks.flatMap((mark) => [
    line(x(mark), HEAD, x(mark), bottom, 'grid'),
    label(x(mark), bottom + 16, `${short(mark)} ${unit}`, { anchor: 'middle', kind: 'small' }),
  ]);
  for (const [at, { name, value, low, high, ours }] of rows.entries()) {
    const y = HEAD + at * ROW + ROW / 2;
    const hue = ours ? HUE.blue : HUE.grey;
    parts.push(
      label(LABELS - 12, y + 4, name, { anchor: 'end', kind: ours ? 'strong' : '' }),
      `<line x1="${x(low).toFixed(1)}" y1="${y}" x2="${x(high).toFixed(1)}" y2="${y}" class="l${hue}" stroke-width="3" stroke-opacity="0.45"/>`,
      `<circle cx="${x(value).toFixed(1)}" cy="${y}" r="5" class="f${hue}"/>`,
      label(x(value) + 11, y + 4, short(value), { kind: 'small' }),
    );
  }
  return picture(bottom + FOOT, words, parts);
}

/**
 * A stacked bar for each row.
 * @param {{ title: string, about: string, source: string, rows: { name: string, parts: Record<string, number>, ours?: boolean, caption?: string }[], hues: Record<string, number> }} chart
 */
export function stackChart({ rows, hues, ...words }) {
  const kinds = Object.keys(hues).filter((kind) => rows.some(({ parts }) => (parts[kind] ?? 0) > 0));
  const total = Math.max(...rows.map(({ parts }) => Object.values(parts).reduce((sum, count) => sum + count, 0)));
  const wide = (/** @type {number} */ count) => (count / total) * (WIDTH - RIGHT - LABELS);
  const parts = [];
  for (const [at, row] of rows.entries()) {
    const y = HEAD + at * ROW;
    parts.push(label(LABELS - 12, y + 17, row.name, { anchor: 'end', kind: row.ours ? 'strong' : '' }));
    let x = LABELS;
    for (const kind of kinds) {
      const count = row.parts[kind] ?? 0;
      if (count === 0) continue;
      parts.push(
        `<rect x="${x.toFixed(1)}" y="${y + 4}" width="${Math.max(1, wide(count) - 1).toFixed(1)}" height="${ROW - 8}" class="f${hues[kind]}"><title>${escaped(kind)}: ${count}</title></rect>`,
      );
      x += wide(count);
    }
    parts.push(label(x + 8, y + 17, row.caption ?? '', { kind: 'small' }));
  }
  const bottom = HEAD + rows.length * ROW;
  const named = legend(
    kinds.map((name) => ({ name, hue: hues[name] ?? 0 })),
    bottom + 24,
  );
  return picture(bottom + FOOT + named.more, words, [...parts, ...named.parts]);
}

const LEGEND_LINE = 18;

/**
 * The names of the data, wrapped into lines: squares, or the patterns of lines.
 * @param {{ name: string, hue: number, dash?: string }[]} entries
 * @param {number} y of the first line
 * @returns {{ parts: string[], more: number }} `more`: the height of the lines after the first
 */
function legend(entries, y) {
  let x = 16;
  let down = 0;
  const parts = entries.flatMap(({ name, hue, dash }) => {
    const sample = dash === undefined ? 10 : 26;
    const wide = sample + 16 + name.length * LETTER;
    if (x > 16 && x + wide > WIDTH) {
      x = 16;
      down += LEGEND_LINE;
    }
    const at = x;
    x += wide;
    const mark =
      dash === undefined
        ? `<rect x="${at.toFixed(1)}" y="${y + down - 9}" width="${sample}" height="10" rx="2" class="f${hue}"/>`
        : `<path d="M${at.toFixed(1)} ${y + down - 4}h${sample}" class="l${hue}" stroke-width="2"${dashed(dash)}/>`;
    return [mark, label(at + sample + 5, y + down, name, { kind: 'small' })];
  });
  return { parts, more: down };
}

/** @param {number} at */
const dashOf = (at) => DASHES[at % DASHES.length] ?? '';

/** @param {string} dash */
const dashed = (dash) => (dash === '' ? '' : ` stroke-dasharray="${dash}"`);

/**
 * Curves.
 * @param {{ title: string, about: string, source: string, x: Axis, y: Axis, series: Record<string, [number, number][]> }} chart
 * @typedef {{ name: string, scale?: 'linear' | 'log', from?: number, names?: string[] }} Axis `names`: of the places 0, 1, 2 …
 */
export function lineChart({ x: across, y: up, series, ...words }) {
  const names = Object.keys(series);
  const points = Object.values(series).flat();
  const [xs, ys] = [points.map(([value]) => value), points.map(([, value]) => value)];
  const range = (/** @type {number[]} */ values, /** @type {Axis} */ axis) =>
    axis.names === undefined
      ? ticks(axis.from ?? Math.min(...values), Math.max(...values), axis.scale ?? 'linear')
      : [-0.5, axis.names.length - 0.5];
  const [xMarks, yMarks] = [range(xs, across), range(ys, up)];
  const [left, right, bottom] = [70, WIDTH - 30, HEAD + PLOT_HEIGHT];
  const x = placed(xMarks, across.scale ?? 'linear', left, right);
  const y = placed(yMarks, up.scale ?? 'linear', bottom, HEAD + 6);
  const parts = [
    ...yMarks.flatMap((mark) => [
      line(left, y(mark), right, y(mark), 'grid'),
      label(left - 8, y(mark) + 4, short(mark), { anchor: 'end', kind: 'small' }),
    ]),
    ...(
      across.names?.map((name, at) => /** @type {const} */ ([at, name])) ?? xMarks.map((mark) => [mark, short(mark)])
    ).map(([at, name]) => label(x(Number(at)), bottom + 16, name ?? '', { anchor: 'middle', kind: 'small' })),
    line(left, bottom, right, bottom, 'axis'),
    label(right, bottom + 32, across.name, { anchor: 'end', kind: 'small' }),
    label(16, HEAD - 2, up.name, { kind: 'small' }),
  ];
  for (const [at, values] of Object.values(series).entries()) {
    const hue = at % HUES.light.length;
    const sorted = [...values].sort((one, other) => one[0] - other[0]);
    const path = sorted.map(([px, py], step) => `${step === 0 ? 'M' : 'L'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`);
    parts.push(
      `<path d="${path.join('')}" fill="none" class="l${hue}" stroke-width="2" stroke-linejoin="round"${dashed(dashOf(at))}/>`,
    );
    // Many points form a line without markers.
    if (sorted.length <= 20) {
      parts.push(
        ...sorted.map(
          ([px, py]) => `<circle cx="${x(px).toFixed(1)}" cy="${y(py).toFixed(1)}" r="3.2" class="f${hue}"/>`,
        ),
      );
    }
  }
  const entries = names.map((name, at) => ({ name, hue: at % HUES.light.length, dash: dashOf(at) }));
  const named = legend(entries, bottom + 52);
  return picture(bottom + 84 + named.more, words, [...parts, ...named.parts]);
}
