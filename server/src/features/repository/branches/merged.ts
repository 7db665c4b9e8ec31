/** Removing the branches that the default branch has already: long, so a task that goes on where it was stopped. */
import * as git from '@millrace/git';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { HttpError, unauthorized } from '../../../kernel/http/errors.ts';
import { IdOrPath } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { headOf, type OpenRepository } from '../reading/git-reader.ts';
import type { RefService } from '../refs/refs.service.ts';
import { rulesOf } from '../writes/protection.ts';
import { branchRules, nobody } from '../writes/protections.queries.ts';
import { branchesInReview } from './merged.queries.ts';

export interface MergedBranchesDependencies {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly refs: RefService;
  /** The person and the project as they are now; null when either is gone or may not act. */
  readonly actingAs: (
    userId: number,
    projectId: number,
  ) => Promise<{ readonly caller: Caller; readonly subject: ProjectSubject } | null>;
}

const Accepted = Entity('Accepted', { message: Text() });
const removal = { name: 'repository.remove_merged_branches', maxAttempts: 5 };

export function mergedBranches(deps: MergedBranchesDependencies): { routes: Route[]; tasks: Task[] } {
  const { db, open, refs } = deps;

  async function remove(userId: number, projectId: number, signal: AbortSignal): Promise<void> {
    const acting = await deps.actingAs(userId, projectId);
    if (!acting || !canOnProject(acting.caller, 'push_code', acting.subject)) return;
    const { caller, subject } = acting;
    const { project } = subject;
    const tip = await headOf(open, project);
    if (tip === null) return;
    const merged = await git.branchesMergedInto(open(project), tip);
    const [rules, inReview] = await Promise.all([
      branchRules(db, project.id, nobody),
      branchesInReview(db, project.id),
    ]);
    for (const full of merged) {
      signal.throwIfAborted();
      const name = full.slice('refs/heads/'.length);
      if (name === project.default_branch || inReview.has(name) || rulesOf(rules, name).length > 0) continue;
      try {
        await refs.deleteMerged(subject, caller, name, tip);
      } catch (error) {
        // One that a rule keeps is kept; the others go.
        if (!(error instanceof HttpError) || error.status >= 500) throw error;
      }
    }
  }

  return {
    routes: [
      route({
        method: 'DELETE',
        path: '/projects/:id/repository/merged_branches',
        summary: 'Delete the branches that are merged into the default branch',
        tag: 'Branches',
        credentials: ['token', 'session'],
        access: { on: 'project', ability: 'push_code' },
        params: Type.Object({ id: IdOrPath('Id or path of the project') }),
        responses: { 202: Accepted },
        conditional: 'Many branches, each with a date of its own.',
        handler: async ({ subject, caller }) => {
          if (!caller.user) throw unauthorized();
          const work = { project_id: subject.project.id, user_id: caller.user.id };
          await addJob(db, removal, work, { jobKey: `${removal.name}:${work.project_id}:${work.user_id}` });
          return { message: '202 Accepted' };
        },
      }),
    ],
    tasks: [
      defineTask(
        removal.name,
        Type.Object({ project_id: Type.Integer(), user_id: Type.Integer() }),
        ({ project_id, user_id }, { signal }) => remove(user_id, project_id, signal),
        { maxAttempts: removal.maxAttempts, timeout: 600_000 },
      ),
    ],
  };
}
