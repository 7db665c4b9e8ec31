/** Plans of the demo organisation: labels, milestones, iterations, epics, issues with their history, boards and deployments. */
import type { ApiClient } from '@millrace/api-client';
import { DemoError, must } from './api.ts';
import type { Plan, PlannedIssue } from './organisation.ts';

export interface Planners {
  actor(username: string): { readonly id: number; readonly api: ApiClient };
  /** Id of a project by its full path. */
  project(path: string): string;
  print(line: string): void;
}

const dayMs = 86_400_000;
/** This time of the day, so many days from now. */
const timeOn = (day: number) => new Date(Date.now() + day * dayMs).toISOString();
const dayOn = (day: number) => timeOn(day).slice(0, 10);

/** Ids by title; a title that is not there is a mistake in the plan. */
function idsBy(noun: string) {
  const ids = new Map<string | number, number>();
  return {
    set: (title: string | number, id: number) => void ids.set(title, id),
    of(title: string | number): number {
      const id = ids.get(title);
      if (id === undefined) throw new DemoError(`the demo has no ${noun} ${title}`);
      return id;
    },
  };
}

/** Writes down the plan and what is done of it, at the times at which it was. */
export async function fillPlan(plan: Plan, { actor, project, print }: Planners): Promise<void> {
  const { api } = actor(plan.planner);
  const path = { id: plan.group };
  const [labels, milestones, iterations, epics] = ['label', 'milestone', 'iteration', 'epic'].map(idsBy) as [
    ...[ReturnType<typeof idsBy>, ReturnType<typeof idsBy>, ReturnType<typeof idsBy>, ReturnType<typeof idsBy>],
  ];
  for (const label of plan.labels)
    labels.set(
      label.name,
      (await must(`label ${label.name}`, api.POST('/groups/{id}/labels', { params: { path }, body: label }))).id,
    );
  for (const { title, description, from, to } of plan.milestones) {
    const body = { title, description, start_date: dayOn(from), due_date: dayOn(to) };
    milestones.set(
      title,
      (await must(`milestone ${title}`, api.POST('/groups/{id}/milestones', { params: { path }, body }))).id,
    );
  }
  for (const [at, { from, to }] of plan.iterations.entries()) {
    const body = { start_date: dayOn(from), due_date: dayOn(to) };
    iterations.set(
      at,
      (await must(`iteration ${at}`, api.POST('/groups/{id}/iterations', { params: { path }, body }))).id,
    );
  }
  for (const { title, description, labels: names, parent, from, to } of plan.epics) {
    const body = {
      ...{ title, description, start_date_is_fixed: true, start_date_fixed: dayOn(from) },
      ...{ due_date_is_fixed: true, due_date_fixed: dayOn(to), labels: [...(names ?? [])] },
      ...(parent === undefined ? {} : { parent_id: epics.of(parent) }),
    };
    epics.set(title, (await must(`epic ${title}`, api.POST('/groups/{id}/epics', { params: { path }, body }))).id);
  }
  print(`plan     ${plan.group} (${plan.milestones.length} milestones, ${plan.epics.length} epics)`);

  /** The issue as it was written, then closed and opened again, with what was said about it. */
  async function write(issue: PlannedIssue): Promise<void> {
    const id = project(issue.project);
    const { iid } = await must(
      `issue "${issue.title}"`,
      api.POST('/projects/{id}/issues', {
        params: { path: { id } },
        body: {
          ...{ title: issue.title, created_at: timeOn(issue.created), labels: [...(issue.labels ?? [])] },
          ...(issue.weight === undefined ? {} : { weight: issue.weight }),
          ...(issue.assignee === undefined ? {} : { assignee_ids: [actor(issue.assignee).id] }),
          ...(issue.milestone === undefined ? {} : { milestone_id: milestones.of(issue.milestone) }),
          ...(issue.epic === undefined ? {} : { epic_id: epics.of(issue.epic) }),
          ...(issue.iteration === undefined ? {} : { iteration_id: iterations.of(issue.iteration) }),
        },
      }),
    );
    const one = { path: { id, issue_iid: iid } };
    for (const { author, text } of issue.comments ?? [])
      await must(
        `comment on "${issue.title}"`,
        actor(author).api.POST('/projects/{id}/issues/{issue_iid}/notes', { params: one, body: { body: text } }),
      );
    for (const [at, day] of (issue.turns ?? []).entries()) {
      const state_event = at % 2 === 0 ? ('close' as const) : ('reopen' as const);
      await must(
        `${state_event} "${issue.title}"`,
        api.PUT('/projects/{id}/issues/{issue_iid}', { params: one, body: { state_event, updated_at: timeOn(day) } }),
      );
    }
  }
  for (const issue of plan.issues) await write(issue);
  for (const { title, closed } of plan.milestones)
    if (closed)
      await must(
        `closing ${title}`,
        api.PUT('/groups/{id}/milestones/{milestone_id}', {
          params: { path: { ...path, milestone_id: milestones.of(title) } },
          body: { state_event: 'close' },
        }),
      );
  print(`issues   ${plan.issues.length} in ${new Set(plan.issues.map((issue) => issue.project)).size} projects`);

  const columns = plan.columns.map((name) => ({ label_id: labels.of(name) }));
  const board = await must(
    'the board of the group',
    api.POST('/groups/{id}/boards', { params: { path }, body: { name: 'All projects' } }),
  );
  for (const body of columns)
    await must(
      'a list of the board',
      api.POST('/groups/{id}/boards/{board_id}/lists', { params: { path: { ...path, board_id: board.id } }, body }),
    );
  const roadmap = await must(
    'the epic board',
    api.POST('/groups/{id}/epic_boards', { params: { path }, body: { name: 'Epics' } }),
  );
  for (const body of columns)
    await must(
      'a list of the epic board',
      api.POST('/groups/{id}/epic_boards/{board_id}/lists', {
        params: { path: { ...path, board_id: roadmap.id } },
        body,
      }),
    );
  for (const each of new Set(plan.issues.map((issue) => issue.project))) {
    const id = project(each);
    const own = await must(
      `the board of ${each}`,
      api.POST('/projects/{id}/boards', { params: { path: { id } }, body: { name: 'Development' } }),
    );
    for (const body of columns)
      await must(
        `a list of the board of ${each}`,
        api.POST('/projects/{id}/boards/{board_id}/lists', { params: { path: { id, board_id: own.id } }, body }),
      );
  }
  for (const each of plan.deployed) await deploy(api, project(each));
  print(`deployed ${plan.deployed.join(', ')}`);
}

/** The default branch is what runs in production. */
async function deploy(api: ApiClient, id: string): Promise<void> {
  const { commit } = await must(
    'the default branch',
    api.GET('/projects/{id}/repository/branches/{branch}', { params: { path: { id, branch: 'main' } } }),
  );
  const body = { environment: 'production', sha: commit.id, ref: 'main', tag: false, status: 'success' as const };
  await must('a deployment', api.POST('/projects/{id}/deployments', { params: { path: { id } }, body }));
}
