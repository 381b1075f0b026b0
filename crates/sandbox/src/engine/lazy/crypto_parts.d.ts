/** Internal values of `crypto.subtle`. */

interface Curve extends Internal {
  readonly bytes: number;
  readonly hash: string;
  readonly alg: string;
  readonly p: bigint;
  readonly b: bigint;
  readonly algorithm: string;
  readonly before: string;
  readonly between: string;
}
/** An algorithm with its parameters. */
interface KeyKind extends Internal {
  readonly name: string;
  hash: string | undefined;
  curve: string | undefined;
  /** All parameters of a signature. */
  scheme: string;
  spki: Bytes | undefined;
  rsa: boolean;
}
interface KeyFacts extends Internal {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: object;
  readonly usages: List<string>;
}
interface KeySecrets extends Partial<KeyKind> {
  readonly name: string;
  readonly hash: string | undefined;
  readonly bytes: Bytes;
}
interface KeyState extends KeySecrets {
  readonly type: string;
  readonly extractable: boolean;
  readonly usages: List<string>;
  readonly scheme: string;
  readonly spki: Bytes;
}
interface DerContent extends Internal {
  readonly from: number;
  readonly to: number;
}

interface KeyFunctions extends Internal {
  isOnCurve(point: Bytes, curve: Curve): boolean;
  sameBytes(one: Bytes, other: Bytes): boolean;
  newKey(facts: KeyFacts, secrets: KeySecrets): object;
  secretsOf(value: Guest): KeyState | undefined;
  bytesFrom(binary: string): Bytes;
  bytesFromHex(hex: string): Bytes;
  toBase64Url(bytes: Bytes): string;
  fromBase64Url(value: Guest): Bytes;
  join(...parts: Bytes[]): Bytes;
  der(tagByte: number, content: Bytes): Bytes;
  derContent(bytes: Bytes, at: number, tagByte: number): DerContent;
  derInteger(bytes: Bytes): Bytes;
  fromSpki(bytes: Bytes, algorithm: Bytes): Bytes;
  toSpki(key: Bytes, algorithm: Bytes): Bytes;
  refuse(message: string): never;
}

interface Algorithms extends Internal {
  readonly BLOCK_BYTES: Table<number>;
  readonly CURVES: Table<Curve>;
  readonly HASH_BYTES: Table<number>;
  readonly USAGES: string[];
  contains(items: ArrayLike<string>, wanted: Guest): boolean;
  dataOf(value: Guest): Bytes;
  hashOf(value: Guest): string;
  kindOf(algorithm: Guest): KeyKind;
  nameOf(algorithm: Guest): string;
  needUsages(usages: List<string>): List<string>;
  only(usages: List<string>, name: string): List<string>;
  unsupported(what: string): never;
  usagesOf(value: Guest, allowed: string[]): List<string>;
}

interface KeyImport extends Internal {
  hmacKey(hash: string, bytes: Bytes, extractable: boolean, usages: List<string>, length?: number): object;
  importHmac(format: string, data: Guest, algorithm: Guest, extractable: boolean, usages: Guest): object;
  importJwk(kind: KeyKind, jwk: Guest, extractable: boolean, usages: Guest): object;
  privateKey(kind: KeyKind, pkcs8: Bytes, extractable: boolean, usages: List<string>, named?: Bytes): object;
  publicKey(kind: KeyKind, bytes: Bytes, extractable: boolean, usages: List<string>): object;
}
