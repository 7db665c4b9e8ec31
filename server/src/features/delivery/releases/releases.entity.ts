/** Releases as the API shows them: less of them to who may not read the code. */
import type { Static } from 'typebox';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Release as ReleaseRow } from '../../../kernel/db/rows.ts';
import {
  Count,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { baseOf, type Markdown } from '../../../kernel/markdown/index.ts';
import { Milestone, milestoneJson } from '../../collaboration/index.ts';
import { findReferences, UserReference, userReference } from '../../identity/index.ts';
import { Commit, commitJson, projectPath, type RepositoryReader } from '../../repository/index.ts';
import { milestonesOf } from './milestones.queries.ts';
import { type EvidenceHead, evidencesOf, linksOf } from './releases.queries.ts';

export const linkTypes = ['other', 'runbook', 'image', 'package'] as const;

export const ReleaseLink = Entity('ReleaseLink', {
  id: Id(),
  name: Text(),
  url: Text({ description: 'Where the file is' }),
  direct_asset_url: Text({ description: 'Address below the release that leads there, where it has one' }),
  link_type: Word(linkTypes),
});

const ReleaseSource = Entity('ReleaseSource', { format: Text(), url: Text() });
const ReleaseEvidence = Entity('ReleaseEvidence', {
  sha: Text({ description: 'SHA-256 of the summary' }),
  filepath: Text({ description: 'Address of the summary' }),
  collected_at: Timestamp(),
});

/** In the order in which it is kept, as its hash was made of it. */
export const EvidenceSummary = Entity('ReleaseEvidenceSummary', {
  release: Fields({
    id: Id(),
    tag_name: Text(),
    name: Text(),
    description: Nullable(Text()),
    created_at: Text(),
    project: Fields({ id: Id(), name: Text(), description: Nullable(Text()), created_at: Text() }),
    milestones: ListOf(
      Fields({
        id: Id(),
        title: Text(),
        description: Nullable(Text()),
        state: Text(),
        iid: Id(),
        created_at: Text(),
        due_date: Nullable(Text()),
      }),
    ),
  }),
});

/** Issues do not exist: no milestone has any. */
const ReleaseMilestone = Entity('ReleaseMilestone', {
  ...Milestone.properties,
  issue_stats: Fields({ total: Count(), closed: Count() }),
});

/** Pages that list what is planned for a release, by kind and state. */
const plannedLinks = [
  ['closed_issues_url', 'issues', 'closed'],
  ['closed_merge_requests_url', 'merge_requests', 'closed'],
  ['merged_merge_requests_url', 'merge_requests', 'merged'],
  ['opened_issues_url', 'issues', 'opened'],
  ['opened_merge_requests_url', 'merge_requests', 'opened'],
] as const;
const linksToPlanned = (base: string, tag: string) =>
  Object.fromEntries(
    plannedLinks.map(([name, kind, state]) => {
      const query = new URLSearchParams({ release_tag: tag, scope: 'all', state });
      return [name, `${base}/-/${kind}?${query}`];
    }),
  );

const basic = {
  name: Text(),
  tag_name: Sometimes(Text({ description: 'Only for those who may read the code' })),
  description: Nullable(Text()),
  description_html: Sometimes(Nullable(Text({ description: 'With `include_html_description`' }))),
  created_at: Timestamp(),
  released_at: Timestamp(),
  upcoming_release: Flag({ description: 'Whether `released_at` is still to come' }),
};
const full = {
  author: Nullable(UserReference),
  commit: Sometimes(Nullable(Commit, { description: 'Only for those who may read the code; null where it is gone' })),
  commit_path: Sometimes(Text({ description: 'Page of the commit' })),
  tag_path: Sometimes(Text({ description: 'Page of the tag' })),
  milestones: Sometimes(
    ListOf(ReleaseMilestone, { description: 'Where it has any, for those who may see milestones' }),
  ),
  assets: Fields({
    count: Count(),
    sources: Sometimes(ListOf(ReleaseSource, { description: 'The files of the tag as archives' })),
    links: ListOf(ReleaseLink),
  }),
  evidences: Sometimes(ListOf(ReleaseEvidence, { description: 'What was noted of it, and when' })),
  _links: Fields({
    self: Text(),
    edit_url: Sometimes(Text({ description: 'Only for those who may change it' })),
    ...Object.fromEntries(plannedLinks.map(([name]) => [name, Sometimes(Text())])),
  }),
};

export const Release = Entity('Release', { ...basic, ...full });
const sometimes = Object.fromEntries(Object.entries(full).map(([name, schema]) => [name, Sometimes(schema)])) as {
  [K in keyof typeof full]: ReturnType<typeof Sometimes<(typeof full)[K]>>;
};
export const GroupRelease = Entity('GroupRelease', { ...basic, ...sometimes });

export type ReleaseJson = Static<typeof Release>;

export interface ReleasePresenter {
  /** Releases of any projects, for one caller. */
  many(
    releases: ReadonlyArray<{ readonly subject: ProjectSubject; readonly row: ReleaseRow }>,
    caller: Caller,
    options?: { readonly html?: boolean | undefined },
  ): Promise<ReleaseJson[]>;
  one(
    subject: ProjectSubject,
    caller: Caller,
    row: ReleaseRow,
    options?: { html?: boolean | undefined },
  ): Promise<ReleaseJson>;
  simple(subject: ProjectSubject, caller: Caller, row: ReleaseRow): Static<typeof GroupRelease>;
  /** `tag` is null for who may not be told it. */
  link(subject: ProjectSubject, tag: string | null, link: LinkRow): Static<typeof ReleaseLink>;
}

type LinkRow = Awaited<ReturnType<typeof linksOf>>[number];

export const sourceFormats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const;

/** A tag inside the address of a page. */
const inPath = (tag: string) => encodeURIComponent(tag).replaceAll('%2F', '/');

export const releaseUrl = (projectUrl: string, tag: string) => `${projectUrl}/-/releases/${encodeURIComponent(tag)}`;

/** The archives of a tag. */
export const sourcesOf = (projectUrl: string, projectName: string, tag: string) =>
  sourceFormats.map((format) => ({
    format,
    url: `${projectUrl}/-/archive/${inPath(tag)}/${encodeURIComponent(`${projectName}-${tag.replaceAll('/', '-')}`)}.${format}`,
  }));

/** A commit that is gone is none; a repository that does not answer is a failure. */
function goneOnly(error: unknown): null {
  if (error instanceof HttpError && error.status === 404) return null;
  throw error;
}

export function releasePresenter(deps: {
  readonly db: Db;
  readonly externalUrl: string;
  readonly reader: RepositoryReader;
  readonly markdown: Pick<Markdown, 'html'>;
}): ReleasePresenter {
  const { db, externalUrl, reader, markdown } = deps;
  const urlOf = (subject: ProjectSubject) => `${externalUrl}/${projectPath(subject)}`;

  const link = (subject: ProjectSubject, tag: string | null, row: LinkRow) => ({
    id: row.id,
    name: row.name,
    url: row.url,
    direct_asset_url:
      row.filepath === null || tag === null ? row.url : `${releaseUrl(urlOf(subject), tag)}/downloads${row.filepath}`,
    link_type: row.link_type as (typeof linkTypes)[number],
  });

  const evidence = (url: string, { id, sha, collected_at }: EvidenceHead) => ({
    sha,
    filepath: `${url}/evidences/${id}.json`,
    collected_at,
  });

  function simple(subject: ProjectSubject, caller: Caller, row: ReleaseRow) {
    const code = canOnProject(caller, 'read_code', subject);
    return {
      // Names follow from tags, which are not told to everybody.
      name: code ? (row.name ?? row.tag) : `Release-${row.id}`,
      ...(code ? { tag_name: row.tag } : {}),
      description: row.description,
      created_at: row.created_at,
      released_at: row.released_at,
      upcoming_release: row.released_at > new Date(),
    };
  }

  async function commitOf(subject: ProjectSubject, { sha, tag }: ReleaseRow) {
    const id = sha ?? (await reader.tag(subject.project, tag))?.commit;
    const commit = id === undefined ? null : await reader.commit(subject.project, id).catch(goneOnly);
    return commit && commitJson(commit, urlOf(subject));
  }

  async function htmlOf(subject: ProjectSubject, caller: Caller, { description, tag }: ReleaseRow) {
    return description && (await markdown.html(description, { caller, base: baseOf(subject, tag) }));
  }

  const presenter: ReleasePresenter = {
    link,
    simple,
    async many(releases, caller, options = {}) {
      const may = (ability: ProjectAbility) => releases.filter(({ subject }) => canOnProject(caller, ability, subject));
      const idsOf = (some: typeof releases) => some.map(({ row }) => row.id);
      const readable = may('read_code');
      const [links, milestones, evidences, authors, commits] = await Promise.all([
        linksOf(db, idsOf(releases)),
        milestonesOf(db, idsOf(may('read_milestone'))),
        evidencesOf(db, idsOf(readable)),
        findReferences(
          db,
          releases.flatMap(({ row }) => row.author_id ?? []),
        ),
        Promise.all(readable.map(async ({ subject, row }) => [row.id, await commitOf(subject, row)] as const)),
      ]);
      const commitAt = new Map(commits);
      const texts = options.html
        ? await Promise.all(releases.map(({ subject, row }) => htmlOf(subject, caller, row)))
        : [];
      return releases.map(({ subject, row }, at) => {
        const code = canOnProject(caller, 'read_code', subject);
        const changes = canOnProject(caller, 'admin_release', subject);
        const base = urlOf(subject);
        const author = row.author_id === null ? undefined : authors.get(row.author_id);
        const own = links.filter(({ release_id }) => release_id === row.id);
        const planned = milestones.get(row.id) ?? [];
        const commit = commitAt.get(row.id) ?? null;
        const sources = code ? sourcesOf(base, subject.project.path, row.tag) : [];
        const url = releaseUrl(base, row.tag);
        return {
          ...simple(subject, caller, row),
          ...(options.html ? { description_html: texts[at] ?? null } : {}),
          author: author ? userReference(author, externalUrl) : null,
          ...(code ? { commit } : {}),
          ...(commit ? { commit_path: `/${projectPath(subject)}/-/commit/${commit.id}` } : {}),
          ...(code ? { tag_path: `/${projectPath(subject)}/-/tags/${inPath(row.tag)}` } : {}),
          ...(planned.length > 0
            ? {
                milestones: planned.map((each) => ({
                  ...milestoneJson(each, externalUrl),
                  issue_stats: { total: 0, closed: 0 },
                })),
              }
            : {}),
          assets: {
            count: sources.length + own.length,
            ...(code ? { sources } : {}),
            links: own.map((each) => link(subject, code ? row.tag : null, each)),
          },
          ...(code
            ? {
                evidences: evidences
                  .filter(({ release_id }) => release_id === row.id)
                  .map((each) => evidence(url, each)),
              }
            : {}),
          _links: {
            self: code ? url : `${base}/-/releases`,
            ...(changes && code ? { edit_url: `${url}/edit` } : {}),
            ...(code ? linksToPlanned(base, row.tag) : {}),
          },
        };
      });
    },
    async one(subject, caller, row, options) {
      const [made] = await presenter.many([{ subject, row }], caller, options);
      if (!made) throw new Error('a release without an answer');
      return made;
    },
  };
  return presenter;
}
