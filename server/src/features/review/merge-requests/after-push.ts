/**
 * What a push means for merge requests, told to the person who pushed: where to see or create one, and what the push options
 * asked for. The refs have moved: nothing here fails the push.
 */
import { ZERO_SHA } from '@millrace/git';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { milestoneNamed } from '../../collaboration/index.ts';
import { type MergeRequestWishes, type Pushed, readPushOptions } from '../../repository/index.ts';
import type { MergeAcceptance } from '../merging/acceptance.ts';
import { mayUpdateRequest } from './access.ts';
import { defaultText } from './default-text.ts';
import { isDraft } from './merge-requests.entity.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from './merge-requests.service.ts';

/** Branches of one push that options act on. */
const mostBranches = 10;
/** Branches of one push that an address is printed for. */
const mostHints = 3;

/** Tells of a part of the wishes that came to nothing. */
type Warn = (problem: string) => void;

/** Why a wish was not fulfilled, in words for the terminal. */
class Unfulfilled extends Error {}
const refuse = (reason: string): never => {
  throw new Unfulfilled(reason);
};

function wordsOf(error: unknown): string | null {
  if (error instanceof Unfulfilled) return error.message;
  if (!(error instanceof HttpError)) return null;
  const { body } = error;
  const said: unknown = 'message' in body ? body.message : body.error;
  if (typeof said === 'string') return said;
  if (Array.isArray(said)) return said.join(', ');
  return Object.entries(said as Record<string, string[]>)
    .map(([field, reasons]) => `${field.replaceAll('_', ' ')} ${reasons.join(', ')}`)
    .join(', ');
}

const titleOf = (title: string, draft: boolean | undefined) =>
  draft === undefined || draft === isDraft(title)
    ? title
    : draft
      ? `Draft: ${title}`
      : title.replace(/^(\s*(\[draft\]|\(draft\)|draft:)\s*)+/i, '');

