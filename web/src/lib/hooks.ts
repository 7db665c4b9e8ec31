/** Webhooks of a project, a group and the instance: the same questions of all three. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';

export type Hook = Schemas['ProjectHook'] | Schemas['GroupHook'] | Schemas['SystemHook'];
export type HookCall = Schemas['WebHookEvent'];

/** What a hook can be told of today, in words. */
export const eventWords = {
  push_events: 'Pushes',
  tag_push_events: 'Tags',
  merge_requests_events: 'Merge requests',
  pipeline_events: 'Pipelines',
  job_events: 'Jobs',
  note_events: 'Comments',
  confidential_note_events: 'Internal comments',
  releases_events: 'Releases',
  member_events: 'Members',
  subgroup_events: 'Subgroups',
  project_events: 'Projects',
  repository_update_events: 'Repository updates',
} as const;
export type HookEventName = keyof typeof eventWords;
const ofProjects = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'pipeline_events',
  'job_events',
  'note_events',
  'confidential_note_events',
  'releases_events',
] as const;
const ofGroups = [...ofProjects, 'member_events', 'subgroup_events', 'project_events'] as const;
const ofInstance = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'repository_update_events',
] as const satisfies readonly HookEventName[];

export interface HookValues extends Partial<Record<HookEventName, boolean>> {
  url: string;
  name: string;
  description: string;
  token?: string;
  enable_ssl_verification: boolean;
  branch_filter_strategy?: (typeof branchStrategies)[number]['value'];
  push_events_branch_filter?: string | null;
  custom_webhook_template?: string | null;
}

export const branchStrategies = [
  { value: 'wildcard', label: 'Branches by pattern' },
  { value: 'regex', label: 'Branches by regular expression' },
  { value: 'all_branches', label: 'All branches' },
] as const;

type Part = 'custom_headers' | 'url_variables';
/** A name with a value that is written and never read; `kept` ones have a value already. */
export interface HookPair {
  readonly key: string;
  readonly value: string;
  readonly kept: boolean;
}
export type HookSecrets = Readonly<Record<Part, readonly HookPair[]>>;

export const pairsOf = (hook: Hook | undefined, part: Part): readonly HookPair[] =>
  hook && part in hook ? (hook as Schemas['ProjectHook'])[part].map(({ key }) => ({ key, value: '', kept: true })) : [];

export type CallStatus = '' | 'successful' | 'client_failure' | 'server_failure';
interface CallQuery {
  page: number;
  per_page: number;
  status?: string;
}

type HookBody = HookValues & { [P in Part]?: Array<{ key: string; value: string }> };

export interface HookPlace {
  readonly noun: 'project' | 'group' | 'instance';
  readonly key: readonly string[];
  readonly events: readonly HookEventName[];
  list(): Promise<Hook[]>;
  create(body: HookBody): Promise<unknown>;
  change(hook_id: number, body: HookBody): Promise<unknown>;
  /** Sets a header or a masked part, or takes it away; hooks of the instance have none. */
  readonly setPart: ((hook_id: number, part: Part, key: string, value: string | null) => Promise<unknown>) | null;
  remove(hook_id: number): Promise<unknown>;
  /** Sends something that is there; the API's answer in words. */
  test(hook_id: number, trigger: HookEventName): Promise<string>;
  calls(hook_id: number, query: CallQuery): Promise<{ items: HookCall[]; nextPage: number | null }>;
  resend(hook_id: number, hook_event_id: number): Promise<{ response_status: number }>;
}

const query = { per_page: 100 };

export const projectHooks = (id: string): HookPlace => {
  const one = (hook_id: number) => ({ params: { path: { id, hook_id } } });
  return {
    noun: 'project',
    key: ['project', id, 'hooks'],
    events: ofProjects,
    list: () => unwrapAll(client.GET('/projects/{id}/hooks', { params: { path: { id }, query } })),
    create: (body) => unwrap(client.POST('/projects/{id}/hooks', { params: { path: { id } }, body })),
    change: (hook, body) => unwrap(client.PUT('/projects/{id}/hooks/{hook_id}', { ...one(hook), body })),
    setPart: (hook_id, part, key, value) => {
      const params = { path: { id, hook_id, key } };
      if (value === null)
        return unwrap(
          part === 'custom_headers'
            ? client.DELETE('/projects/{id}/hooks/{hook_id}/custom_headers/{key}', { params })
            : client.DELETE('/projects/{id}/hooks/{hook_id}/url_variables/{key}', { params }),
        );
      const body = { value };
      return unwrap(
        part === 'custom_headers'
          ? client.PUT('/projects/{id}/hooks/{hook_id}/custom_headers/{key}', { params, body })
          : client.PUT('/projects/{id}/hooks/{hook_id}/url_variables/{key}', { params, body }),
      );
    },
    remove: (hook) => unwrap(client.DELETE('/projects/{id}/hooks/{hook_id}', one(hook))),
    test: async (hook_id, trigger) => {
      const params = { path: { id, hook_id, trigger } };
      return (await unwrap(client.POST('/projects/{id}/hooks/{hook_id}/test/{trigger}', { params }))).message;
    },
    calls: (hook_id, asked) =>
      unwrapPage(
        client.GET('/projects/{id}/hooks/{hook_id}/events', { params: { path: { id, hook_id }, query: asked } }),
      ),
    resend: (hook_id, hook_event_id) => {
      const params = { path: { id, hook_id, hook_event_id } };
      return unwrap(client.POST('/projects/{id}/hooks/{hook_id}/events/{hook_event_id}/resend', { params }));
    },
  };
};

