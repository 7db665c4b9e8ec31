/** Which languages the files of a commit are written in, by their names, weighed by their bytes. */
import * as git from '@millrace/git';
import * as linguist from 'linguist-languages';

interface Language {
  readonly name: string;
  readonly type: string;
  readonly extensions?: readonly string[];
  readonly filenames?: readonly string[];
}

/** Only these are counted: data and prose say nothing about what a project is written in. */
const counted = new Set(['programming', 'markup']);

/** Endings that several languages claim, and what they mostly are. */
const usual: Readonly<Record<string, string>> = {
  '.as': 'ActionScript',
  '.cls': 'Apex',
  '.cs': 'C#',
  '.d': 'D',
  '.ex': 'Elixir',
  '.f': 'Fortran',
  '.fs': 'F#',
  '.h': 'C',
  '.html': 'HTML',
  '.inc': 'PHP',
  '.jsx': 'JavaScript',
  '.l': 'Lex',
  '.json': 'JSON',
  '.lisp': 'Common Lisp',
  '.m': 'Objective-C',
  '.md': 'Markdown',
  '.ml': 'OCaml',
  '.php': 'PHP',
  '.pl': 'Perl',
  '.pm': 'Perl',
  '.pp': 'Puppet',
  '.pro': 'Prolog',
  '.r': 'R',
  '.rs': 'Rust',
  '.s': 'Assembly',
  '.sql': 'PLpgSQL',
  '.t': 'Perl',
  '.ts': 'TypeScript',
  '.tsx': 'TSX',
  '.txt': 'Text',
  '.v': 'Verilog',
  '.vb': 'Visual Basic .NET',
  '.xml': 'XML',
  '.yaml': 'YAML',
  '.yml': 'YAML',
};

/** As people call them: one name for what is one language to them. */
const merged: Readonly<Record<string, string>> = { TSX: 'TypeScript', JSX: 'JavaScript' };

interface Named {
  readonly name: string;
  readonly counts: boolean;
}

function tables(): { byEnding: Map<string, Named>; byName: Map<string, Named> } {
  const byEnding = new Map<string, Named>();
  const byName = new Map<string, Named>();
  const put = (map: Map<string, Named>, key: string, named: Named, first: boolean) => {
    if (first || !map.has(key)) map.set(key, named);
  };
  for (const language of Object.values(linguist as unknown as Record<string, Language>)) {
    if (typeof language !== 'object' || language === null || !Array.isArray(language.extensions)) continue;
    // Also what is not counted: a `.md` is no language of another list.
    const counts = counted.has(language.type);
    const named = { name: merged[language.name] ?? language.name, counts };
    language.extensions.forEach((ending, at) => {
      const key = ending.toLowerCase();
      const known = usual[key];
      if (known === undefined) put(byEnding, key, named, at === 0 && counts);
      else if (known === language.name) byEnding.set(key, named);
    });
    for (const file of language.filenames ?? []) put(byName, file, named, counts);
  }
  return { byEnding, byName };
}
let known: ReturnType<typeof tables> | undefined;

/** What others wrote or a program made. */
const foreign =
  /(^|\/)(node_modules|bower_components|vendor|third[-_]party|Godeps|dist|\.yarn|Pods|Carthage)\/|\.min\.(js|css)$|(^|\/)(package-lock\.json|yarn\.lock|pnpm-lock\.yaml|composer\.lock|go\.sum)$|\.(pb|generated|gen)\.[a-z]+$/;
const documentation = /(^|\/)(docs?|documentation|examples?|samples?)\//i;

function named(path: string): Named | null {
  known ??= tables();
  const file = path.slice(path.lastIndexOf('/') + 1);
  const exact = known.byName.get(file);
  if (exact) return exact;
  // The longest ending that is known: `.html.erb` before `.erb`.
  for (let dot = file.indexOf('.'); dot !== -1; dot = file.indexOf('.', dot + 1)) {
    const found = known.byEnding.get(file.slice(dot).toLowerCase());
    if (found) return found;
  }
  return null;
}

/** The language of a file by its path, whatever it is for; null when the path tells none. */
export const languageNamed = (path: string): string | null => named(path)?.name ?? null;

/** The language of a file by its path; null for what is not counted. */
export function languageOf(path: string): string | null {
  if (foreign.test(path) || documentation.test(path)) return null;
  const found = named(path);
  return found?.counts ? found.name : null;
}

export interface LanguageShare {
  readonly name: string;
  /** Percent, two decimals. */
  readonly share: number;
}

/** Files beyond this are not looked at. */
const maximumFiles = 100_000;

/** Shares of the languages of a commit, largest first. */
export async function languagesOf(repo: git.Repo, commit: git.Sha): Promise<LanguageShare[]> {
  const bytes = new Map<string, number>();
  let files = 0;
  for await (const entry of git.walkTree(repo, commit)) {
    if (entry.type !== 'blob' || entry.mode === '120000') continue;
    files += 1;
    if (files > maximumFiles) break;
    const name = languageOf(entry.path);
    if (name === null) continue;
    const size = (await git.readHeader(repo, entry.id))?.size ?? 0;
    bytes.set(name, (bytes.get(name) ?? 0) + size);
  }
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  if (total === 0) return [];
  return [...bytes]
    .map(([name, size]) => ({ name, share: Math.round((size / total) * 10_000) / 100 }))
    .sort((a, b) => b.share - a.share || a.name.localeCompare(b.name));
}
