/** Exact amounts of money in whole minor units (cents). */

export type Money = { readonly minor: bigint; readonly currency: string };

/** Number of decimal places: 2 for EUR, 0 for JPY, 3 for KWD. */
export function digitsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** An amount from minor units, or from text such as `'12.34'`. Numbers are not accepted because they are not exact. */
export function money(amount: bigint | string, currency: string): Money {
  const code = currency.toUpperCase();
  const digits = digitsOf(code);
  if (typeof amount === 'bigint') return { minor: amount, currency: code };
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount.trim());
  if (!match) throw new TypeError(`"${amount}" is not an amount; write it as 12.34`);
  const [, sign, whole = '0', fraction = ''] = match;
  if (fraction.length > digits)
    throw new RangeError(`${code} has ${digits} digits after the point, not ${fraction.length}`);
  const minor = BigInt(whole + fraction.padEnd(digits, '0'));
  return { minor: sign === '-' ? -minor : minor, currency: code };
}

function sameCurrency(left: Money, right: Money): void {
  if (left.currency !== right.currency) throw new TypeError(`${left.currency} and ${right.currency} cannot be added`);
}

export function add(left: Money, right: Money): Money {
  sameCurrency(left, right);
  return { minor: left.minor + right.minor, currency: left.currency };
}

export function subtract(left: Money, right: Money): Money {
  sameCurrency(left, right);
  return { minor: left.minor - right.minor, currency: left.currency };
}

export function sum(amounts: readonly Money[], currency: string): Money {
  return amounts.reduce(add, money(0n, currency));
}

/** Multiplies by a factor such as a tax rate, rounding half away from zero to whole minor units. */
export function multiply(amount: Money, factor: number | string): Money {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(factor));
  if (!match) throw new TypeError(`"${factor}" is not a factor; write it as 0.19`);
  const [, sign, whole = '0', fraction = ''] = match;
  const scale = 10n ** BigInt(fraction.length);
  const product = amount.minor * BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const half = scale / 2n;
  const rounded = product < 0n ? -((-product + half) / scale) : (product + half) / scale;
  return { minor: rounded, currency: amount.currency };
}

/** Splits an amount by weights. The parts always add up to the amount. */
export function allocate(amount: Money, weights: readonly number[]): Money[] {
  const total = weights.reduce((left, right) => left + right, 0);
  if (!(total > 0) || weights.some((weight) => weight < 0 || !Number.isInteger(weight))) {
    throw new RangeError('Weights must be non-negative integers, and not all zero');
  }
  const parts = weights.map((weight) => (amount.minor * BigInt(weight)) / BigInt(total));
  let rest = amount.minor - parts.reduce((left, right) => left + right, 0n);
  const step = rest < 0n ? -1n : 1n;
  for (let i = 0; rest !== 0n; i = (i + 1) % parts.length) {
    if (weights[i] === 0) continue;
    parts[i] = (parts[i] as bigint) + step;
    rest -= step;
  }
  return parts.map((minor) => ({ minor, currency: amount.currency }));
}

/** Plain decimal text, such as `'-12.30'`. */
export function toText({ minor, currency }: Money): string {
  const digits = digitsOf(currency);
  const sign = minor < 0n ? '-' : '';
  const text = String(minor < 0n ? -minor : minor).padStart(digits + 1, '0');
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Formats an amount for a locale, such as `'1.234,50 €'`. */
export function format(amount: Money, locale = 'en-US'): string {
  const formatter = new Intl.NumberFormat(locale, { style: 'currency', currency: amount.currency });
  return formatter.format(toText(amount) as unknown as number);
}
