/** What a client asks an SSH session to run: a pure reading of the one line that it sends. Nothing of it reaches a shell. */
import type { GitProgram } from '../git/transports.ts';

const gitPrograms: readonly GitProgram[] = ['git-upload-pack', 'git-receive-pack', 'git-upload-archive'];

export type SshCommand =
  | { readonly kind: 'git'; readonly program: GitProgram; readonly path: string }
  | { readonly kind: 'lfs'; readonly path: string; readonly operation: 'download' | 'upload' }
  | { readonly kind: 'discover' }
  | { readonly kind: 'recovery-codes' }
  | { readonly kind: 'verify' }
  | {
      readonly kind: 'token';
      readonly name: string;
      readonly scopes: readonly string[];
      /** Days that it lives; null when not told. */
      readonly days: number | null;
    }
  /** What is wrong with it. */
  | { readonly kind: 'invalid'; readonly text: string };

const longestCommand = 8192;

/**
 * The words of a command line, with the quotes of POSIX shells and nothing else of them. Null when a quote is open.
 */
export function words(line: string): string[] | null {
  const found: string[] = [];
  let word: string | null = null;
  let quote: "'" | '"' | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] as string;
    if (quote === "'") {
      if (char === "'") quote = null;
      else word += char;
    } else if (char === '\\') {
      const next: string | undefined = line[at + 1];
      if (next === undefined) return null;
      // In double quotes a backslash means something before these alone.
      word = (word ?? '') + (quote === '"' && !/["\\$`]/.test(next) ? `\\${next}` : next);
      at += 1;
    } else if (quote === '"') {
      if (char === '"') quote = null;
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= '';
    } else if (/[ \t\r\n]/.test(char)) {
      if (word !== null) found.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== null) return null;
  if (word !== null) found.push(word);
  return found;
}

/** `group/project`, or `group.wiki`, of a path as clients write it: with or without `/` or `~/` in front and `.git` behind. Null: no path. */
export function projectPath(text: string): string | null {
  const bare = text
    .replace(/^\/?~?\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  const segments = bare.split('/');
  const fits = (segment: string) => segment !== '' && ![...segment].some((char) => char < ' ' || char === '\x7f');
  return (segments.length > 1 || /.\.wiki$/.test(bare)) && segments.every(fits) ? bare : null;
}

const invalid = (text: string): SshCommand => ({ kind: 'invalid', text });
const noPath = invalid('The project you were looking for could not be found or you do not have permission to view it.');
const tokenUsage = invalid('Usage: personal_access_token NAME SCOPE[,SCOPE...] [DAYS]');
const lfsUsage = invalid('Usage: git-lfs-authenticate PATH download|upload');

function token(given: readonly string[]): SshCommand {
  const [name = '', scopes = '', days, ...more] = given;
  const list = scopes.split(',').filter((scope) => scope !== '');
  if (name === '' || list.length === 0 || more.length > 0) return tokenUsage;
  if (days !== undefined && !/^\d{1,5}$/.test(days)) return invalid(`The days are no number: ${JSON.stringify(days)}`);
  return { kind: 'token', name, scopes: list, days: days === undefined ? null : Number(days) };
}

/** Reads a command. Every text gives an answer. */
export function parseCommand(line: string): SshCommand {
  if (line.length > longestCommand || line.includes('\0')) return invalid('The command is not valid.');
  const [first = '', ...rest] = words(line) ?? [];
  // `git upload-pack` and `git-upload-pack` are the same to git.
  const split = first === 'git' && rest.length > 0;
  const name = split ? `git-${rest[0]}` : first;
  const given = split ? rest.slice(1) : rest;
  const program = gitPrograms.find((each) => each === name);
  if (program) {
    const path = given.length === 1 ? projectPath(given[0] ?? '') : null;
    return path === null ? noPath : { kind: 'git', program, path };
  }
  switch (name) {
    case 'git-lfs-authenticate': {
      const [where = '', operation, ...more] = given;
      if ((operation !== 'download' && operation !== 'upload') || more.length > 1) return lfsUsage;
      const path = projectPath(where);
      return path === null ? noPath : { kind: 'lfs', path, operation };
    }
    case 'discover':
      return { kind: 'discover' };
    case '2fa_recovery_codes':
      return { kind: 'recovery-codes' };
    case '2fa_verify':
      return { kind: 'verify' };
    case 'personal_access_token':
      return token(given);
    default:
      return invalid('This command is not available here: there is no shell, only git.');
  }
}
