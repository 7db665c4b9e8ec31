/** The text of a file with conflict markers as its sections, and the text after somebody has chosen. Pure. */

export interface SameSection {
  readonly kind: 'same';
  readonly lines: readonly string[];
}
export interface ConflictSection {
  readonly kind: 'conflict';
  readonly source: readonly string[];
  readonly target: readonly string[];
}
export type Section = SameSection | ConflictSection;

/** `both`: the source branch first. */
export type Choice = 'source' | 'target' | 'both';

/** The source branch stands first between the markers. */
export function conflictSections(content: string): Section[] {
  const sections: Section[] = [];
  let same: string[] = [];
  let open: { source: string[]; target: string[]; side: 'source' | 'target' } | null = null;
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  for (const line of lines) {
    if (open === null && line.startsWith('<<<<<<< ')) {
      if (same.length > 0) sections.push({ kind: 'same', lines: same });
      same = [];
      open = { source: [], target: [], side: 'source' };
    } else if (open?.side === 'source' && line === '=======') open.side = 'target';
    else if (open?.side === 'target' && line.startsWith('>>>>>>> ')) {
      sections.push({ kind: 'conflict', source: open.source, target: open.target });
      open = null;
    } else if (open) open[open.side].push(line);
    else same.push(line);
  }
  if (same.length > 0) sections.push({ kind: 'same', lines: same });
  return sections;
}

/** Null while a section is not decided. `choices` are those of the conflicting sections, in their order. */
export function resolvedText(sections: readonly Section[], choices: readonly (Choice | undefined)[]): string | null {
  const lines: string[] = [];
  let at = 0;
  for (const section of sections) {
    if (section.kind === 'same') {
      lines.push(...section.lines);
      continue;
    }
    const choice = choices[at++];
    if (choice === undefined) return null;
    if (choice !== 'target') lines.push(...section.source);
    if (choice !== 'source') lines.push(...section.target);
  }
  return lines.map((line) => `${line}\n`).join('');
}
