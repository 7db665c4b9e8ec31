/** Payloads of milestones. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Milestone, Namespace } from '../../../kernel/db/rows.ts';
import { dateText, projectPart, type Urls } from '../../review/messages/index.ts';

export const milestoneActions = {
  'milestone.created': 'create',
  'milestone.closed': 'close',
  'milestone.reopened': 'reopen',
  'milestone.deleted': 'delete',
} as const;

/** A milestone as a row or as its fact has it. */
interface ToldMilestone extends Omit<Milestone, 'namespace_id' | 'created_at' | 'updated_at'> {
  readonly namespace_id: number | null;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

export function milestonePayload(
  urls: Urls,
  place: ProjectSubject | Namespace,
  milestone: ToldMilestone,
  action: (typeof milestoneActions)[keyof typeof milestoneActions],
) {
  const subject = 'project' in place ? place : null;
  const group = 'full_path' in place ? place : null;
  return {
    object_kind: 'milestone',
    event_type: 'milestone',
    project: subject && projectPart(subject, urls),
    ...(group
      ? { group: { group_name: group.name, group_path: group.path, group_id: group.id, full_path: group.full_path } }
      : {}),
    object_attributes: {
      id: milestone.id,
      iid: milestone.iid,
      title: milestone.title,
      description: milestone.description,
      state: milestone.state,
      created_at: dateText(new Date(milestone.created_at)),
      updated_at: dateText(new Date(milestone.updated_at)),
      due_date: milestone.due_date,
      start_date: milestone.start_date,
      project_id: milestone.project_id,
      group_id: milestone.namespace_id,
    },
    action,
  };
}
