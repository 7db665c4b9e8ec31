/** The first entry of an archive: what it is, and the project without what belongs to it. */
import Type, { type Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { Raw, RawObject } from '../../../kernel/http/params/nested.ts';
import { validateParameters } from '../../../kernel/http/params/validate.ts';
import { projectAttributeParameters as attributeParameters, settingsJson } from '../../namespaces/index.ts';
import { type Row, record, recordIn, text } from './json.ts';
import { ArchiveError, type TarEntry } from './tar.ts';

const format = 'millrace-project';
/** Of the layout; readers refuse every other. docs/operator/project-archives.md tells it. */
const version = 1;
export const manifestName = 'project.json';
export const bundleName = 'repository.bundle';
export const wikiName = 'wiki.bundle';
/** An object of Git LFS, by its id. */
export const lfsName = (oid: string) => `lfs/${oid}`;
export const lfsOidOf = (name: string): string | null => /^lfs\/([0-9a-f]{64})$/.exec(name)?.[1] ?? null;
export const relationName = (name: string) => `relations/${name}.ndjson`;

const { avatar: _avatar, ...archived } = attributeParameters;
const attributes = Type.Object(archived);
export type ArchivedAttributes = Static<typeof attributes>;
/** For the parameters of imports. */
export const archivedParameters = archived;

export interface Manifest {
  readonly name: string;
  readonly path: string;
  readonly defaultBranch: string | null;
  readonly wikiBranch: string | null;
  readonly attributes: ArchivedAttributes;
}

/** What an archive has not of a kind: the storage has lost it, or it is too large. */
interface Missing {
  readonly count: number;
  readonly bytes: number;
}

export interface ManifestFacts {
  readonly release: string;
  readonly now: Date;
  readonly wikiBranch: string | null;
  readonly missing: Readonly<Record<string, Missing>>;
}

/** The manifest of a project as it is. */
export function manifestOf({ project }: ProjectSubject, facts: ManifestFacts): object {
  const all: Record<string, unknown> = {
    ...settingsJson(project, { member: true, code: true, maintainer: true, admin: false }),
    description: project.description,
    topics: project.topics,
    visibility: project.visibility,
  };
  const missing = Object.entries(facts.missing).filter(([, { count }]) => count > 0);
  const kept = Object.keys(archived).filter((key) => all[key] !== undefined && all[key] !== null);
  return {
    format,
    version,
    release: facts.release,
    exported_at: facts.now.toISOString(),
    name: project.name,
    path: project.path,
    default_branch: project.default_branch,
    ...(facts.wikiBranch === null ? {} : { wiki_branch: facts.wikiBranch }),
    ...(missing.length > 0 ? { missing: Object.fromEntries(missing) } : {}),
    attributes: Object.fromEntries(kept.map((key) => [key, all[key]])),
  };
}

const maximumBytes = 1024 ** 2;

/** All of an entry. */
export async function bytesOf(entry: TarEntry, maximum: number): Promise<Buffer> {
  if (entry.size > maximum) throw new ArchiveError(`${entry.name} is larger than ${maximum} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of entry.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A JSON object of an archive. */
export function parsed(said: string, where: string): RawObject {
  const found = recordIn(said);
  if (found === null) throw new ArchiveError(`${where} is not a JSON object`);
  return found as RawObject;
}

/** Checked like the parameters of a request. */
export function checked(schema: Parameters<typeof validateParameters>[0], raw: RawObject, where: string) {
  try {
    return validateParameters(schema, raw, new Set(Object.keys(raw)));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const { error: reason } = error.body as { error?: string };
    throw new ArchiveError(`${where}: ${reason ?? error.message}`);
  }
}

/** Those of some values that are attributes of projects and have a value that these may have. */
export function keptAttributes(given: Row): ArchivedAttributes {
  const kept: Partial<ArchivedAttributes> = {};
  for (const name of Object.keys(archived)) {
    if (given[name] === undefined) continue;
    try {
      Object.assign(kept, checked(attributes, { [name]: given[name] as Raw }, name));
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
    }
  }
  return kept;
}

/** Reads the first entry of an archive. */
export async function readManifest(entry: TarEntry | undefined): Promise<Manifest> {
  if (entry?.name !== manifestName) throw new ArchiveError('The file is no archive of a project');
  const raw = parsed((await bytesOf(entry, maximumBytes)).toString('utf8'), manifestName);
  if (raw.format !== format) throw new ArchiveError('The file is no archive of a project');
  if (raw.version !== version)
    throw new ArchiveError(
      `The archive has version ${JSON.stringify(raw.version ?? null).slice(0, 20)}; this instance reads version ${version}`,
    );
  return {
    name: text(raw.name) ?? '',
    path: text(raw.path) ?? '',
    defaultBranch: text(raw.default_branch),
    wikiBranch: text(raw.wiki_branch),
    attributes: checked(attributes, record(raw.attributes) as RawObject, manifestName) as ArchivedAttributes,
  };
}
