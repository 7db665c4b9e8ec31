/** Sizes, commits and languages of repositories, measured after pushes; and the maintenance that people ask for. */
import * as git from '@millrace/git';
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { type FactConsumer, onMany, pushed } from '../../../kernel/events/index.ts';
import { addJob, type CronItem, defineTask, type Task, unlessGone } from '../../../kernel/queue/index.ts';
import { recordMeasures } from '../../namespaces/index.ts';
import { headOf, type OpenRepository } from '../reading/git-reader.ts';
import { type LanguageShare, languagesOf } from './languages.ts';
import { forgetOldFetches, knownLanguages, recordLanguages } from './measuring.queries.ts';

/** After a push: others that follow at once are measured with it. */
const patience = 2_000;

const measureTask = { name: 'repository.measure', maxAttempts: 3 };
const housekeepingTask = { name: 'repository.housekeeping', maxAttempts: 2 };

export function repositoryMeasuring(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly project: (db: Db, id: number) => Promise<Project | null>;
  readonly maintain: (project: Project, full: boolean) => Promise<void>;
  /** Looks for the licence, and keeps what it finds. */
  readonly licenseOf: (project: Project) => Promise<unknown>;
}) {
  const { db, open } = deps;

  /** Of the default branch as it is now. */
  async function languages(project: Project): Promise<LanguageShare[]> {
    if (project.refs_generation === 0) return [];
    const head = await headOf(open, project);
    if (head === project.languages_commit) return await knownLanguages(db, project.id);
    const found = head === null ? [] : await languagesOf(open(project), head);
    await transaction(db, (tx) => recordLanguages(tx, project.id, head, found));
    return found;
  }

  async function measure(id: number): Promise<void> {
    const project = await deps.project(db, id);
    if (!project || project.refs_generation === 0) return;
    const head = await headOf(open, project);
    const [size, commits] = await Promise.all([
      git.diskSize(open(project)),
      head === null ? 0 : git.countCommits(open(project), { from: [head] }),
    ]);
    await recordMeasures(db, id, { repository_size: size, commit_count: commits });
    await languages(project);
    await deps.licenseOf(project);
  }

  const measureUnlessGone = (id: number) =>
    unlessGone(
      () => deps.project(db, id),
      () => measure(id),
    );

  const due = (handle: Db, id: number, after = 0) =>
    addJob(
      handle,
      measureTask,
      { project_id: id },
      { jobKey: `${measureTask.name}:${id}`, jobKeyMode: 'preserve_run_at', runAt: new Date(Date.now() + after) },
    );

  async function housekeep(id: number, prune: boolean): Promise<void> {
    const project = await deps.project(db, id);
    if (!project) return;
    await deps.maintain(project, prune);
    await measureUnlessGone(id);
  }

  const ofProject = Type.Object({ project_id: Type.Integer() });
  const forget = defineTask('repository.forget_fetches', Type.Object({}), () => forgetOldFetches(db));
  const tasks: Task[] = [
    defineTask(measureTask.name, ofProject, ({ project_id }) => measureUnlessGone(project_id), {
      maxAttempts: measureTask.maxAttempts,
      timeout: 600_000,
    }),
    defineTask(
      housekeepingTask.name,
      Type.Object({ project_id: Type.Integer(), prune: Type.Boolean() }),
      ({ project_id, prune }) => housekeep(project_id, prune),
      { maxAttempts: housekeepingTask.maxAttempts, timeout: 3_600_000 },
    ),
    forget,
  ];
  const consumers: FactConsumer[] = [
    {
      name: 'repository.measure',
      handlers: [
        // Those that wait together are of one project.
        onMany(pushed, async ([push]) => {
          if (push && push.project_id !== null) await due(db, push.project_id, patience);
        }),
      ],
    },
  ];
  const cron: CronItem[] = [{ schedule: '17 3 * * *', task: forget.name }];

  return {
    tasks,
    consumers,
    cron,
    languages,
    /** Measures soon. */
    due,
    /** Asks for maintenance; one that waits already is enough. */
    askHousekeeping: (id: number, prune: boolean) =>
      addJob(db, housekeepingTask, { project_id: id, prune }, { jobKey: `${housekeepingTask.name}:${id}` }),
  };
}
export type RepositoryMeasuring = ReturnType<typeof repositoryMeasuring>;
