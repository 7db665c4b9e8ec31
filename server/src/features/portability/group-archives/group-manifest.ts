/** The first entries of an archive of a group: what it is, the group itself, and those below it. */
import Type, { type Static } from 'typebox';
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { Raw, RawObject } from '../../../kernel/http/params/nested.ts';
import { Int, Str } from '../../../kernel/http/params/schema.ts';
import { groupAttributeParameters, groupAttributes } from '../../namespaces/index.ts';
import { record, text } from '../project-archives/json.ts';
import { bytesOf, checked, parsed } from '../project-archives/manifest.ts';
import { ArchiveError, type TarEntry } from '../project-archives/tar.ts';

const format = 'millrace-group';
/** Of the layout; readers refuse every other. docs/operator/group-archives.md tells it. */
const version = 1;
export const groupManifestName = 'group.json';
/** Groups below the first one: a line each, those above before those below. */
export const groupListName = 'groups.ndjson';

/** What belongs to one of the groups, which are numbered from 1. */
export const partName = (number: number, part: string): string => `groups/${number}/${part}`;
export function partOf(name: string): { readonly number: number; readonly part: string } | null {
  const [, number, part] = /^groups\/([1-9]\d{0,6})\/(.+)$/.exec(name) ?? [];
  return number && part ? { number: Number(number), part } : null;
}

/** Means something on this instance only, follows from another one, or is a file of its own. */
const left = new Set([
  'avatar',
  'custom_project_templates_group_id',
  'default_branch_protection',
  'emails_disabled',
  'extra_shared_runners_minutes_limit',
  'file_template_project_id',
  'ip_restriction_ranges',
  'max_artifacts_size',
  'repository_size_limit',
  'shared_runners_minutes_limit',
  'unique_project_download_limit_alertlist',
]);
const names = (Object.keys(groupAttributeParameters) as (keyof typeof groupAttributes)[]).filter(
  (name) => !left.has(name),
);
const attributes = Type.Object(Object.fromEntries(names.map((name) => [name, groupAttributeParameters[name]])));
export type ArchivedGroupAttributes = Partial<Omit<Static<Type.TObject<typeof groupAttributeParameters>>, 'avatar'>>;

const attributesOf = (group: Namespace): object =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = group[groupAttributes[name].stored];
      return value === null || value === undefined ? [] : [[name, value]];
    }),
  );

/** Those of some values that are attributes of groups and have a value that these may have. */
function keptAttributes(given: object): ArchivedGroupAttributes {
  const kept: ArchivedGroupAttributes = {};
  for (const [name, value] of Object.entries(given)) {
    if (!(name in attributes.properties)) continue;
    try {
      Object.assign(kept, checked(attributes, { [name]: value as Raw }, name));
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
    }
  }
  return kept;
}

export const groupManifestOf = (group: Namespace, { release, now }: { release: string; now: Date }): object => ({
  ...{ format, version, release },
  exported_at: now.toISOString(),
  ...{ name: group.name, path: group.path },
  attributes: attributesOf(group),
});

/** Reads the first entry of an archive. */
export async function readGroupManifest(entry: TarEntry | undefined): Promise<ArchivedGroupAttributes> {
  if (entry?.name !== groupManifestName) throw new ArchiveError('The file is no archive of a group');
  const raw = parsed((await bytesOf(entry, 1024 ** 2)).toString('utf8'), groupManifestName);
  if (raw.format !== format) throw new ArchiveError('The file is no archive of a group');
  if (raw.version !== version)
    throw new ArchiveError(
      `The archive has version ${JSON.stringify(raw.version ?? null).slice(0, 20)}; this instance reads version ${version}`,
    );
  return keptAttributes(record(raw.attributes));
}

const groupLine = Type.Object({
  number: Int({ minimum: 2, maximum: 1_000_000 }),
  parent: Int({ minimum: 1, maximum: 1_000_000 }),
  name: Str({ minLength: 1, maxLength: 255 }),
  path: Str({ minLength: 1, maxLength: 255 }),
});
export type GroupLine = Static<typeof groupLine> & { readonly attributes: ArchivedGroupAttributes };

export const groupLineOf = (group: Namespace, number: number, parent: number): object => ({
  ...{ number, parent, name: group.name, path: group.path },
  attributes: attributesOf(group),
});

export function readGroupLine(line: string, where: string): GroupLine {
  const { attributes: given, ...raw } = parsed(line, where);
  const row = checked(groupLine, raw as RawObject, where) as Static<typeof groupLine>;
  return { ...row, path: text(row.path) ?? '', attributes: keptAttributes(record(given)) };
}
