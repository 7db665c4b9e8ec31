/** What webhooks can be told of, by the switch that clients know. */

/** In projects and, for everything below, in groups. */
export const sharedEvents = [
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'feature_flag_events',
  'releases_events',
  'milestone_events',
  'emoji_events',
  'resource_access_token_events',
  'vulnerability_events',
  'repository_update_events',
] as const;

/** Of groups alone. */
export const groupEvents = ['member_events', 'subgroup_events', 'project_events'] as const;

export type HookEvent = (typeof sharedEvents)[number] | (typeof groupEvents)[number];

/** On unless told otherwise, as clients expect. */
export const usualEvents: readonly HookEvent[] = ['push_events'];

/** Most webhooks of one place: each event calls all of them. */
export const mostHooks = { group: 50, project: 100 } as const;
/** Signs of the filter by branches. */
export const longestFilter = 5000;
