/** Packages and their files as the API shows them. */
import type { Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Package as PackageRow, Pipeline, User } from '../../../kernel/db/rows.ts';
import {
  Count,
  Entity,
  Fields,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { PipelineBasic, pipelineBasic } from '../../ci/index.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import type { FileRow } from './packages.queries.ts';

export const packageStatuses = ['default', 'hidden'] as const;

const PackagePipeline = Entity('PackagePipeline', { ...PipelineBasic.properties, user: Nullable(UserReference) });

const Version = Fields({
  id: Id(),
  version: Text(),
  created_at: Timestamp(),
  tags: ListOf(Text()),
  pipeline: Sometimes(PackagePipeline),
});

export const Package = Entity('Package', {
  id: Id(),
  name: Text(),
  version: Text(),
  package_type: Word(['generic']),
  status: Word(packageStatuses),
  _links: Fields({ web_path: Text(), delete_api_path: Sometimes(Text({ description: 'For who may delete it' })) }),
  created_at: Timestamp(),
  last_downloaded_at: Nullable(Timestamp()),
  creator_id: Nullable(Id({ description: 'Null where a deploy token published it' })),
  tags: ListOf(Text(), { description: 'Always empty: generic packages have none' }),
  pipeline: Sometimes(PackagePipeline),
  pipelines: Sometimes(ListOf(PackagePipeline)),
  project_id: Sometimes(Id({ description: 'In lists of groups' })),
  project_path: Sometimes(Text({ description: 'In lists of groups' })),
  versions: Sometimes(ListOf(Version, { description: 'Others of the same name' })),
});
export type PackageJson = Static<typeof Package>;

export const PackageFile = Entity('PackageFile', {
  id: Id(),
  package_id: Id(),
  created_at: Timestamp(),
  file_name: Text({ description: 'Slashes of paths are `%2F`' }),
  size: Count({ description: 'Bytes' }),
  file_md5: Text(),
  file_sha1: Text(),
  file_sha256: Text(),
  pipelines: Sometimes(ListOf(PackagePipeline, { description: 'What published it' })),
});

/** A file as the answer to its publication shows it. */
export const PublishedPackageFile = Entity('NewPackageFile', {
  ...PackageFile.properties,
  file: Fields({ url: Text({ description: 'Where it is downloaded' }) }),
});

export type PublishedBy = ReadonlyMap<number, { readonly pipeline: Pipeline; readonly user: User | null }>;

export interface PackageView {
  readonly row: PackageRow;
  /** Of its files, the newest first. */
  readonly pipelineIds: readonly number[];
}

/** How packages of a project are shown to somebody. */
export function packagePresenter(externalUrl: string) {
  const projectUrl = ({ namespace, project }: ProjectSubject) =>
    `${externalUrl}/${namespace.full_path}/${project.path}`;
  const published = (subject: ProjectSubject, ids: readonly number[], by: PublishedBy) =>
    ids.flatMap((id) => {
      const found = by.get(id);
      if (!found) return [];
      const user = found.user ? userReference(found.user, externalUrl) : null;
      return [{ ...pipelineBasic(found.pipeline, projectUrl(subject)), user }];
    });
  const built = (subject: ProjectSubject, ids: readonly number[], by: PublishedBy) => {
    const pipelines = published(subject, ids, by);
    const [pipeline] = pipelines;
    return pipeline ? { pipeline, pipelines } : {};
  };
  return {
    json(
      subject: ProjectSubject,
      { row, pipelineIds }: PackageView,
      by: PublishedBy,
      { mayDelete, inGroup }: { readonly mayDelete: boolean; readonly inGroup: boolean },
    ): PackageJson {
      const path = `${subject.namespace.full_path}/${subject.project.path}`;
      return {
        id: row.id,
        name: row.name,
        version: row.version,
        package_type: 'generic',
        status: row.status,
        _links: {
          web_path: `${new URL(externalUrl).pathname.replace(/\/$/, '')}/${path}/-/packages/${row.id}`,
          ...(mayDelete
            ? { delete_api_path: `${externalUrl}/api/v4/projects/${row.project_id}/packages/${row.id}` }
            : {}),
        },
        created_at: row.created_at,
        last_downloaded_at: row.last_downloaded_at,
        creator_id: row.creator_id,
        tags: [],
        ...built(subject, pipelineIds, by),
        ...(inGroup ? { project_id: row.project_id, project_path: path } : {}),
      };
    },
    version(subject: ProjectSubject, { row, pipelineIds }: PackageView, by: PublishedBy) {
      const { pipeline } = built(subject, pipelineIds, by);
      const { id, version, created_at } = row;
      return { id, version, created_at, tags: [], ...(pipeline ? { pipeline } : {}) };
    },
    file,
    publishedFile(
      subject: ProjectSubject,
      of: { readonly name: string; readonly version: string; readonly file: string },
      row: FileRow,
      by: PublishedBy,
    ): Static<typeof PublishedPackageFile> {
      const path = [of.name, of.version].map(encodeURIComponent).join('/');
      const url = `${externalUrl}/api/v4/projects/${subject.project.id}/packages/generic/${path}/${of.file}`;
      return { ...file(subject, row, by), file: { url } };
    },
  };
  function file(subject: ProjectSubject, row: FileRow, by: PublishedBy): Static<typeof PackageFile> {
    return {
      id: row.id,
      package_id: row.package_id,
      created_at: row.created_at,
      file_name: row.file_name,
      size: row.size,
      file_md5: row.md5.toString('hex'),
      file_sha1: row.sha1.toString('hex'),
      file_sha256: row.sha256.toString('hex'),
      ...(row.pipeline_id === null ? {} : { pipelines: published(subject, [row.pipeline_id], by) }),
    };
  }
}
export type PackagePresenter = ReturnType<typeof packagePresenter>;
