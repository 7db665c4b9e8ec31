/** What other systems say of a commit: kept in its pipeline, which is made where there is none. */

import { ZERO_SHA } from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, lockInTransaction, transaction } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import { pipelineFacts, recordFact } from '../../../kernel/events/index.ts';
import { badRequest, forbidden, notFound, plainError } from '../../../kernel/http/errors.ts';
import type { CiDependencies } from '../deps.ts';
import { blankPipeline, findPipeline, insertPipeline, newestPipeline } from '../pipelines/pipelines.queries.ts';
import { fullRef, shortRef } from '../pipelines/references.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import { processPipeline } from '../scheduling/process.ts';
import * as queries from './statuses.queries.ts';
import { type ExternalState, hasEnded, transitionProblem } from './transitions.ts';

export interface SetStatus {
  readonly revision: string;
  readonly state: ExternalState;
  readonly name: string;
  readonly ref: string | undefined;
  readonly pipelineId: number | undefined;
  readonly targetUrl: string | undefined;
  readonly description: string | undefined;
  readonly coverage: number | undefined;
}

interface StatusRef {
  /** Its short name. */
  readonly ref: string;
  readonly tag: boolean;
}

/** Names in one pipeline: nobody looks at more. */
const mostNames = 1000;

export function statusService(deps: CiDependencies) {
  const { db, repository } = deps;

  async function commitOf(subject: ProjectSubject, revision: string): Promise<string> {
    const sha = await repository.resolve(subject.project, revision);
    if (sha === null) throw notFound('Commit');
    return sha;
  }

  /** The branch or tag that a status is for: the named one, that of the commit's newest pipeline, or a branch with it. */
  async function refOf(subject: ProjectSubject, sha: string, named: string | undefined): Promise<StatusRef> {
    const { project } = subject;
    if (named !== undefined) {
      const { name: ref, tag, branch } = shortRef(named);
      if (tag || branch) return { ref, tag };
      // Other systems also name branches that are gone or in a fork: only what is a tag and no branch is a tag.
      const has = async (kind: string) => (await repository.resolve(project, `refs/${kind}/${ref}`)) !== null;
      return { ref, tag: !(await has('heads')) && (await has('tags')) };
    }
    const newest = await newestPipeline(db, project.id, { sha });
    if (newest) return { ref: newest.ref, tag: newest.tag };
    const branches = await repository.branchesWith(project, sha);
    const ref = branches.find((branch) => branch === project.default_branch) ?? branches[0];
    if (ref === undefined) throw notFound('References for commit');
    return { ref, tag: false };
  }

  async function makePipeline(
    tx: Db,
    subject: ProjectSubject,
    caller: Caller,
    sha: string,
    place: StatusRef,
    isProtected: boolean,
  ): Promise<Pipeline> {
    const { project } = subject;
    const commit = await repository.commit(subject, sha);
    const row = blankPipeline({
      project_id: project.id,
      sha,
      before_sha: ZERO_SHA,
      ...place,
      ref_protected: isProtected,
      source: 'external',
      user_id: caller.user?.id ?? null,
      merge_request_id: null,
      committed_at: new Date(commit.committed_date),
    });
    const iid = await deps.takeIids(tx, project.id, 'pipeline', 1);
    const pipeline = await insertPipeline(tx, { ...row, auto_cancel_on_new_commit: 'none', iid });
    const payload = { pipeline_id: pipeline.id, status: pipeline.status };
    await recordFact(tx, pipelineFacts.created, payload, { project_id: project.id, actor_id: pipeline.user_id });
    await deps.announce(tx, `project:${project.id}:pipelines`);
    return pipeline;
  }

  return {
    commitOf,
    async set(subject: ProjectSubject, caller: Caller, asked: SetStatus): Promise<queries.StatusRow> {
      const { project } = subject;
      const sha = await commitOf(subject, asked.revision);
      const given = asked.pipelineId === undefined ? null : await findPipeline(db, project.id, asked.pipelineId);
      if (given !== null && given?.sha !== sha) throw notFound('Pipeline');
      const place = given ?? (await refOf(subject, sha, asked.ref));
      const isProtected = await repository.isProtected(project, fullRef(place));
      // Statuses decide what is deployed and merged: on protected refs they are for those who may change these.
      if (isProtected && !(await repository.mayUpdate(subject, caller, fullRef(place)))) throw forbidden();
      const values: queries.StatusValues = {
        status: asked.state,
        target_url: asked.targetUrl,
        description: asked.description,
        coverage: asked.coverage?.toFixed(2),
      };
      return await transaction(db, async (tx) => {
        // Two that come first at the same time share one pipeline.
        if (!given) await lockInTransaction(tx, 'external pipeline', project.id, sha, fullRef(place));
        const found = given ?? (await newestPipeline(tx, project.id, { ref: place.ref, tag: place.tag, sha }));
        const known = found && (await lockPipeline(tx, found.id));
        if (given && !known) throw notFound('Pipeline');
        const pipeline = known ?? (await makePipeline(tx, subject, caller, sha, place, isProtected));
        const owner = { project_id: project.id, pipeline_id: pipeline.id, user_id: caller.user?.id ?? null };
        const latest = await queries.latestStatus(tx, pipeline.id, asked.name);
        if (!latest && (await queries.statusCount(tx, pipeline.id)) >= mostNames)
          throw badRequest(`a pipeline has at most ${mostNames} external statuses`);
        const current = latest && !hasEnded(latest.status as ExternalState) ? latest : null;
        const problem = current && transitionProblem(current.status as ExternalState, asked.state);
        if (problem) throw plainError(400, problem);
        const row = current
          ? await queries.updateStatus(tx, current, values)
          : await queries.insertStatus(tx, owner, asked.name, values);
        await processPipeline(deps, tx, pipeline.id, pipeline);
        await deps.announce(tx, `pipeline:${pipeline.id}`);
        return { ...row, sha, ref: pipeline.ref, allow_failure: false, job: false };
      });
    },
  };
}
export type StatusService = ReturnType<typeof statusService>;
