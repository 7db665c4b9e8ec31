/** Reads a dotenv report into variables for later jobs. Pure, bounded. */

/** Bytes of one report. */
export const maxDotenvBytes = 5 * 1024;
/** Variables of one report. */
export const maxDotenvVariables = 150;

const keyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type DotenvResult =
  | { readonly ok: true; readonly variables: ReadonlyArray<{ key: string; value: string }> }
  | { readonly ok: false; readonly reason: string };

const unquote = (text: string): string => {
  const quote = text[0];
  return text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote) ? text.slice(1, -1) : text;
};

/** `text` is the unpacked report. The first bad line refuses the whole of it. */
export function parseDotenv(text: string): DotenvResult {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxDotenvBytes)
    return { ok: false, reason: `Dotenv report too large: ${bytes} bytes, max_dotenv_bytes is ${maxDotenvBytes}` };
  const byKey = new Map<string, string>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const equals = line.indexOf('=');
    if (equals < 0) return { ok: false, reason: `Invalid format: line ${index + 1} has no equals sign` };
    const key = line.slice(0, equals).trim();
    if (!keyPattern.test(key)) return { ok: false, reason: `Validation failed: line ${index + 1}: key is invalid` };
    byKey.set(key, unquote(line.slice(equals + 1).trim()));
    if (byKey.size > maxDotenvVariables)
      return { ok: false, reason: `Dotenv report has more variables than max_dotenv_variables ${maxDotenvVariables}` };
  }
  return { ok: true, variables: [...byKey].map(([key, value]) => ({ key, value })) };
}
