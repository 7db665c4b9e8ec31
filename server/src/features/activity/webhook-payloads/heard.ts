/** What handlers of facts answer: which hooks are told, and of what. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { Fact, FactDefinition, FactDelivery } from '../../../kernel/events/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Urls } from '../../review/messages/index.ts';
import type { Announcement, HookEvent, HookMessage } from '../webhooks/index.ts';
import type { HookRepository } from './push.ts';

export interface WebhookDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly urls: Urls;
  readonly repository: HookRepository;
  /** A project as it is now, for nobody in particular; for what is sent without a fact. */
  readonly project: (id: number) => Promise<ProjectSubject | null>;
  readonly announce: (announcement: Announcement) => Promise<void>;
}

export type Heard = Omit<Announcement, 'factId'> | null;

export type OfProject<D extends FactDefinition> = (
  fact: Fact<D>,
  subject: ProjectSubject,
  delivery: FactDelivery,
) => Promise<Heard>;

export const around = (subject: ProjectSubject) => ({
  projectId: subject.project.id,
  groupIds: subject.namespace.traversal_ids,
});

export const personOf = async (id: number | null, delivery: FactDelivery): Promise<User | null> =>
  id === null ? null : await delivery.user(id);

const titles: Partial<Record<HookEvent, readonly [trigger: string, event: string]>> = {
  push_events: ['push_hooks', 'Push Hook'],
  tag_push_events: ['tag_push_hooks', 'Tag Push Hook'],
  merge_requests_events: ['merge_request_hooks', 'Merge Request Hook'],
  pipeline_events: ['pipeline_hooks', 'Pipeline Hook'],
  job_events: ['job_hooks', 'Job Hook'],
  releases_events: ['release_hooks', 'Release Hook'],
  deployment_events: ['deployment_hooks', 'Deployment Hook'],
  milestone_events: ['milestone_hooks', 'Milestone Hook'],
  issues_events: ['issue_hooks', 'Issue Hook'],
  confidential_issues_events: ['confidential_issue_hooks', 'Confidential Issue Hook'],
  note_events: ['note_hooks', 'Note Hook'],
  confidential_note_events: ['confidential_note_hooks', 'Confidential Note Hook'],
  member_events: ['member_hooks', 'Member Hook'],
  subgroup_events: ['subgroup_hooks', 'Subgroup Hook'],
  project_events: ['project_hooks', 'Project Hook'],
  wiki_page_events: ['wiki_page_hooks', 'Wiki Page Hook'],
  feature_flag_events: ['feature_flag_hooks', 'Feature Flag Hook'],
  emoji_events: ['emoji_hooks', 'Emoji Hook'],
  vulnerability_events: ['vulnerability_hooks', 'Vulnerability Hook'],
  resource_access_token_events: ['resource_access_token_hooks', 'Resource Access Token Hook'],
};

/** A payload under the names that logs and headers have for its kind. */
export function messageOf(event: HookEvent, payload: object | null): HookMessage | null {
  const [trigger, name] = titles[event] ?? [];
  return payload && trigger && name ? { trigger, event: name, payload } : null;
}
