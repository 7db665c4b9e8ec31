/** Spec coverage: rows of docs/spec/requirements.tsv, their sub-keys, and which of them passed tests name. See docs/spec/README.md. */

export type Row = { id: string; section: string; text: string; kind: 'fact' | 'open'; keys: string[] };
export type Citation = { id: string; keys: string[] };
export type RowCoverage = { row: Row; cited: boolean; missing: string[]; covered: boolean };
export type SectionCoverage = { section: string; rows: RowCoverage[] };
export type Coverage = { sections: SectionCoverage[]; unknown: string[] };

const statusCodes = new Set(
  '200 201 202 204 206 301 302 304 400 401 403 404 405 409 412 413 415 422 429 500 502 503'.split(' '),
);
const literals = new Set(['true', 'false', 'null']);
const route = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD) \S/;

/** Splits at a separator that stands outside of brackets, parentheses, braces and quotes. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  for (const character of text) {
    if (quote) quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if ('([{<'.includes(character)) depth += 1;
    else if (')]}>'.includes(character)) depth -= 1;
    if (character === separator && depth === 0 && !quote) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part].map((item) => item.trim()).filter(Boolean);
}

/** Names of an object shape, those of nested shapes included: `{a, b: {c: string}}` has a, b and c. */
function shapeKeys(shape: string): string[] {
  const inner = shape.slice(shape.indexOf('{') + 1, shape.lastIndexOf('}'));
  return splitOutside(inner, ',').flatMap((member) => {
    const [name = '', ...value] = splitOutside(member, ':');
    const nested = value.join(':');
    const bare = name.replace(/^['"]|['"]$/g, '');
    const own = /^[\w[\]-]+$/.test(bare) ? [bare] : [];
    return nested.includes('{') ? [...own, ...shapeKeys(nested)] : own;
  });
}

/** Sub-keys of one backticked token. */
function tokenKeys(token: string): string[] {
  const text = token.replace(/\s+/g, ' ').trim();
  if (text.includes('{') && text.includes('}') && !route.test(text)) return shapeKeys(text);
  const header = /^([A-Z][A-Za-z-]+): \S/.exec(text)?.[1];
  if (header) return [header];
  if (/^[a-z_]+(?:, [a-z_]+)+$/.test(text)) return text.split(', ');
  if (/^\[[A-Z]\]$/.test(text) || literals.has(text) || text.startsWith(':')) return [];
  return [text];
}

function tableCells(text: string): string[] | undefined {
  return /^\|.*\|$/.test(text)
    ? text
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim())
    : undefined;
}

/** The sub-keys of a row; none when the row names only one thing, because its id then says enough. */
export function subKeys(text: string): string[] {
  const names = (tableCells(text)?.[0] ?? '')
    .replace(/`[^`]*`/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^[a-z_][\w]*(\[\w*\])*$/.test(name));
  const tokens = [...text.matchAll(/`([^`]+)`/g)].flatMap((match) => tokenKeys(match[1] ?? ''));
  // One route names the row itself; several in one row are told apart by sub-keys.
  const single = tokens.filter((token) => route.test(token)).length === 1;
  const prose = text.replace(/`[^`]*`/g, ' ');
  const codes = [...prose.matchAll(/(?<![\w.])\d{3}(?![\w.]\w)/g)]
    .map(([code]) => code)
    .filter((code) => statusCodes.has(code));
  const keys = new Set([...names, ...tokens.filter((token) => !(single && route.test(token))), ...codes]);
  return keys.size > 1 ? [...keys] : [];
}

/** Parses requirements.tsv: id, text and kind by tab; headings are left out. */
export function parseRequirements(tsv: string): Row[] {
  return tsv
    .split('\n')
    .map((line) => line.split('\t'))
    .flatMap(([id, text, kind]) => {
      if (!id || text === undefined || (kind !== 'fact' && kind !== 'open')) return [];
      return [{ id, section: id.slice(0, id.lastIndexOf('/')), text, kind, keys: subKeys(text) }];
    });
}

/**
 * Ids in a test's title: `[2/api.commits/5]`, `[2/api.commits/2 start_sha, force]`; a key may itself hold brackets, and
 * stands in quotes when it has a comma of its own: `[2/api.issues/12 'title,description']`.
 */
export function citations(title: string): Citation[] {
  const pattern = /\[([123]\/[a-z0-9.-]+\/\d+)(?: ((?:[^[\]]|\[[^[\]]*\])+))?\]/g;
  return [...title.matchAll(pattern)].map(([, id = '', keys = '']) => ({
    id,
    keys: splitOutside(keys, ',').map((key) => /^(['"])(.*,.*)\1$/.exec(key)?.[2] ?? key),
  }));
}

/** What the titles of passed tests prove. `unknown` lists cited ids and sub-keys that the specification does not have. */
export function coverage(rows: readonly Row[], passedTitles: Iterable<string>): Coverage {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const touched = new Map<string, Set<string>>();
  const unknown = new Set<string>();
  for (const title of passedTitles) {
    for (const { id, keys } of citations(title)) {
      const row = byId.get(id);
      if (!row) {
        unknown.add(id);
        continue;
      }
      const seen = touched.get(id) ?? new Set();
      touched.set(id, seen);
      for (const key of keys) {
        if (row.keys.includes(key)) seen.add(key);
        // A row without sub-keys may be cited with the one thing that it names.
        else if (row.keys.length > 0 || !row.text.includes(key)) unknown.add(`${id} ${key}`);
      }
    }
  }
  const sections = new Map<string, RowCoverage[]>();
  for (const row of rows) {
    const seen = touched.get(row.id);
    const missing = row.keys.filter((key) => !seen?.has(key));
    const list = sections.get(row.section) ?? [];
    list.push({ row, cited: seen !== undefined, missing, covered: seen !== undefined && missing.length === 0 });
    sections.set(row.section, list);
  }
  return {
    sections: [...sections].map(([section, list]) => ({ section, rows: list })),
    unknown: [...unknown].sort(),
  };
}
