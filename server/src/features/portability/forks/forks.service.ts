/** Forks: a project with a copy of another's repository, made in the background. */
import Type from 'typebox';
import { entityOfPlace, originOfCaller, recordAudit } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { projectFacts, recordFact } from '../../../kernel/events/index.ts';
import { conflict, HttpError, invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import { addJob, defineTask, unlessGone } from '../../../kernel/queue/index.ts';
import type { Attributes, CreateProject, ProjectService } from '../../namespaces/index.ts';
import {
  findNamespaceSubject,
  findPersonalNamespace,
  findProject,
  findProjectSubject,
  PlaceTaken,
  requireLinkable,
} from '../../namespaces/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { clearForkedFrom, mayForkTo, setForkedFrom, setImport } from './forks.queries.ts';

export interface ForkOptions {
  readonly name?: string;
  readonly path?: string;
  readonly description?: string | null;
  readonly visibility?: Attributes['visibility'];
  readonly mr_default_target_self?: boolean;
  /** Only these; all branches and tags without it. */
  readonly branches?: readonly string[];
  /** Id or path; the personal namespace without it. */
  readonly namespace?: string;
}

const copyTask = {
  name: 'namespaces.copy_fork',
  maxAttempts: 3,
};

/** Settings that a fork starts with. */
const inherited = [
  'auto_cancel_pending_pipelines',
  'builds_access_level',
  'ci_config_path',
  'ci_default_git_depth',
  'description',
  'environments_access_level',
  'issues_access_level',
  'lfs_enabled',
  'merge_requests_access_level',
  'releases_access_level',
  'repository_access_level',
  'snippets_access_level',
  'squash_option',
  'topics',
  'wiki_access_level',
] as const satisfies readonly (keyof Project)[];

const startsWith = (source: Project): Partial<Project> =>
  Object.fromEntries(inherited.map((name) => [name, source[name]])) as Partial<Project>;

export function forkService(deps: PortabilityDependencies, projects: ProjectService) {
  const { db } = deps;

  async function namespaceId(caller: Caller, wanted: string | undefined): Promise<number> {
    const own = caller.user && (await findPersonalNamespace(db, caller.user.id));
    const found = wanted === undefined ? own : (await findNamespaceSubject(db, wanted, caller.user?.id ?? null))?.group;
    if (!found) throw notFound('Target Namespace');
    return found.id;
  }

  async function fork(source: ProjectSubject, caller: Caller, options: ForkOptions): Promise<ProjectSubject> {
    if (!canOnProject(caller, 'read_code', source)) throw notFound('Project');
    const { project } = source;
    const namespace = await namespaceId(caller, options.namespace);
    if (!(await mayForkTo(db, source.namespace.traversal_ids, namespace))) throw notFound('Target Namespace');
    const { branches, namespace: _, ...given } = options;
    for (const branch of branches ?? [])
      if (!(await deps.repository.hasBranch(project, branch))) throw invalidRecord({ branches: ['does not exist'] });
    try {
      return await projects.create(
        caller,
        { name: options.name ?? project.name, path: options.path ?? project.path, namespace_id: namespace, ...given },
        {
          source: project,
          columns: {
            ...startsWith(project),
            default_branch: branches?.[0] ?? project.default_branch,
            forked_from_project_id: project.id,
            import_status: 'scheduled',
            ...(options.description === undefined ? {} : { description: options.description }),
          },
          // In the transaction of the row: either both are there or neither.
          within: (tx, id) =>
            addJob(tx, copyTask, { project_id: id, source_id: project.id, ...(branches ? { branches } : {}) }),
        },
      );
    } catch (error) {
      throw error instanceof PlaceTaken ? new HttpError(409, error.body) : error;
    }
  }

  const copy = defineTask(
    copyTask.name,
    Type.Object({
      project_id: Type.Integer(),
      source_id: Type.Integer(),
      branches: Type.Optional(Type.Array(Type.String())),
    }),
    async ({ project_id, source_id, branches }, { attempt, maxAttempts }) => {
      const target = await findProject(db, project_id);
      if (!target || target.import_status === 'finished') return;
      const source = await findProject(db, source_id);
      if (!source) return await setImport(db, project_id, 'failed', 'The project that it is a copy of is gone');
      await setImport(db, project_id, 'started');
      // Whoever removes the project meanwhile wants no copy; the sweep of the storage takes what there is of one.
      await unlessGone(
        () => findProject(db, project_id),
        async () => {
          try {
            await deps.repository.projectCopied(source, target, branches ?? null);
            await setImport(db, project_id, 'finished');
          } catch (error) {
            const next = attempt < maxAttempts ? 'scheduled' : 'failed';
            await setImport(db, project_id, next, 'The repository could not be copied');
            throw error;
          }
        },
      );
    },
    { maxAttempts: copyTask.maxAttempts, timeout: 3_600_000 },
  );

  const record = (
    tx: Db,
    subject: ProjectSubject,
    caller: Caller,
    change: { from: number | null; to: number | null },
  ) =>
    recordAudit(tx, {
      ...originOfCaller(caller),
      entity: entityOfPlace(subject),
      event: 'project_fork_relation_updated',
      details: { change: 'forked_from_project_id', ...change },
    });

  /** Makes a project with a copy of what another has in its repository, without being its fork. */
  async function copyOf(source: ProjectSubject, caller: Caller, params: CreateProject): Promise<ProjectSubject> {
    const { project } = source;
    return await projects.create(caller, params, {
      source: null,
      columns: { ...startsWith(project), default_branch: project.default_branch, import_status: 'scheduled' },
      within: (tx, id) => addJob(tx, copyTask, { project_id: id, source_id: project.id }),
    });
  }

  /** Makes a project that exists a fork of another. */
  async function relate(subject: ProjectSubject, caller: Caller, sourceId: string): Promise<ProjectSubject> {
    const source = await findProjectSubject(db, sourceId, caller.user?.id ?? null);
    if (!source || !canOnProject(caller, 'fork_project', source)) throw notFound('Source Project');
    if (subject.project.forked_from_project_id !== null) throw conflict('Project already forked');
    if (source.project.id === subject.project.id) throw conflict('A project cannot be its own fork');
    await transaction(db, async (tx: Db) => {
      await requireLinkable(tx, subject.project.id, source.project.id);
      await setForkedFrom(tx, subject.project.id, source.project.id);
      await record(tx, subject, caller, { from: null, to: source.project.id });
    });
    return await projects.reload(subject.project, caller);
  }

  /** Forgets where a project was forked from; false when nothing was known. */
  async function unrelate(subject: ProjectSubject, caller: Caller): Promise<boolean> {
    const { id, forked_from_project_id: from } = subject.project;
    if (from === null) return false;
    return await transaction(db, async (tx: Db) => {
      if (!(await clearForkedFrom(tx, id, from))) return false;
      await record(tx, subject, caller, { from, to: null });
      const context = { project_id: id, actor_id: caller.user?.id ?? null };
      await recordFact(tx, projectFacts.unrelated, { project_id: id }, context);
      return true;
    });
  }

  return { fork, copyOf, relate, unrelate, tasks: [copy] };
}
export type ForkService = ReturnType<typeof forkService>;
