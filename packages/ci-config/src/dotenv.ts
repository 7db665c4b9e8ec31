/** Reads a dotenv report into variables for later jobs. Pure, bounded. */

/** Bytes of a report, and variables in it. */
export interface DotenvLimits {
  readonly bytes: number;
  readonly variables: number;
}

const keyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type DotenvResult =
  | { readonly ok: true; readonly variables: ReadonlyArray<{ key: string; value: string }> }
  | { readonly ok: false; readonly reason: string };

/**
 * `text` is the unpacked report: `KEY=value` in each line, the value as it is written, quotes included. The first bad line
 * refuses the whole of it; so do blank lines and comments, as in the ecosystem.
 */
export function parseDotenv(text: string, limits: DotenvLimits): DotenvResult {
  if (Buffer.byteLength(text) > limits.bytes)
    return { ok: false, reason: `Dotenv Artifact Too Big. Maximum Allowable Size: ${limits.bytes}` };
  const byKey = new Map<string, string>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .replace(/\n$/, '')
    .split('\n')
    .entries()) {
    if (text === '') break;
    const equals = line.indexOf('=');
    if (equals < 0) return { ok: false, reason: `Invalid Format: line ${index + 1} is not KEY=value` };
    const key = line.slice(0, equals).trim();
    if (!keyPattern.test(key)) {
      const wrong = "Validation failed: Key can contain only letters, digits and '_'";
      return { ok: false, reason: `${wrong}: line ${index + 1}` };
    }
    byKey.set(key, line.slice(equals + 1).trim());
    if (byKey.size > limits.variables)
      return { ok: false, reason: `Dotenv files cannot have more than ${limits.variables} variables` };
  }
  return { ok: true, variables: [...byKey].map(([key, value]) => ({ key, value })) };
}
