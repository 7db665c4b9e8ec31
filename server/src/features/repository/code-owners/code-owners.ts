/** The file CODEOWNERS: who owns which files. Pure: text in, owners out. */
import { type Glob, matchesGlob, readGlob } from './globs.ts';

/** Where the file may be, the first that exists counts. */
export const codeOwnersPaths = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const;

/** An owner as the file names them: a user or group, a group below another, a role of the project, an address. */
export type Owner =
  | { readonly kind: 'name' | 'group' | 'email'; readonly text: string }
  | { readonly kind: 'role'; readonly text: string; readonly level: number };

interface OwnerEntry {
  readonly pattern: string;
  readonly glob: Glob;
  /** Nobody of the section owns what it matches. */
  readonly exclusion: boolean;
  readonly owners: readonly Owner[];
  readonly line: number;
}

interface OwnerSection {
  readonly name: string;
  /** Whether a merge request does without approval; that is so where every heading of the name says so. */
  optional: boolean;
  /** Of its owners, so many have to approve. */
  approvals: number;
  readonly entries: OwnerEntry[];
}

export interface CodeOwners {
  readonly sections: readonly Readonly<OwnerSection>[];
  /** Lines that say nothing, and why. */
  readonly problems: ReadonlyArray<{ readonly line: number; readonly reason: string }>;
}

/** The owners of a file by one section. */
export interface Ownership {
  readonly section: string;
  readonly optional: boolean;
  readonly approvals: number;
  readonly pattern: string;
  readonly owners: readonly Owner[];
}

/** Of what stands before the first heading. */
const unnamed = 'codeowners';

const roles: Readonly<Record<string, number>> = { developer: 30, maintainer: 40, owner: 50 };

function ownerOf(word: string): Owner | null {
  if (word.startsWith('@@')) {
    const level = roles[word.slice(2).toLowerCase().replace(/s$/, '')];
    return level === undefined ? null : { kind: 'role', text: word, level };
  }
  if (/^@[\w.-]+$/.test(word)) return { kind: 'name', text: word.slice(1) };
  if (/^@[\w.-]+(\/[\w.-]+)+$/.test(word)) return { kind: 'group', text: word.slice(1) };
  return /^[^\s@]+@[^\s@]+$/.test(word) ? { kind: 'email', text: word } : null;
}

const ownersIn = (text: string): Owner[] => text.split(/\s+/).flatMap((word) => ownerOf(word) ?? []);

const heading = /^(\^)?\[([^\]]+)\](?:\[(\d{1,9})\])?(\s.*)?$/;
/** A pattern ends at the first blank that no backslash is before. */
const entry = /^((?:\\.|[^\s\\])+)(.*)$/;

export function parseCodeOwners(text: string): CodeOwners {
  const sections = new Map<string, OwnerSection>();
  const problems: Array<{ line: number; reason: string }> = [];
  const sectionOf = (name: string, optional: boolean): OwnerSection => {
    const known = sections.get(name.toLowerCase());
    if (known) return known;
    const made: OwnerSection = { name, optional, approvals: 1, entries: [] };
    sections.set(name.toLowerCase(), made);
    return made;
  };
  let current: OwnerSection | null = null;
  let defaults: readonly Owner[] = [];
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const [, caret, name, approvals, owners = ''] = heading.exec(line) ?? [];
    if (name !== undefined && name.trim() !== '') {
      const optional = caret !== undefined;
      current = sectionOf(name.trim(), optional);
      current.optional &&= optional;
      current.approvals = Math.max(current.approvals, Number(approvals ?? 1));
      defaults = ownersIn(owners);
      continue;
    }
    const exclusion = line.startsWith('!');
    const [, pattern, rest = ''] = entry.exec(exclusion ? line.slice(1).trimStart() : line) ?? [];
    if (pattern === undefined) {
      problems.push({ line: at + 1, reason: 'no path' });
      continue;
    }
    const named = ownersIn(rest);
    if (!exclusion && named.length === 0 && defaults.length === 0) problems.push({ line: at + 1, reason: 'no owner' });
    current ??= sectionOf(unnamed, false);
    current.entries.push({
      pattern,
      glob: readGlob(pattern),
      exclusion,
      owners: exclusion ? [] : named.length > 0 ? named : defaults,
      line: at + 1,
    });
  }
  return { sections: [...sections.values()], problems };
}

/** Who owns a file: of each section the last pattern that matches, unless the section leaves the file out. */
export function ownersOf({ sections }: CodeOwners, path: string): Ownership[] {
  return sections.flatMap(({ name, optional, approvals, entries }) => {
    const matching = entries.filter(({ glob }) => matchesGlob(glob, path));
    const last = matching.at(-1);
    if (!last || last.owners.length === 0 || matching.some(({ exclusion }) => exclusion)) return [];
    return [{ section: name, optional, approvals, pattern: last.pattern, owners: last.owners }];
  });
}

/** As the file names them. */
export const ownerText = ({ kind, text }: Owner): string => (kind === 'name' || kind === 'group' ? `@${text}` : text);
