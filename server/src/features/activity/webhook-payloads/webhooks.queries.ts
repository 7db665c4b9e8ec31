/** What payloads tell of, read when they are made. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type {
  Grant,
  Issue,
  MergeRequest,
  Milestone,
  Namespace,
  Pipeline,
  Release,
  Runner,
  Snippet,
  User,
} from '../../../kernel/db/rows.ts';
import { below } from '../../namespaces/index.ts';

export async function mergeRequestById(db: Db, id: number): Promise<MergeRequest | undefined> {
  return await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function newestMergeRequest(db: Db, projectId: number): Promise<MergeRequest | undefined> {
  return await db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('iid', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function issueById(db: Db, id: number): Promise<Issue | undefined> {
  return await db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest issue of a project, for those who may see all of them. */
export async function newestIssue(db: Db, projectId: number, confidential: boolean): Promise<Issue | undefined> {
  return await db
    .selectFrom('issues')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('confidential', '=', confidential)
    .orderBy('iid', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Those who are to do an issue, in the order in which they were named. */
export async function assigneesOf(db: Db, issueId: number): Promise<User[]> {
  return await db
    .selectFrom('issue_assignees')
    .innerJoin('users', 'users.id', 'issue_assignees.user_id')
    .selectAll('users')
    .where('issue_id', '=', issueId)
    .orderBy('position')
    .orderBy('users.id')
    .execute();
}

export async function snippetById(db: Db, id: number): Promise<Snippet | undefined> {
  return await db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function pipelineById(db: Db, id: number): Promise<Pipeline | undefined> {
  return await db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function newestPipeline(db: Db, projectId: number): Promise<Pipeline | undefined> {
  return await db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function newestRelease(db: Db, projectId: number): Promise<Release | undefined> {
  return await db
    .selectFrom('releases')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function newestMilestone(db: Db, projectId: number): Promise<Milestone | undefined> {
  return await db
    .selectFrom('milestones')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('iid', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export interface BuildRow {
  readonly id: number;
  readonly pipeline_id: number;
  readonly stage: string;
  readonly name: string;
  readonly status: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly created_at: Date;
  readonly queued_at: Date | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly failure_reason: string | null;
  readonly when: string;
  readonly allow_failure: boolean;
  readonly attempt: number;
  readonly environment: string | null;
  readonly environment_action: string | null;
  readonly environment_tier: string | null;
  readonly user_id: number | null;
  readonly runner_id: number | null;
  readonly artifacts_name: string | null;
  readonly artifacts_size: number | null;
}

const builds = (db: Db) =>
  db
    .selectFrom('jobs')
    .leftJoin('job_artifacts as archive', (join) =>
      join.onRef('archive.job_id', '=', 'jobs.id').on('archive.file_type', '=', 'archive'),
    )
    .leftJoin('job_environments', 'job_environments.job_id', 'jobs.id')
    .leftJoin('environments', 'environments.id', 'job_environments.environment_id')
    .select([
      ...([
        'jobs.id',
        'jobs.pipeline_id',
        'jobs.stage',
        'jobs.name',
        'jobs.status',
        'jobs.ref',
        'jobs.tag',
        'jobs.created_at',
        'jobs.queued_at',
        'jobs.started_at',
        'jobs.finished_at',
        'jobs.failure_reason',
        'jobs.when',
        'jobs.allow_failure',
        'jobs.attempt',
        'jobs.environment',
        'jobs.user_id',
        'jobs.runner_id',
      ] as const),
      'archive.filename as artifacts_name',
      'archive.size as artifacts_size',
      'job_environments.action as environment_action',
      'environments.tier as environment_tier',
    ]);

/** Jobs of a pipeline as they are now, repeated ones left out; last stage first. */
export async function buildsOf(db: Db, pipelineId: number, limit: number): Promise<BuildRow[]> {
  return await builds(db)
    .where('jobs.pipeline_id', '=', pipelineId)
    .where('jobs.retried', '=', false)
    .orderBy('jobs.stage_index', 'desc')
    .orderBy('jobs.id', 'desc')
    .limit(limit)
    .execute();
}

export async function buildById(db: Db, id: number): Promise<BuildRow | undefined> {
  return await builds(db).where('jobs.id', '=', id).executeTakeFirst();
}

export async function newestBuild(db: Db, projectId: number): Promise<BuildRow | undefined> {
  return await builds(db)
    .where('jobs.project_id', '=', projectId)
    .orderBy('jobs.id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function runnersById(db: Db, ids: readonly number[]): Promise<Runner[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('runners')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}

export async function usersById(db: Db, ids: readonly number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('users')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}

export async function namespaceById(db: Db, id: number): Promise<Namespace | undefined> {
  return await db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function grantOf(
  db: Db,
  userId: number,
  place: { readonly projectId: number | null; readonly namespaceId: number | null },
): Promise<Grant | undefined> {
  const query = db.selectFrom('grants').selectAll().where('user_id', '=', userId);
  return await (place.projectId !== null
    ? query.where('project_id', '=', place.projectId)
    : query.where('namespace_id', '=', place.namespaceId).where('project_id', 'is', null)
  ).executeTakeFirst();
}

export async function newestGrant(db: Db, namespaceId: number): Promise<Grant | undefined> {
  return await db
    .selectFrom('grants')
    .selectAll()
    .where('namespace_id', '=', namespaceId)
    .where('user_id', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Who is in charge of a namespace: its person, or the owners of the group and of those above it. */
export async function ownersOf(db: Db, namespaceId: number): Promise<{ name: string; email: string }[]> {
  const { rows } = await sql<{ name: string; email: string }>`
    select u.name, u.email from users u where u.id in (
      select n.owner_id from namespaces n where n.id = ${namespaceId}
      union
      select g.user_id from grants g join namespaces n on g.namespace_id = any(n.traversal_ids)
      where n.id = ${namespaceId} and g.level = 50 and g.user_id is not null and g.state = 'active')
    order by u.id limit 100`.execute(db);
  return rows;
}

/** A project below a group, and a group below it, for tries. */
export async function someBelow(db: Db, groupId: number): Promise<{ project: number | null; group: number | null }> {
  const { rows } = await sql<{ project: number | null; group: number | null }>`
    select (select p.id from projects p where p.namespace_id in ${below(groupId)} order by p.last_activity_at desc limit 1) as project,
      (select n.id from namespaces n where n.parent_id = ${groupId} order by n.id desc limit 1) as group`.execute(db);
  return rows[0] ?? { project: null, group: null };
}

export async function newestWikiPage(db: Db, wikiId: number): Promise<{ readonly slug: string } | undefined> {
  return await db
    .selectFrom('wiki_pages')
    .select('slug')
    .where('wiki_id', '=', wikiId)
    .where('removed_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function newestFlag(db: Db, projectId: number) {
  return await db
    .selectFrom('feature_flags')
    .select(['id', 'name', 'description', 'active'])
    .where('project_id', '=', projectId)
    .orderBy('iid', 'desc')
    .limit(1)
    .executeTakeFirst();
}
