/** Hides secrets in a byte stream, also when they are cut by a chunk border or encoded. Works on latin1 = bytes. */

export type Masker = {
  /** Bytes that are safe to show now; keeps back what may be the beginning of a secret. */
  push(chunk: Buffer): Buffer;
  /** The rest, at the end of the stream. */
  end(): Buffer;
};

const MASK = '[MASKED]';
// Shorter values turn up by chance inside encoded text.
const ENCODED_FROM = 8;
const TOKEN_CHARACTER = /[A-Za-z0-9_.=-]/;

/** A masker for these values (hidden entirely) and token prefixes (what follows them is hidden). */
export function createMasker(values: Iterable<string>, tokenPrefixes: Iterable<string> = []): Masker {
  const secrets = new Set([...values].flatMap(forms));
  const prefixes = new Set([...tokenPrefixes].filter(Boolean).map(bytes));
  const patterns = [...new Set([...secrets, ...prefixes])].sort((a, b) => b.length - a.length);
  if (patterns.length === 0) return { push: (chunk) => chunk, end: () => Buffer.alloc(0) };
  const longest = patterns[0]!.length;
  const finder = new RegExp(patterns.map(literal).join('|'), 'g');
  const starts = new Map<string, string[]>();
  for (const pattern of patterns) starts.set(pattern[0]!, [...(starts.get(pattern[0]!) ?? []), pattern]);

  let held = '';
  // After a token prefix: characters are dropped until one cannot belong to a token.
  let token: 'no' | 'begins' | 'goes on' = 'no';

  // The first place from which on the text may become a (longer) secret once more text arrives.
  function undecidedFrom(text: string, from: number): number {
    for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
      const rest = text.length - at;
      const candidates = starts.get(text[at]!);
      if (candidates?.some((pattern) => pattern.length > rest && text.endsWith(pattern.slice(0, rest)))) return at;
    }
    return text.length;
  }

  function process(text: string, final: boolean): string {
    let output = '';
    let position = 0;
    const skipToken = () => {
      while (token !== 'no' && position < text.length) {
        if (!TOKEN_CHARACTER.test(text[position]!)) token = 'no';
        else {
          if (token === 'begins') output += MASK;
          token = 'goes on';
          position++;
        }
      }
    };
    skipToken();
    let limit = final ? text.length : undecidedFrom(text, position);
    for (;;) {
      finder.lastIndex = position;
      const match = finder.exec(text);
      if (!match || match.index >= limit) break;
      output += text.slice(position, match.index);
      position = match.index + match[0].length;
      if (secrets.has(match[0])) output += MASK;
      else {
        output += match[0];
        token = 'begins';
        skipToken();
      }
      if (!final && position > limit) limit = undecidedFrom(text, position);
    }
    if (position < limit) output += text.slice(position, limit);
    held = text.slice(Math.max(position, limit));
    return output;
  }

  return {
    push: (chunk) => Buffer.from(process(held + chunk.toString('latin1'), false), 'latin1'),
    end: () => Buffer.from(process(held, true), 'latin1'),
  };
}

/** The spellings in which a value commonly turns up in a log. */
function forms(value: string): string[] {
  if (!value) return [];
  const all = [value];
  // A value of several lines is rarely printed as one piece: long enough lines count as secrets too.
  const lines = value.split(/\r?\n/);
  if (lines.length > 1) all.push(lines.join('\r\n'), ...lines.filter((line) => line.trim().length >= ENCODED_FROM));
  if (value.length >= ENCODED_FROM) {
    const url = encodeURIComponent(value.toWellFormed());
    const strict = url.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
    const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    all.push(url, strict, lower(url), lower(strict), strict.replaceAll('%20', '+'), JSON.stringify(value).slice(1, -1));
    all.push(...base64Forms(Buffer.from(value)));
  }
  return [...new Set(all)].map(bytes);
}

// Inside a longer text the value starts at one of three bit offsets; only the characters that depend on nothing else count.
function base64Forms(value: Buffer): string[] {
  const found = [value.toString('base64'), value.toString('base64url')];
  for (const offset of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(offset), value]);
    const from = Math.ceil((offset * 8) / 6);
    const until = Math.floor((padded.length * 8) / 6);
    const middle = padded.toString('base64').slice(from, until);
    found.push(middle, middle.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return found;
}

function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
