/** What a pipeline would be: the configuration compiled for an event that did not happen. */
import { formatLocated } from '@millrace/ci-config';
import { ZERO_SHA } from '@millrace/git';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import type { CiDependencies } from '../deps.ts';
import { compileWith, type PipelineInputs } from '../pipelines/compile.ts';
import { findConfig } from '../pipelines/config-file.ts';
import type { Pipelines } from '../pipelines/create.ts';
import { refOfRequest, shortRef } from '../pipelines/references.ts';
import type { ContextRequest } from '../pipelines/request.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import { type EventJson, explanationJson } from './explain.entity.ts';
import { findRequest } from './explain.queries.ts';

export interface PipelineEvent {
  /** Branch or tag; the default branch without it. */
  readonly ref?: string | undefined;
  readonly source?: ContextRequest['source'] | undefined;
  readonly merge_request_iid?: number | undefined;
  readonly variables?: Readonly<Record<string, string>> | undefined;
}

export type Explain = ReturnType<typeof explaining>;

export function explaining(deps: CiDependencies, pipelines: Pipelines) {
  const { repository, db } = deps;

  /** The ref and commit that the event is about. */
  async function placeOf(subject: ProjectSubject, event: PipelineEvent) {
    const { project } = subject;
    if (event.merge_request_iid !== undefined) {
      const mergeRequest = await findRequest(db, project.id, event.merge_request_iid);
      if (!mergeRequest?.head_sha) throw recordNotFound();
      const ref = refOfRequest(mergeRequest, project.id);
      return { ref, sha: mergeRequest.head_sha, source: 'merge_request_event' as const, mergeRequest };
    }
    const name = event.ref ?? project.default_branch ?? 'main';
    for (const ref of [`refs/heads/${name}`, `refs/tags/${name}`]) {
      const sha = await repository.resolve(project, ref);
      if (sha !== null) return { ref, sha, source: event.source ?? ('push' as const) };
    }
    throw notFound('Reference');
  }

  return async function explain(
    subject: ProjectSubject,
    caller: Caller,
    event: PipelineEvent,
    { content, inputs }: { readonly content?: string | undefined; readonly inputs?: PipelineInputs | undefined },
  ): Promise<EventJson> {
    const place = await placeOf(subject, event);
    const commit = await repository.commit(subject, place.sha);
    const request = { subject, caller, ...place, beforeSha: commit.parent_ids[0] ?? ZERO_SHA };
    const found = await findConfig(deps, subject.project, place.sha);
    const config = content === undefined ? found : { path: found?.path ?? '.gitlab-ci.yml', text: content };
    const shown = { ref: shortRef(place.ref).name, sha: place.sha, source: place.source };
    const nothing = { workflow: null, jobs: [] };
    if (!config)
      return { ...shown, outcome: 'invalid', errors: ['Missing CI config file'], complete: true, ...nothing };
    const { facts, variables } = await pipelines.contextOf(request, config.path);
    // What settings hold decides only for those whose pipelines get it.
    const complete =
      canOnProject(caller, 'create_pipeline', subject) &&
      (place.ref.startsWith('refs/merge-requests/') || (await repository.mayUpdate(subject, caller, place.ref)));
    const own: JobVariable[] = Object.entries(event.variables ?? {}).map(([key, value]) => variable(key, value));
    const given = [...(complete ? variables.given : []), ...own];
    const givenFor = (environment: string) => {
      const scoped = complete ? variables.givenFor?.(environment) : null;
      return scoped ? [...scoped, ...own] : null;
    };
    const result = await compileWith(deps, {
      subject,
      caller,
      config,
      sha: place.sha,
      facts,
      variables: { ...variables, given, givenFor },
      inputs,
    });
    const outcome = result.ok ? 'pipeline' : result.filtered ? 'none' : 'invalid';
    const errors = result.ok ? [] : result.errors.map(formatLocated);
    return { ...shown, outcome, errors, complete, ...explanationJson(result) };
  };
}
