/** Versions of a merge request's changes, and the changes as a raw patch. */
import { Readable } from 'node:stream';
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPageAsync, slicePage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { unified } from '../../repository/index.ts';
import { MergeRequestVersion, MergeRequestVersionDetail, versionJson } from './merge-requests.entity.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { versions } from './versions.queries.ts';

const tag = 'Merge requests';
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');
const iid = Int({ description: 'Internal id of the merge request' });
const read = { on: 'project', ability: 'read_merge_request' } as const;
const path = '/projects/:id/merge_requests/:merge_request_iid';

export function versionRoutes({
  db,
  repository,
}: Pick<MergeRequestDependencies, 'db'> & {
  readonly repository: Pick<
    MergeRequestDependencies['repository'],
    'changedFiles' | 'commitsBetween' | 'diff' | 'patchId' | 'rawDiff'
  >;
}): Route[] {
  type VersionRow = Awaited<ReturnType<typeof versions>>[number];
  async function shown({ project }: ProjectSubject, row: VersionRow) {
    const files = await repository.changedFiles(project, row.base_sha, row.head_sha);
    const patchId = files === '0' ? null : await repository.patchId(project, row.base_sha, row.head_sha);
    // As long as the ids of commits.
    return versionJson(row, files, patchId?.slice(0, 40) ?? null);
  }

  return [
    route({
      method: 'GET',
      path: `${path}/versions`,
      summary: 'List versions of the changes',
      tag,
      credentials,
      access: read,
      pagination: 'offset',
      params: Type.Object({ id, merge_request_iid: iid }),
      responses: { 200: ListOf(MergeRequestVersion) },
      handler: async ({ params, subject, page }) => {
        const row = await queries.requireByIid(db, subject.project.id, params.merge_request_iid);
        return mapPageAsync(slicePage(page, await versions(db, row.id)), (each) => shown(subject, each));
      },
    }),
    route({
      method: 'GET',
      path: `${path}/versions/:version_id`,
      summary: 'Get a version of the changes with its commits and files',
      tag,
      credentials,
      access: read,
      params: Type.Object({
        id,
        merge_request_iid: iid,
        version_id: Int({ description: 'Id of the version' }),
        unidiff: Optional(Bool({ description: 'Give diffs in the unified format' })),
      }),
      responses: { 200: MergeRequestVersionDetail },
      handler: async ({ params, subject }) => {
        const row = await queries.requireByIid(db, subject.project.id, params.merge_request_iid);
        const version = (await versions(db, row.id)).find((each) => each.id === params.version_id);
        if (!version) throw notFound('Version');
        const { base_sha: base, head_sha: head } = version;
        const [commits, { files }] = await Promise.all([
          repository.commitsBetween(subject, base, head, { skip: 0, limit: mostCommits }),
          repository.diff(subject.project, base, head),
        ]);
        return { ...(await shown(subject, version)), commits, diffs: params.unidiff ? files.map(unified) : files };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/raw_diffs`,
      summary: 'Get the raw diffs of a merge request',
      tag,
      credentials,
      access: read,
      params: Type.Object({ id, merge_request_iid: iid }),
      responses: { 200: Binary },
      media: ['text/plain'],
      handler: async ({ params, subject }) => {
        const { base_sha: base, head_sha: head } = await queries.requireByIid(
          db,
          subject.project.id,
          params.merge_request_iid,
        );
        const open = async () =>
          base === null || head === null ? Readable.from([]) : await repository.rawDiff(subject.project, base, head);
        return streamed(open, 'text/plain; charset=utf-8');
      },
    }),
  ];
}

/** Commits that a version lists, the newest first. */
const mostCommits = 1000;
