/** Text functions: slugs, graphemes, words, templates, distances. */

/** A slug for URLs and file names: `'Größe & Maß'` → `'grosse-mass'`. */
export function slugify(text: string): string {
  return text
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** The grapheme clusters of a text: an emoji of several code points is one. */
export function characters(text: string): string[] {
  return [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment);
}

/** The words of a text, without punctuation. */
export function words(text: string, locale = 'en'): string[] {
  const segments = new Intl.Segmenter(locale, { granularity: 'word' }).segment(text);
  return [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
}

/** Truncates a text to a maximum number of graphemes, with an ellipsis. */
export function truncate(text: string, length: number): string {
  const all = characters(text);
  return all.length <= length
    ? text
    : `${all
        .slice(0, Math.max(length - 1, 0))
        .join('')
        .trimEnd()}…`;
}

/** Replaces `{name}` by values; throws for a missing value. */
export function fill(template: string, values: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new ReferenceError(`The template needs a value for {${name}}`);
    return String(values[name]);
  });
}

/** Removes the common indentation, and an empty first and last line. */
export function dedent(text: string): string {
  const lines = text.replace(/^[ \t]*\n|\n[ \t]*$/g, '').split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const shared = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line) => line.slice(shared)).join('\n');
}

/** The edit distance of two texts. */
export function distance(left: string, right: string): number {
  const [a, b] = [characters(left), characters(right)];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(changed, (previous[j] as number) + 1, (current[j - 1] as number) + 1));
    }
    previous = current;
  }
  return previous[b.length] as number;
}

/** 1 for equal texts, 0 for texts with nothing in common. */
export function similarity(left: string, right: string): number {
  const longest = Math.max(characters(left).length, characters(right).length);
  return longest === 0 ? 1 : 1 - distance(left, right) / longest;
}