export function afterPush(
  deps: MergeRequestDependencies,
  service: MergeRequestService,
  merging: Pick<MergeAcceptance, 'setAutoMerge'>,
) {
  const { db, repository } = deps;
  const { follow } = service;
  const wordsFor = defaultText(deps);

  const sees = (caller: Caller, subject: ProjectSubject) =>
    canOnProject(caller, 'read_merge_request', subject) && canOnProject(caller, 'read_code', subject);

  /** The project that a request is for: what is asked for, else what a fork is of, else the project itself. */
  async function targetOf(
    subject: ProjectSubject,
    caller: Caller,
    wished: string | number | undefined,
  ): Promise<ProjectSubject> {
    const { project, namespace } = subject;
    const path = `${namespace.full_path}/${project.path}`.toLowerCase();
    const from = project.mr_default_target_self ? null : project.forked_from_project_id;
    const asked = wished ?? from;
    if (asked === null || [path, String(project.id)].includes(String(asked).toLowerCase())) return subject;
    const found = await deps.projectAs(asked, caller);
    const fits = found && sees(caller, found) && (await repository.related(project.id, found.project.id));
    if (fits) return found;
    return wished === undefined
      ? subject
      : refuse(`There is no project ${wished} in the network of forks that you may see`);
  }

  /** Who is not there is told; the rest is done. */
  async function peopleOf(names: readonly string[], warn: Warn): Promise<number[]> {
    const found = await queries.usersNamed(db, names);
    for (const name of names) if (!found.has(name.toLowerCase())) warn(`There is no user ${name}`);
    return [...found.values()];
  }

  /** The milestone of a title; without one the rest is done, and told. */
  async function milestoneOf(subject: ProjectSubject, { milestone: title }: MergeRequestWishes, warn: Warn) {
    if (title === undefined) return {};
    const found = await milestoneNamed(db, subject, title);
    if (!found) warn(`There is no milestone ${title}`);
    return found ? { milestone_id: found.id } : {};
  }

  async function create(
    { subject: source, caller }: Pushed<ProjectSubject>,
    subject: ProjectSubject,
    branch: string,
    target: string,
    head: string,
    wishes: MergeRequestWishes,
    warn: Warn,
  ): Promise<MergeRequest> {
    if (!canOnProject(caller, 'create_merge_request', source)) refuse('You may not create merge requests here');
    const ends = { source, target: subject, sourceBranch: branch, targetBranch: target, head };
    const words = await wordsFor(caller, ends);
    return await service.create(subject, caller, {
      source,
      sourceBranch: branch,
      targetBranch: target,
      title: titleOf(wishes.title ?? words.title, wishes.draft).slice(0, 255),
      description: wishes.description ?? words.description,
      squash: wishes.squash,
      removeSourceBranch: wishes.removeSourceBranch,
      allowCollaboration: false,
      assigneeIds: await peopleOf(wishes.assign ?? [], warn),
      reviewerIds: await peopleOf(wishes.reviewers ?? [], warn),
      labels: (wishes.labels ?? []).filter((title) => !wishes.unlabel?.includes(title)),
      ...(await milestoneOf(subject, wishes, warn)),
    });
  }

  async function change(
    caller: Caller,
    subject: ProjectSubject,
    row: MergeRequest,
    wishes: MergeRequestWishes,
    warn: Warn,
  ): Promise<MergeRequest> {
    if (!(await mayUpdateRequest(db, subject, caller, row))) refuse(`You may not change !${row.iid}`);
    const [loaded] = await queries.withPeople(db, [row]);
    const away = new Set(await peopleOf(wishes.unassign ?? [], warn));
    const assignees = (loaded?.assignees ?? []).map(({ id }) => id);
    const reviewers = (loaded?.reviewers ?? []).map(({ id }) => id);
    const title = titleOf(wishes.title ?? row.title, wishes.draft).slice(0, 255);
    return await service.update(subject, caller, row, {
      ...(title === row.title ? {} : { title }),
      ...(wishes.description === undefined ? {} : { description: wishes.description }),
      ...(wishes.target === undefined ? {} : { target_branch: wishes.target }),
      ...(wishes.squash === undefined ? {} : { squash: wishes.squash }),
      ...(wishes.removeSourceBranch === undefined ? {} : { remove_source_branch: wishes.removeSourceBranch }),
      ...(wishes.assign || wishes.unassign
        ? { assignee_ids: [...assignees, ...(await peopleOf(wishes.assign ?? [], warn))].filter((id) => !away.has(id)) }
        : {}),
      ...(wishes.labels ? { add_labels: wishes.labels } : {}),
      ...(wishes.unlabel ? { remove_labels: wishes.unlabel } : {}),
      ...(await milestoneOf(subject, wishes, warn)),
      ...(wishes.reviewers ? { reviewer_ids: [...reviewers, ...(await peopleOf(wishes.reviewers, warn))] } : {}),
    });
  }

  /** Waits for the pipeline of the head that was pushed, which may not be there yet. */
  async function mergeLater(subject: ProjectSubject, caller: Caller, row: MergeRequest): Promise<void> {
    if (!canOnProject(caller, 'accept_merge_request', subject)) refuse('You may not merge here');
    if (!(await repository.mayMerge(subject, caller, row.target_branch)))
      refuse(`You may not merge into ${row.target_branch}`);
    await merging.setAutoMerge(row, caller, {});
  }

  /** What the options ask for one branch. */
  async function fulfil(
    pushed: Pushed<ProjectSubject>,
    branch: string,
    head: string,
    wishes: MergeRequestWishes,
    warn: Warn,
  ): Promise<void> {
    const { caller } = pushed;
    const { project } = pushed.subject;
    if (!caller.user) refuse('Only people create and change merge requests');
    const subject = await targetOf(pushed.subject, caller, wishes.targetProject);
    const open = await queries.openFromBranch(db, project.id, branch);
    const there = open.filter((row) => row.project_id === subject.project.id);
    const known =
      there.find((row) => row.target_branch === wishes.target) ??
      (there.length === 1 || !wishes.create ? there[0] : undefined);
    const target = wishes.target ?? subject.project.default_branch ?? 'main';
    if (wishes.target !== undefined && (await repository.branch(subject.project, target)) === null)
      refuse(`Target branch ${subject.namespace.full_path}/${subject.project.path}:${target} does not exist`);
    let row: MergeRequest;
    if (known) {
      // The head that the options are about is the one that was pushed.
      await follow(project.id, branch, head, caller.user?.id ?? null);
      row = await change(caller, subject, (await queries.byId(db, known.id)) ?? known, wishes, warn);
    } else if (wishes.create) row = await create(pushed, subject, branch, target, head, wishes, warn);
    else return refuse(`A merge_request.create push option is required to create a merge request for branch ${branch}`);
    if (wishes.autoMerge) await mergeLater(subject, caller, row);
  }

  /** The address of an open request of a branch, here or else where the caller sees it. */
  async function openOf(caller: Caller, { project }: ProjectSubject, branch: string): Promise<string | null> {
    const open = await queries.openFromBranch(db, project.id, branch);
    const own = open.find((row) => row.project_id === project.id);
    for (const row of own ? [own] : open.slice(0, mostHints)) {
      const target = await deps.projectAs(row.project_id, caller);
      if (target && sees(caller, target))
        return `${deps.externalUrl}/${target.namespace.full_path}/${target.project.path}/-/merge_requests/${row.iid}`;
    }
    return null;
  }

  async function hints({ subject, caller }: Pushed<ProjectSubject>, branches: readonly string[]): Promise<string[]> {
    const { project, namespace } = subject;
    if (!project.printing_merge_request_link_enabled || !canOnProject(caller, 'read_merge_request', subject)) return [];
    const url = `${deps.externalUrl}/${namespace.full_path}/${project.path}/-/merge_requests`;
    const topics = branches.filter((name) => name !== project.default_branch);
    if (topics.length > 1)
      return [`To view or create merge requests for these ${topics.length} branches, visit: ${url}`];
    const lines: string[] = [];
    for (const name of topics) {
      const open = await openOf(caller, subject, name);
      if (open) lines.push(`View merge request for ${name}:`, `  ${open}`);
      else if (canOnProject(caller, 'create_merge_request', subject))
        lines.push(
          `To create a merge request for ${name}, visit:`,
          `  ${url}/new?merge_request%5Bsource_branch%5D=${encodeURIComponent(name)}`,
        );
    }
    return lines;
  }

  /** Lines for the person who pushed. */
  return async function after(pushed: Pushed<ProjectSubject>): Promise<readonly string[]> {
    const { mergeRequest, written } = readPushOptions(pushed.pushOptions);
    const moved = pushed.moved.flatMap(({ ref, after: head }) =>
      ref.startsWith('refs/heads/') && head !== ZERO_SHA ? [{ branch: ref.slice('refs/heads/'.length), head }] : [],
    );
    const problems: string[] = [];
    if (mergeRequest && moved.length > mostBranches)
      problems.push(`Too many branches pushed (${moved.length} were pushed, limit is ${mostBranches})`);
    else if (mergeRequest)
      for (const { branch, head } of moved) {
        try {
          await fulfil(pushed, branch, head, mergeRequest, (problem) => problems.push(problem));
        } catch (error) {
          const words = wordsOf(error);
          if (words === null)
            deps.log.error({ err: error, project: pushed.subject.project.id }, 'a push option failed');
          problems.push(words ?? 'something went wrong on our side');
        }
      }
    const options = written.map((option) => `'${option}'`).join(' ');
    return [
      ...[...new Set(problems)].flatMap((problem) => [
        'WARNINGS:',
        `Error encountered with push options ${options}: ${problem}`,
        '',
      ]),
      ...(await hints(
        pushed,
        moved.map(({ branch }) => branch),
      )),
    ];
  };
}
