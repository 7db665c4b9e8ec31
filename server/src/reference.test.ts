/**
 * Our entities against the response shapes of the existing ecosystem, where those are at hand: MILLRACE_REFERENCE names
 * their folder, else they are looked for beside the checkout. They are no part of it, so that the test has nothing to
 * compare without them.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type OpenApi, resolved, type Schema } from '../test/openapi.ts';
import { openApi } from './described.ts';

const checkout = path.join(import.meta.dirname, '../..');
const reference = [
  process.env.MILLRACE_REFERENCE,
  path.join(checkout, '../shared/reference/schemas'),
  path.join(checkout, '../../shared/reference/schemas'),
].find((folder) => folder !== undefined && existsSync(folder));

/** Their file below `public_api/v4`, and our schema for the same thing. */
const pairs: readonly (readonly [theirs: string, ours: string])[] = [
  ['branch', 'Branch'],
  ['commit/basic', 'Commit'],
  ['commit/detail', 'CommitDetail'],
  ['commit_stats', 'CommitStats'],
  ['tag', 'Tag'],
  ['release/release_for_guest', 'TagRelease'],
  ['job', 'Job'],
  ['pipeline/basic', 'PipelineBasic'],
  ['pipeline/detail', 'Pipeline'],
  ['project', 'Project'],
  ['project/identity', 'Project'],
  ['user/basic', 'UserReference'],
  ['user/public', 'UserAccount'],
  ['user/admin', 'UserForAdmin'],
  ['members', 'Member'],
  ['merge_request', 'MergeRequest'],
  ['merge_request_simple', 'MergeRequest'],
  ['runner', 'Runner'],
  ['runner_manager', 'RunnerManager'],
  ['metadata', 'Metadata'],
];

/** Differences that are meant, each with its reason; what the specification says comes first. */
const profile = 'document 1, extended user: each a string or null';
const neverSeen = 'document 3, runners: null until a machine has used the runner';
const withoutCode = 'left out of the ecosystem’s own entity too for those who may not read the code';
const meant: Readonly<Record<string, string>> = {
  'Project.default_branch is not always there': withoutCode,
  'Project.readme_url is not always there': withoutCode,
  'Project.forks_count is not always there': withoutCode,
  'TagRelease.name is not there': 'document 2, tags: a release in a tag is its tag name and description',
  'TagRelease.released_at is not there': 'document 2, tags: a release in a tag is its tag name and description',
  'TagRelease.description may be null': 'a release may have no text, also in the release itself',
  'UserAccount.avatar_url may be null':
    'document 1, user reference: null without a picture; their own other shapes agree',
  'UserAccount.skype may be null': profile,
  'UserAccount.linkedin may be null': profile,
  'UserAccount.twitter may be string': profile,
  'UserAccount.twitter may be null': profile,
  'UserAccount.website_url may be null': profile,
  'UserForAdmin.skype may be null': profile,
  'UserForAdmin.linkedin may be null': profile,
  'UserForAdmin.twitter may be null': profile,
  'UserForAdmin.website_url may be null': profile,
  'UserForAdmin.namespace_id may be null': 'bots have no personal namespace',
  'MergeRequest.source_project_id may be null': 'the fork that it came from may be gone',
  'MergeRequest.sha may be null': 'the source branch may be gone',
  'Runner.ip_address may be null': neverSeen,
  'Runner.online may be null': neverSeen,
  'RunnerManager.version may be null': neverSeen,
  'RunnerManager.revision may be null': neverSeen,
  'RunnerManager.platform may be null': neverSeen,
  'RunnerManager.architecture may be null': neverSeen,
  'RunnerManager.ip_address may be null': neverSeen,
};

interface Reference extends Schema {
  readonly allOf?: readonly Reference[];
}

/** A schema of the reference with everything that it refers to. */
function load(file: string): Reference {
  const read = (given: Reference, from: string): Reference => {
    if (given.$ref !== undefined) {
      const target = path.resolve(path.dirname(from), given.$ref);
      const below = path.join(reference ?? '', 'public_api/v4', given.$ref);
      const found = [target, below].find((each) => existsSync(each));
      return found === undefined ? {} : read(JSON.parse(readFileSync(found, 'utf8')) as Reference, found);
    }
    const parts = (given.allOf ?? []).map((part) => read(part, from));
    const properties = Object.fromEntries(
      Object.entries(given.properties ?? {}).map(([name, value]) => [name, read(value, from)]),
    );
    return {
      ...given,
      properties: Object.assign({}, ...parts.map((part) => part.properties ?? {}), properties) as Record<
        string,
        Schema
      >,
      required: [...new Set([...parts.flatMap((part) => part.required ?? []), ...(given.required ?? [])])],
      ...(given.items ? { items: read(given.items, from) } : {}),
      ...(given.oneOf ? { oneOf: given.oneOf.map((part) => read(part, from)) } : {}),
      ...(given.anyOf ? { anyOf: given.anyOf.map((part) => read(part, from)) } : {}),
    };
  };
  const start = path.join(reference ?? '', 'public_api/v4', `${file}.json`);
  const whole = read(JSON.parse(readFileSync(start, 'utf8')) as Reference, start);
  return whole.items ?? whole;
}

/** JSON types that a schema allows; their own words for some are not JSON's. */
function typesOf(schema: Schema, document?: OpenApi): Set<string> {
  const shown = document ? resolved(document, schema) : schema;
  const options = [...(shown.oneOf ?? []), ...(shown.anyOf ?? [])];
  const types = [shown.type ?? []].flat().map((type) => (type === 'date' || type === 'uri' ? 'string' : type));
  return new Set([...types, ...options.flatMap((option) => [...typesOf(option, document)])]);
}

const fits = (type: string, theirs: Set<string>) => theirs.has(type) || (type === 'integer' && theirs.has('number'));

function differences(document: OpenApi, theirs: string, ours: string): string[] {
  const wanted = load(theirs);
  const have = document.components.schemas[ours] ?? {};
  const found: string[] = [];
  const optional = (name: string) => !have.required?.includes(name);
  for (const name of wanted.required ?? []) {
    if (!have.properties?.[name]) found.push(`${ours}.${name} is not there`);
    else if (optional(name)) found.push(`${ours}.${name} is not always there`);
  }
  for (const [name, schema] of Object.entries(wanted.properties ?? {})) {
    const mine = have.properties?.[name];
    if (!mine) continue;
    const allowed = typesOf(schema);
    const given = [...typesOf(mine, document)];
    if (allowed.size === 0) continue;
    for (const type of given) if (!fits(type, allowed)) found.push(`${ours}.${name} may be ${type}`);
    if (given.length === 0) found.push(`${ours}.${name} has no type`);
  }
  return found;
}

describe('responses of the existing ecosystem', () => {
  const document = openApi() as unknown as OpenApi;

  // Skipped where the reference is not at hand: it may not be part of the checkout.
  it.runIf(reference !== undefined)('have the keys that ours have, with types that fit', () => {
    const found = [...new Set(pairs.flatMap(([theirs, ours]) => differences(document, theirs, ours)))];
    expect(found.filter((each) => !(each in meant))).toEqual([]);
    expect(
      Object.keys(meant).filter((each) => !found.includes(each)),
      'no difference any more',
    ).toEqual([]);
  });

  it('each pair names one of our schemas', () => {
    expect(pairs.filter(([, ours]) => !(ours in document.components.schemas))).toEqual([]);
  });
});
