/** What the payload of a job is made of, in as few statements as there is something to read. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Namespace, Pipeline, Project, User } from '../../../kernel/db/rows.ts';
import type { PayloadRows } from '../jobs/context.queries.ts';

/** What there is to read for a job. Most projects have little of it, and what is not there is not asked for. */
export interface PayloadFacts {
  readonly rows: PayloadRows;
  /** Running jobs of the project on the instance's runners, this one included. */
  readonly running: number;
  /** Names of the languages of the project that were measured, the most used first. */
  readonly languages: readonly string[];
  readonly has: {
    readonly openMergeRequests: boolean;
    readonly pipelineVariables: boolean;
    readonly secretVariables: boolean;
    readonly freezePeriods: boolean;
    readonly deployTokens: boolean;
    /** Another attempt before this one. */
    readonly attempts: boolean;
    /** Networks that the top-level group is kept to. */
    readonly networks: boolean;
  };
}

interface Rows {
  readonly projects: Project;
  readonly namespaces: Namespace;
  readonly pipelines: Pipeline;
  readonly users: User;
}

/** Changes whenever the row does: where it is, and the transaction that wrote it there. */
const versionOf = (table: string) =>
  sql<string>`${sql.ref(`${table}.ctid`)}::text || ${sql.ref(`${table}.xmin`)}::text`;

/** Rows of each table that are kept. */
const mostKept = 200;

/**
 * Wide rows that the payloads of many jobs need and that seldom change: kept, and used while the database has the same
 * version of them. Nobody may change one.
 */
function keptRows<T extends keyof Rows>(table: T) {
  const kept = new Map<number, { readonly version: string; readonly row: Rows[T] }>();
  return async (db: Db, id: number, version: string): Promise<Rows[T] | undefined> => {
    const known = kept.get(id);
    if (known?.version === version) return known.row;
    const found = await sql<Rows[T] & { row_version: string }>`
      select *, ${versionOf(table)} as row_version from ${sql.table(table)} where id = ${id}`.execute(db);
    const [first] = found.rows;
    if (!first) return undefined;
    const { row_version: read, ...row } = first;
    kept.delete(id);
    kept.set(id, { version: read, row: row as unknown as Rows[T] });
    const [oldest] = kept.keys();
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    return row as unknown as Rows[T];
  };
}

/** The reader of one process, with what it keeps. */
export function payloadReader(): (db: Db, job: Job) => Promise<PayloadFacts | undefined> {
  const projectOf = keptRows('projects');
  const namespaceOf = keptRows('namespaces');
  const pipelineOf = keptRows('pipelines');
  const userOf = keptRows('users');
  return async (db, job) => {
    const { rows } = await sql<
      Omit<PayloadFacts, 'rows' | 'has'> &
        PayloadFacts['has'] & {
          namespace_id: number;
          project: string;
          namespace: string;
          pipeline: string;
          user: string | null;
        }
    >`
      select projects.namespace_id, ${versionOf('projects')} as project, ${versionOf('namespaces')} as namespace,
        ${versionOf('pipelines')} as pipeline, ${versionOf('users')} as "user",
        (
          select count(*)::integer from jobs join runners on runners.id = jobs.runner_id
          where jobs.project_id = projects.id and jobs.status in ('running', 'canceling')
            and runners.runner_type = 'instance_type'
        ) as running,
        array(
          select name from project_languages where project_id = projects.id order by share desc, name limit 5
        ) as languages,
        exists (
          select from merge_requests where source_project_id = projects.id and source_branch = pipelines.ref
            and state = 'opened'
        ) as "openMergeRequests",
        exists (select from pipeline_variables where pipeline_id = pipelines.id) as "pipelineVariables",
        exists (
          select from ci_variables where project_id = projects.id or namespace_id = any (namespaces.traversal_ids)
            or (project_id is null and namespace_id is null)
        ) as "secretVariables",
        exists (select from freeze_periods where project_id = projects.id) as "freezePeriods",
        exists (
          select from deploy_tokens
          where (project_id = projects.id or namespace_id = projects.namespace_id) and token_encrypted is not null
        ) as "deployTokens",
        exists (
          select from jobs where pipeline_id = pipelines.id and name = ${job.name} and id < ${job.id}
        ) as attempts,
        exists (
          select from namespaces top where top.id = namespaces.traversal_ids[1] and top.ip_restriction_ranges <> ''
        ) as networks
      from pipelines
      join projects on projects.id = pipelines.project_id
      join namespaces on namespaces.id = projects.namespace_id
      left join users on users.id = ${job.user_id}
      where pipelines.id = ${job.pipeline_id}`.execute(db);
    const [found] = rows;
    if (!found) return undefined;
    const { namespace_id: namespaceId, running, languages, project: _project, ...rest } = found;
    const { namespace: _namespace, pipeline: _pipeline, user: _user, ...has } = rest;
    const [project, namespace, pipeline, user] = await Promise.all([
      projectOf(db, job.project_id, found.project),
      namespaceOf(db, namespaceId, found.namespace),
      pipelineOf(db, job.pipeline_id, found.pipeline),
      found.user === null || job.user_id === null ? null : userOf(db, job.user_id, found.user),
    ]);
    if (!project || !namespace || !pipeline) return undefined;
    return { rows: { project, namespace, pipeline, user: user ?? null }, running, languages, has };
  };
}
