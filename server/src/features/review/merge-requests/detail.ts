/** A single merge request as the API shows it: with its status now, its pipeline and its conflicts. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { baseOf } from '../../../kernel/markdown/index.ts';
import type { PipelineDetailJson, PipelineJson } from '../../ci/index.ts';
import { stackBase } from '../../repository/index.ts';
import type { MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { rebaseInProgress } from '../merging/rebasing.ts';
import { mergeConflict } from './conflicts.entity.ts';
import { type MergeRequestDetailJson, mergeRequestJson } from './merge-requests.entity.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { openThreadsOf, partsOf } from './review-status.queries.ts';

/** The part of a pipeline that every object carries. */
const briefly = ({
  id,
  iid,
  project_id,
  sha,
  ref,
  status,
  source,
  created_at,
  updated_at,
  web_url,
}: PipelineJson): PipelineJson => ({ id, iid, project_id, sha, ref, status, source, created_at, updated_at, web_url });

/** Who takes part: the author, and those who are assigned or asked to review. */
const peopleOf = ({ author, assignees, reviewers }: queries.LoadedMergeRequest): number[] =>
  [author, ...assignees, ...reviewers].flatMap((person) => person?.id ?? []);

export interface DetailDependencies
  extends Pick<MergeRequestDependencies, 'db' | 'externalUrl' | 'repository' | 'markdown'> {
  readonly pipelines: {
    detail(id: number): Promise<PipelineDetailJson | null>;
    countOfMergeRequest(request: MergeRequest): Promise<number>;
    reportsOfMergeRequest(request: MergeRequest): Promise<string[]>;
  };
}

export function mergeRequestDetail(deps: DetailDependencies, statusOf: MergeCheckService['status']) {
  const { db, repository, pipelines } = deps;
  const urls = { base: deps.externalUrl };

  async function detail(
    subject: ProjectSubject,
    caller: Caller,
    row: MergeRequest,
    extra: {
      diverged?: boolean | undefined;
      rebase?: boolean | undefined;
      html?: boolean | undefined;
      counts?: boolean | undefined;
    } = {},
  ): Promise<MergeRequestDetailJson> {
    const current = await statusOf(subject, caller, row);
    const refs = current.row;
    const [[loaded], head, target, files, conflicts, mayMerge] = await Promise.all([
      queries.withPeople(db, [refs], subject, { firsts: true, reader: caller.user?.id ?? null }),
      refs.head_pipeline_id === null ? null : pipelines.detail(refs.head_pipeline_id),
      extra.diverged ? repository.branch(subject.project, refs.target_branch) : null,
      changesCount(subject, refs),
      conflictsOf(subject, caller, refs),
      row.state === 'opened' && repository.mayMerge(subject, caller, row.target_branch),
    ]);
    if (!loaded) throw recordNotFound();
    return {
      ...mergeRequestJson(loaded, urls, current.status),
      subscribed: loaded.responses.isSubscribed(peopleOf(loaded)),
      changes_count: files,
      latest_build_started_at: head?.started_at ?? null,
      latest_build_finished_at: head?.finished_at ?? null,
      first_deployed_to_production_at: loaded.firsts?.deployed ?? null,
      pipeline: head && briefly(head),
      head_pipeline: head,
      diff_refs:
        refs.base_sha && refs.head_sha && refs.start_sha
          ? { base_sha: refs.base_sha, head_sha: refs.head_sha, start_sha: refs.start_sha }
          : null,
      merge_error: refs.merge_error,
      ...(extra.html ? await htmlOf(subject, caller, refs) : {}),
      ...(extra.rebase ? { rebase_in_progress: rebaseInProgress(current.row) } : {}),
      ...(target !== null && refs.head_sha
        ? { diverged_commits_count: (await repository.divergence(subject.project, refs.head_sha, target)).ahead }
        : {}),
      ...(extra.counts ? { counts: await countsOf(subject, caller, refs) } : {}),
      ...conflicts,
      first_contribution: loaded.firsts?.contribution ?? false,
      user: { can_merge: mayMerge },
    };
  }

  /** What its tabs hold, and which of its parts are there at all. */
  async function countsOf(subject: ProjectSubject, caller: Caller, row: MergeRequest) {
    const { base_sha: base, head_sha: head } = row;
    const seesPipelines = canOnProject(caller, 'read_pipeline', subject);
    const [commits, built, reports, open_threads, parts] = await Promise.all([
      base && head ? repository.divergence(subject.project, base, head).then(({ ahead }) => ahead) : 0,
      seesPipelines ? pipelines.countOfMergeRequest(row) : null,
      seesPipelines ? pipelines.reportsOfMergeRequest(row) : [],
      openThreadsOf(db, row.id, canOnProject(caller, 'read_internal_note', subject)),
      partsOf(db, row.id, caller.user?.id ?? null),
    ]);
    return { commits, pipelines: built, reports, open_threads, ...parts };
  }

  /** Title and description as HTML; relative links are of the target branch. A title is a line without blocks. */
  async function htmlOf(subject: ProjectSubject, caller: Caller, row: MergeRequest) {
    const base = baseOf(subject, row.target_branch);
    const [title, description] = await Promise.all([
      deps.markdown.html(row.title, { caller, base, flavour: 'line' }),
      row.description === null ? null : deps.markdown.html(row.description, { caller, base }),
    ]);
    return { title_html: title, description_html: description };
  }

  /** Of the two commits that it was checked with. */
  async function conflictsOf(subject: ProjectSubject, caller: Caller, row: MergeRequest) {
    const [target, head] = row.checked_against?.split(':') ?? [];
    if (row.state !== 'opened' || !row.has_conflicts || !target || !head) return {};
    if (!canOnProject(caller, 'read_code', subject)) return {};
    const below = await stackBase(repository, subject.project, row, { target, head });
    return { conflicts: (await repository.conflicts(subject.project, target, head, below)).map(mergeConflict) };
  }

  /** Number of changed files; null before there are any. */
  async function changesCount(subject: ProjectSubject, row: MergeRequest): Promise<string | null> {
    if (row.base_sha === null || row.head_sha === null) return null;
    return await repository.changedFiles(subject.project, row.base_sha, row.head_sha);
  }

  return detail;
}

export type MergeRequestDetailOf = ReturnType<typeof mergeRequestDetail>;
