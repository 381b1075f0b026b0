/** Types of the scripts that show values as Node does. */

/** The state of one call of `inspect`: its options, and what it has seen. */
interface Inspection extends Internal {
  showHidden: boolean;
  depth: number | null;
  colors: boolean;
  customInspect: boolean;
  showProxy: boolean;
  maxArrayLength: number;
  maxStringLength: number;
  breakLength: number;
  compact: number | boolean;
  sorted: Guest;
  getters: boolean | 'get' | 'set';
  numericSeparator: boolean;
  stylize(text: string, kind: string): string;
  /** Characters of an object, after which no more is added. */
  most: number;
  /** Options that `inspect` does not know. */
  user: Guest;
  /** The objects that are open, and those that hold themselves. */
  seen: List<Guest>;
  circular: List<Guest>;
  /** Characters by indentation. */
  budget: { [indent: number]: number } & Internal;
  indent: number;
  /** The level of the object that was opened last. */
  deepest: number;
}

/** What stands around the parts of an object; the parts of a list may be put in columns. */
interface InspectedShape extends Internal {
  base: string;
  open: string;
  close: string;
  isList: boolean;
}

/** An object while its text is made. */
interface Inspected extends Internal {
  readonly value: Guest;
  readonly kind: string | undefined;
  readonly name: string | null;
  readonly tag: string;
  readonly level: number;
  keys: List<string | symbol>;
  readonly inherited: List<string>;
  readonly shape: InspectedShape;
  readonly isInTypedArray: boolean;
  /** The whole text, if nothing is to be added. */
  done: string | undefined;
}

interface InspectParts extends Internal {
  // inspect_text.js
  bigintText(value: bigint, isGrouped: boolean): string;
  endsWith(text: string, end: string): boolean;
  indented(text: string, width: number): string;
  keyText(ctx: Inspection, key: string | symbol): string;
  linesOf(text: string): List<string>;
  numberText(value: number, isGrouped: boolean): string;
  primitiveText(ctx: Inspection, value: Guest): string;
  repeated(text: string, count: number): string;
  widthOf(text: string): number;
  withoutColors(text: string): string;
  // inspect_layout.js
  layOut(ctx: Inspection, parts: List<string>, shape: InspectedShape, level: number, array: Guest): string;
  // inspect_names.js
  className(ctx: Inspection, value: Guest, level: number, inherited: List<string> | undefined): string | null;
  functionName(ctx: Inspection, value: Guest, name: string | null, tag: string): string;
  isOfLanguage(name: Guest): boolean;
  plainPrefix(value: Guest, name: string | null, tag: string): string;
  prefixOf(name: string | null, tag: string, fallback: string, size?: string): string;
  // inspect_error.js
  errorParts(
    ctx: Inspection,
    error: Guest,
    name: string | null,
    tag: string,
    keys: List<string | symbol>,
  ): { text: string; members: List<string | symbol> };
  // inspect_entries.js
  arrayParts(ctx: Inspection, array: Guest, level: number): List<string>;
  builtInText(ctx: Inspection, key: string, value: Guest, level: number, isInTypedArray: boolean): string;
  heldParts(ctx: Inspection, value: Guest, kind: string | undefined, level: number): List<string>;
  memberText(ctx: Inspection, holder: Guest, level: number, key: PropertyKey, isElement: boolean, self?: Guest): string;
  typedParts(ctx: Inspection, array: Guest): List<string>;
  // inspect_value.js
  isTooDeep(ctx: Inspection, level: number): boolean;
  sortParts(parts: List<string>, from: number, order: Guest): void;
  valueText(ctx: Inspection, value: Guest, level: number, isInTypedArray?: boolean): string;
  // inspect_web.js
  webText(ctx: Inspection, value: Guest, level: number): string | undefined;
  // inspect_format.js
  optionsOf(ctx: Inspection): object;
}
