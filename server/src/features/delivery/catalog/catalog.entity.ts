/** The catalogue of CI components as the API shows it. */
import type { InputDeclaration } from '@millrace/ci-config';
import type { Static } from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
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
import { DeclaredInput } from '../../ci/index.ts';
import { findReferences, UserReference, userReference } from '../../identity/index.ts';
import { pictureUrl } from '../../namespaces/index.ts';
import { projectPath } from '../../repository/index.ts';
import { type CatalogComponent, type CatalogResource, type CatalogVersion, componentsOf } from './catalog.queries.ts';

/** The answer to a publication, as clients of releases expect it. */
export const PublishedVersion = Entity('PublishedCatalogVersion', {
  catalog_url: Text({ description: 'Page of the project in the catalogue' }),
});

export const CatalogVersionEntity = Entity('CatalogVersion', {
  id: Id(),
  version: Text({ description: 'Tag of its release: a semantic version' }),
  commit_id: Text(),
  readme_path: Text({ description: 'File of the repository that describes it' }),
  released_at: Timestamp(),
  published_at: Timestamp(),
  published_by: Nullable(UserReference),
  components: ListOf(
    Fields({
      name: Text(),
      path: Text({ description: 'File of the repository' }),
      include: Text({ description: 'What `include:component` names it by' }),
      inputs: ListOf(DeclaredInput),
    }),
  ),
});
type VersionJson = Static<typeof CatalogVersionEntity>;

const place = {
  id: Id({ description: 'Id of the project' }),
  name: Text(),
  full_path: Text(),
  description: Nullable(Text()),
  visibility: Word(['private', 'internal', 'public']),
  avatar_url: Nullable(Text()),
  star_count: Count(),
  web_url: Text({ description: 'Page of the project in the catalogue' }),
};

export const CatalogItem = Entity('CatalogItem', {
  ...place,
  latest_version: Text({ description: 'The highest version that is no pre-release, or else the highest' }),
  latest_released_at: Timestamp(),
  components: ListOf(Text(), { description: 'Names of the components of the latest version' }),
});

export const CatalogResourceEntity = Entity('CatalogResource', {
  ...place,
  created_at: Nullable(Timestamp(), {
    description: 'When the project was put into the catalogue; null where it is not in it',
  }),
  latest_version: Nullable(CatalogVersionEntity, { description: 'Null until a version is published' }),
  problem: Sometimes(
    Nullable(Text({ description: 'Why the newest release was not published. Shown to those who may make releases' })),
  ),
});

export interface CatalogPresenterDependencies {
  readonly db: Db;
  readonly externalUrl: string;
}

export function catalogPresenter({ db, externalUrl }: CatalogPresenterDependencies) {
  const here = externalUrl.replace(/^https?:\/\//, '');
  const page = (subject: ProjectSubject) => `${externalUrl}/explore/catalog/${projectPath(subject)}`;

  const placeOf = (subject: ProjectSubject) => {
    const { id, name, description, visibility, avatar_object_key, star_count } = subject.project;
    return {
      id,
      name,
      full_path: projectPath(subject),
      description,
      visibility,
      avatar_url: pictureUrl(externalUrl, 'project', id, avatar_object_key),
      star_count,
      web_url: page(subject),
    };
  };

  const componentJson = (subject: ProjectSubject, version: string, row: CatalogComponent) => ({
    name: row.name,
    path: row.path,
    include: `${here}/${projectPath(subject)}/${row.name}@${version}`,
    // What was written here when the version was published.
    inputs: row.inputs as unknown as InputDeclaration[] as VersionJson['components'][number]['inputs'],
  });

  async function versions(subject: ProjectSubject, rows: readonly CatalogVersion[]): Promise<VersionJson[]> {
    const ids = rows.map(({ id }) => id);
    const people = rows.flatMap(({ published_by_id }) => published_by_id ?? []);
    const [components, users] = await Promise.all([componentsOf(db, ids), findReferences(db, people)]);
    return rows.map((row) => {
      const user = row.published_by_id === null ? undefined : users.get(row.published_by_id);
      return {
        id: row.id,
        version: row.version,
        commit_id: row.sha,
        readme_path: row.readme_path,
        released_at: row.released_at,
        published_at: row.created_at,
        published_by: user ? userReference(user, externalUrl) : null,
        components: components
          .filter(({ version_id }) => version_id === row.id)
          .map((each) => componentJson(subject, row.version, each)),
      };
    });
  }

  return {
    page,
    versions,
    async items(
      rows: readonly CatalogVersion[],
      projects: ReadonlyMap<number, ProjectSubject>,
    ): Promise<Static<typeof CatalogItem>[]> {
      const components = await componentsOf(
        db,
        rows.map(({ id }) => id),
      );
      return rows.flatMap((row) => {
        const subject = projects.get(row.project_id);
        if (!subject) return [];
        const names = components.filter(({ version_id }) => version_id === row.id).map(({ name }) => name);
        return [
          {
            ...placeOf(subject),
            latest_version: row.version,
            latest_released_at: row.released_at,
            components: names,
          },
        ];
      });
    },
    async resource(
      subject: ProjectSubject,
      caller: Caller,
      row: CatalogResource | undefined,
      latest: CatalogVersion | undefined,
    ): Promise<Static<typeof CatalogResourceEntity>> {
      const [version = null] = latest ? await versions(subject, [latest]) : [];
      return {
        ...placeOf(subject),
        created_at: row?.created_at ?? null,
        latest_version: version,
        ...(canOnProject(caller, 'admin_release', subject) ? { problem: row?.problem ?? null } : {}),
      };
    },
  };
}

export type CatalogPresenter = ReturnType<typeof catalogPresenter>;
