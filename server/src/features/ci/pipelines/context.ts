/** What a pipeline is about before it is stored: facts, commit and variables, as rules and the row want them. */
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { CiCommit, CiDependencies } from '../deps.ts';
import { languageNames } from '../jobs/context.queries.ts';
import { openTrigger, shortToken } from '../triggers/tokens.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import {
  commitVariables,
  freezeVariables,
  type PipelineFacts,
  projectVariables,
  serverVariables,
  type UpstreamFacts,
  userVariables,
  wholeSeconds,
} from '../variables/predefined.ts';
import { secretVariablesByEnvironment } from '../variables/secret-variables.ts';
import { asPush, mergeRequestFacts, ownRequest, readableRequestsOf } from './pipeline-facts.ts';
import { shortRef } from './references.ts';
import { releaseDescription } from './releases.queries.ts';
import type { ContextRequest, Upstream } from './request.ts';

/** Reads what has the same answer for all requests of one project that are looked at together. */
export type Once = <T>(key: string, load: () => Promise<T>) => Promise<T>;

export const always: Once = (_key, load) => load();

/** Remembers for as long as it is held: for requests that are made at one time. */
export function remembering(): Once {
  const known = new Map<string, Promise<unknown>>();
  return <T>(key: string, load: () => Promise<T>) => {
    const loading = (known.get(key) as Promise<T> | undefined) ?? load();
    known.set(key, loading);
    return loading;
  };
}

export interface RuleVariables {
  /** Which the configuration may replace. */
  readonly predefined: readonly JobVariable[];
  /** Whose pipeline it is, which the configuration cannot replace, but people can. */
  readonly user: readonly JobVariable[];
  /** Of people, which replace the configuration's. */
  readonly given: readonly JobVariable[];
  /** Those of people for jobs of an environment; null where they are the same. */
  readonly givenFor?: (environment: string) => readonly JobVariable[] | null;
}

/** Everything about a pipeline that is not stored yet: what rules, variables and the row are made of. */
export interface PipelineContext {
  readonly facts: PipelineFacts;
  readonly commit: CiCommit;
  /** When the pipeline that is made of it was created. */
  readonly createdAt: Date;
  /** As the configuration's rules see them, weakest first. */
  readonly variables: RuleVariables;
}

const upstreamOf = ({ id, pipeline_id, project_id }: Upstream['job']): UpstreamFacts => ({
  jobId: id,
  pipelineId: pipeline_id,
  projectId: project_id,
});

export function pipelineContexts(deps: CiDependencies) {
  const { db, repository } = deps;

  /** Protection is decided on the full ref: a branch that is named like a protected tag is not protected by it. */
  async function factsOf(request: ContextRequest, once: Once): Promise<PipelineFacts> {
    const { subject, mergeRequest } = request;
    const { name, tag, branch } = shortRef(request.ref);
    const place = { project: subject.project, namespace: subject.namespace as Namespace };
    const merge = mergeRequest ? await mergeRequestFacts(deps, db, place, mergeRequest) : null;
    const refProtected = merge
      ? subject.project.protect_merge_request_pipelines &&
        merge.source?.id === merge.target.id &&
        merge.source.branchProtected &&
        merge.target.branchProtected &&
        // Whoever may not merge it does not get its secrets by a pipeline either.
        (await repository.mayUpdate(subject, request.caller, `refs/heads/${merge.row.target_branch}`))
      : await once(`protected ${request.ref}`, () => repository.isProtected(subject.project, request.ref));
    return asPush({
      sha: request.sha,
      beforeSha: request.beforeSha,
      ref: name,
      tag,
      tagMessage: tag ? await repository.tagMessage(subject.project, name) : null,
      releaseDescription: tag ? await releaseDescription(db, subject.project.id, name) : null,
      refProtected,
      source: request.source,
      mergeRequest: merge,
      scheduleDescription: request.schedule?.description ?? null,
      triggerShortToken: request.trigger ? shortToken(openTrigger(deps, request.trigger)) : null,
      upstream: request.upstream ? upstreamOf(request.upstream.job) : null,
      openMergeRequests: merge
        ? ownRequest(merge)
        : branch
          ? await once(`requests ${name}`, () =>
              readableRequestsOf(deps, db, request.caller.user?.id ?? null, subject.project.id, name),
            )
          : [],
    });
  }

  async function contextOf(request: ContextRequest, configPath: string, once: Once = always): Promise<PipelineContext> {
    const { subject } = request;
    const facts = await factsOf(request, once);
    const { refProtected } = facts;
    const commit = await once(`commit ${request.sha}`, () => repository.commit(subject, request.sha));
    const languages = await once('languages', () => languageNames(db, subject.project.id));
    const frozen = await once('frozen', () => deps.deployments.frozen(db, subject.project.id));
    const secret = await once(`secret ${refProtected}`, () =>
      secretVariablesByEnvironment(deps, db, subject, refProtected),
    );
    const asked = (request.variables ?? []).map((item) =>
      variable(item.key, item.value, { file: item.variable_type === 'file', raw: item.raw ?? false }),
    );
    const createdAt = new Date();
    return {
      facts,
      commit,
      createdAt,
      variables: {
        predefined: [
          ...serverVariables(deps),
          ...projectVariables(subject, deps.externalUrl, configPath, languages),
          variable('CI_PIPELINE_CREATED_AT', wholeSeconds(createdAt.toISOString())),
          ...commitVariables(facts, commit),
          ...freezeVariables(frozen),
        ],
        user: userVariables(request.caller.user),
        given: [...secret.general, ...asked],
        givenFor: (environment) => {
          const own = secret.of(environment);
          return own && [...own, ...asked];
        },
      },
    };
  }

  /** What a configuration is checked with while the repository has no commit. */
  async function emptyContextOf(request: ContextRequest, configPath: string) {
    const { subject } = request;
    const predefined = [...serverVariables(deps), ...projectVariables(subject, deps.externalUrl, configPath)];
    const user = userVariables(request.caller.user);
    return { facts: await factsOf(request, always), variables: { predefined, user, given: [] } };
  }

  return { contextOf, emptyContextOf };
}
