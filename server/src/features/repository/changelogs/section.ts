/** The section of a version, and where it goes in a changelog. Pure. */
import { compareVersions, formatDate, type Version, versionOf } from './versions.ts';

export interface Section {
  readonly version: string;
  readonly heading: string;
  readonly body: string;
}

/** A section: its heading, and what the template made of its entries. */
export function sectionOf(version: string, date: Date, dateFormat: string, body: string): Section {
  const tidy = body.trim().replaceAll(/\n{3,}/g, '\n\n');
  return { version, heading: `## ${version} (${formatDate(dateFormat, date)})`, body: tidy };
}

export const sectionText = ({ heading, body }: Section): string => `${heading}\n\n${body}\n`;

interface Heading {
  readonly version: Version;
  readonly start: number;
  readonly end: number;
}

function headingsOf(text: string): Heading[] {
  const found: Heading[] = [];
  for (const match of text.matchAll(/^##[ \t]+([^\s(]+)[^\n]*(?:\n|$)/gm)) {
    const version = versionOf(match[1] ?? '');
    if (version) found.push({ version, start: match.index, end: match.index + match[0].length });
  }
  return found;
}

/** The changelog with the section: before the first older one, or in the section of the same version. */
export function withSection(text: string, section: Section): string {
  const version = versionOf(section.version);
  const written = sectionText(section);
  const headings = version === null ? [] : headingsOf(text);
  const same = headings.find((each) => version && compareVersions(each.version, version) === 0);
  if (same) return `${text.slice(0, same.end)}\n${section.body}\n${text.slice(same.end)}`;
  const older = headings.find((each) => version && compareVersions(each.version, version) < 0);
  if (older) return `${text.slice(0, older.start)}${written}\n${text.slice(older.start)}`;
  if (headings.length > 0) return `${text.replace(/\n*$/, '\n')}\n${written}`;
  return text === '' ? written : `${written}\n${text}`;
}
