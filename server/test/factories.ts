/** Rows for tests: every default builds what it needs, every name is new. */

import type { CreateUser } from '../src/features/identity/users/users.service.ts';
import { type Measures, recordMeasures } from '../src/features/namespaces/statistics/statistics.queries.ts';
import { Level } from '../src/kernel/authz/levels.ts';
import type { AccessToken, Grant, Namespace, Project, User } from '../src/kernel/db/rows.ts';
import type { TestApp } from './app.ts';
import { insertGrant, insertNamespace, insertProject, personalNamespace } from './factories.queries.ts';

/** What factories need of an application. */
export type Builder = Pick<TestApp, 'db' | 'identity'>;

let count = 0;
/** A new name in this process. */
export const unique = (prefix: string): string => {
  count += 1;
  return `${prefix}-${process.pid}-${count}`;
};

/** An active user with a personal namespace; cannot sign in unless a password is given. */
export async function buildUser(app: Builder, values: Partial<CreateUser> = {}): Promise<User> {
  const username = values.username ?? unique('user');
  return await app.identity.users.create({ name: username, email: `${username}@example.com`, ...values, username });
}

export const buildAdmin = (app: Builder, values: Partial<CreateUser> = {}): Promise<User> =>
  buildUser(app, { username: unique('admin'), ...values, admin: true });

export interface TokenValues {
  readonly user?: User;
  readonly name?: string;
  readonly scopes?: readonly string[];
  /** `YYYY-MM-DD`; null, the default, for never. In the past for one that has expired. */
  readonly expiresAt?: string | null;
}

export interface BuiltToken {
  readonly row: AccessToken;
  readonly secret: string;
  readonly user: User;
}

/** A personal access token, with the scope `api` unless told. */
export async function buildToken(app: Builder, values: TokenValues = {}): Promise<BuiltToken> {
  const user = values.user ?? (await buildUser(app));
  const { row, secret } = await app.identity.tokens.issue({
    user,
    name: values.name ?? unique('token'),
    scopes: values.scopes ?? ['api'],
    expiresAt: null,
    createdById: user.id,
  });
  if (!values.expiresAt) return { row, secret, user };
  const changed = await app.db
    .updateTable('access_tokens')
    .set({ expires_at: values.expiresAt })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row: changed, secret, user };
}

type Visibility = 'private' | 'internal' | 'public';

export interface GroupValues {
  readonly path?: string;
  readonly parent?: Namespace;
  readonly visibility?: Visibility;
  /** Gets the role of an owner; nobody has it by default. */
  readonly owner?: User;
}

/** A group, private unless told. */
export async function buildGroup(app: Builder, values: GroupValues = {}): Promise<Namespace> {
  const { parent, owner } = values;
  const name = values.path ?? unique('group');
  const group = await insertNamespace(app.db, {
    kind: 'group',
    name,
    path: name,
    full_path: parent ? `${parent.full_path}/${name}` : name,
    full_name: parent ? `${parent.full_name} / ${name}` : name,
    parent_id: parent?.id ?? null,
    ancestors: parent?.traversal_ids ?? [],
    visibility: values.visibility ?? 'private',
    created_by_id: owner?.id ?? null,
  });
  if (owner) await buildMember(app, { user: owner, of: group, level: Level.owner });
  return group;
}

export type ProjectValues = Partial<
  Omit<
    Project,
    'id' | 'namespace_id' | 'creator_id' | 'visibility' | 'container_expiration_policy' | 'created_at' | 'updated_at'
  >
> & {
  readonly namespace?: Namespace;
  /** The creator; the project is in their personal namespace unless another is given. */
  readonly owner?: User;
  readonly visibility?: Visibility;
  /** What was measured of it. */
  readonly statistics?: Measures;
};

/** A project's row without a repository on disk, private unless told. Projects with one are made through the API. */
export async function buildProject(app: Builder, values: ProjectValues = {}): Promise<Project> {
  const { namespace, owner, statistics, ...columns } = values;
  const creator = owner ?? (await buildUser(app));
  const home = namespace ?? (await personalNamespace(app.db, creator.id));
  const path = values.path ?? unique('project');
  const project = await insertProject(app.db, {
    name: path,
    visibility: 'private',
    repository_path: `@test/${unique('repository')}.git`,
    ...columns,
    path,
    namespace_id: home.id,
    creator_id: creator.id,
  });
  if (statistics) await recordMeasures(app.db, project.id, statistics);
  return project;
}

export interface MemberValues {
  readonly user?: User;
  readonly of: Namespace | Project;
  readonly level?: Level;
  readonly expiresAt?: string;
}

/** A direct member, developer unless told. */
export async function buildMember(app: Builder, values: MemberValues): Promise<{ user: User; grant: Grant }> {
  const user = values.user ?? (await buildUser(app));
  const place = 'namespace_id' in values.of ? { project_id: values.of.id } : { namespace_id: values.of.id };
  const grant = await insertGrant(app.db, {
    user_id: user.id,
    ...place,
    level: values.level ?? Level.developer,
    expires_at: values.expiresAt ?? null,
  });
  return { user, grant };
}