export const groupHooks = (id: string): HookPlace => {
  const one = (hook_id: number) => ({ params: { path: { id, hook_id } } });
  return {
    noun: 'group',
    key: ['group', id, 'hooks'],
    events: ofGroups,
    list: () => unwrapAll(client.GET('/groups/{id}/hooks', { params: { path: { id }, query } })),
    create: (body) => unwrap(client.POST('/groups/{id}/hooks', { params: { path: { id } }, body })),
    change: (hook, body) => unwrap(client.PUT('/groups/{id}/hooks/{hook_id}', { ...one(hook), body })),
    setPart: (hook_id, part, key, value) => {
      const params = { path: { id, hook_id, key } };
      if (value === null)
        return unwrap(
          part === 'custom_headers'
            ? client.DELETE('/groups/{id}/hooks/{hook_id}/custom_headers/{key}', { params })
            : client.DELETE('/groups/{id}/hooks/{hook_id}/url_variables/{key}', { params }),
        );
      const body = { value };
      return unwrap(
        part === 'custom_headers'
          ? client.PUT('/groups/{id}/hooks/{hook_id}/custom_headers/{key}', { params, body })
          : client.PUT('/groups/{id}/hooks/{hook_id}/url_variables/{key}', { params, body }),
      );
    },
    remove: (hook) => unwrap(client.DELETE('/groups/{id}/hooks/{hook_id}', one(hook))),
    test: async (hook_id, trigger) => {
      const params = { path: { id, hook_id, trigger } };
      return (await unwrap(client.POST('/groups/{id}/hooks/{hook_id}/test/{trigger}', { params }))).message;
    },
    calls: (hook_id, asked) =>
      unwrapPage(
        client.GET('/groups/{id}/hooks/{hook_id}/events', { params: { path: { id, hook_id }, query: asked } }),
      ),
    resend: (hook_id, hook_event_id) => {
      const params = { path: { id, hook_id, hook_event_id } };
      return unwrap(client.POST('/groups/{id}/hooks/{hook_id}/events/{hook_event_id}/resend', { params }));
    },
  };
};

export const systemHooks: HookPlace = {
  noun: 'instance',
  key: ['hooks'],
  events: ofInstance,
  list: () => unwrapAll(client.GET('/hooks', { params: { query } })),
  create: (body) => unwrap(client.POST('/hooks', { body })),
  change: (id, body) => unwrap(client.PUT('/hooks/{id}', { params: { path: { id } }, body })),
  setPart: null,
  remove: (id) => unwrap(client.DELETE('/hooks/{id}', { params: { path: { id } } })),
  // The instance has one sample, and its answer is what was sent whatever the receiver said.
  test: async (id) => {
    const { event_name } = await unwrap(client.POST('/hooks/{id}', { params: { path: { id } } }));
    return `${event_name} was sent.`;
  },
  calls: (id, asked) => unwrapPage(client.GET('/hooks/{id}/events', { params: { path: { id }, query: asked } })),
  resend: (id, hook_event_id) =>
    unwrap(client.POST('/hooks/{id}/events/{hook_event_id}/resend', { params: { path: { id, hook_event_id } } })),
};

const given = (pairs: readonly HookPair[]) => pairs.flatMap(({ key, value }) => (value === '' ? [] : [{ key, value }]));

export const createHook = (place: HookPlace, values: HookValues, secrets: HookSecrets) =>
  place.create(
    place.setPart
      ? { ...values, custom_headers: given(secrets.custom_headers), url_variables: given(secrets.url_variables) }
      : values,
  );

/** Changes a hook; what was not typed again keeps its value, but for masked parts of a URL that becomes another. */
export async function changeHook(
  place: HookPlace,
  hook: Hook,
  values: HookValues,
  secrets: HookSecrets,
): Promise<void> {
  const moved = values.url !== hook.url;
  const parts = moved ? { url_variables: given(secrets.url_variables) } : {};
  await place.change(hook.id, place.setPart ? { ...values, ...parts } : values);
  if (!place.setPart) return;
  for (const part of moved ? (['custom_headers'] as const) : (['custom_headers', 'url_variables'] as const)) {
    const left = new Set(secrets[part].map(({ key }) => key));
    for (const { key } of pairsOf(hook, part)) if (!left.has(key)) await place.setPart(hook.id, part, key, null);
    for (const { key, value } of given(secrets[part])) await place.setPart(hook.id, part, key, value);
  }
}

export const hooksOf = (place: HookPlace) => queryOptions({ queryKey: place.key, queryFn: () => place.list() });

export const callsKey = (place: HookPlace, hook: number) => [...place.key, 'calls', hook];
export const callsOf = (place: HookPlace, hook: number, status: CallStatus) =>
  infiniteQueryOptions({
    queryKey: [...callsKey(place, hook), status],
    queryFn: ({ pageParam }) =>
      place.calls(hook, { page: pageParam, per_page: 20, ...(status === '' ? {} : { status }) }),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

/** Whether a hook is told of something. */
export const isOn = (hook: Hook, event: HookEventName): boolean =>
  (hook as Readonly<Partial<Record<string, unknown>>>)[event] === true;
