/** Undoes git's C-style quoting of unusual path names. */

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** `"a\tb"` becomes the path itself; unquoted text is returned as it is. */
export function unquotePath(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  const bytes: number[] = [];
  const inner = Buffer.from(text.slice(1, -1));
  for (let at = 0; at < inner.length; at += 1) {
    const byte = inner[at] as number;
    if (byte !== 92) {
      bytes.push(byte);
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(inner.toString('latin1', at + 1, at + 4))?.[0];
    if (octal) {
      bytes.push(Number.parseInt(octal, 8));
      at += 3;
    } else {
      at += 1;
      bytes.push(ESCAPES[String.fromCharCode(inner[at] ?? 0)] ?? inner[at] ?? 0);
    }
  }
  return Buffer.from(bytes).toString('utf8');
}
