/** Changes of what several places have: badges, labels, webhooks, notes of administrators, applications. */
import type { Change } from './audited.ts';

/** Makes something over the API as an administrator. */
type Make = (method: 'POST' | 'PUT', url: string, json: object) => Promise<{ readonly id: number }>;

/** The same below projects and groups; `base` makes a fresh one. */
export function changesOfPlace(
  noun: 'project' | 'group',
  base: () => Promise<string>,
  make: Make,
): Record<string, () => Promise<Change>> {
  const badge = { link_url: 'https://ci.example/x', image_url: 'https://ci.example/x.svg' };
  const hook = { url: 'https://hook.example/{path}', url_variables: [{ key: 'path', value: 'x' }] };
  const label = () => ({ name: `audited ${Math.random()}`, color: '#112233' });
  const inside = async (what: string, json: object) => {
    const url = `${await base()}/${what}`;
    return `${url}/${(await make('POST', url, json)).id}`;
  };
  const path = `/${noun}s/:id`;
  /** Where labels are, with a fresh one as a parameter names it. */
  const named = async () => {
    const url = `${await base()}/labels`;
    const { name, color } = label();
    await make('POST', url, { name, color });
    return { url, name };
  };
  const three = (what: string, id: string, json: () => object, change: object, event: string) => ({
    ...changesOfApprovalRules(noun, base, make),
    [`POST ${path}/${what}`]: async () => ({
      url: `${await base()}/${what}`,
      json: json(),
      leaves: `${event}_created`,
    }),
    [`PUT ${path}/${what}/:${id}`]: async () => ({
      url: await inside(what, json()),
      json: change,
      leaves: `${event}_updated`,
    }),
    [`DELETE ${path}/${what}/:${id}`]: async () => ({
      url: await inside(what, json()),
      leaves: `${event}_destroyed`,
    }),
  });
  const secret = (part: string) => ({
    [`PUT ${path}/hooks/:hook_id/${part}/:key`]: async () => ({
      url: `${await inside('hooks', hook)}/${part}/path`,
      json: { value: 'y' },
      leaves: 'webhook_updated',
    }),
    [`DELETE ${path}/hooks/:hook_id/${part}/:key`]: async () => {
      const url = await inside('hooks', { url: 'https://hook.example/', [part]: [{ key: 'path', value: 'x' }] });
      return { url: `${url}/${part}/path`, leaves: 'webhook_updated' };
    },
  });
  return {
    [`POST ${path}/export`]: async () => ({ url: `${await base()}/export`, leaves: `${noun}_export_created` }),
    [`POST ${path}/export_relations`]: async () => {
      await make('PUT', '/application/settings', { bulk_import_enabled: true });
      return { url: `${await base()}/export_relations`, leaves: `${noun}_relations_export_created` };
    },
    ...three('badges', 'badge_id', () => badge, { name: 'other' }, `${noun}_badge`),
    ...three('labels', 'label_id', label, { color: '#332211' }, `${noun}_label`),
    [`PUT ${path}/labels`]: async () => {
      const { url, name } = await named();
      return { url, json: { name, color: '#332211' }, leaves: `${noun}_label_updated` };
    },
    [`DELETE ${path}/labels`]: async () => {
      const { url, name } = await named();
      return { url: `${url}?${new URLSearchParams({ name })}`, leaves: `${noun}_label_destroyed` };
    },
    ...three('milestones', 'milestone_id', () => ({ title: 'audited' }), { title: 'other' }, `${noun}_milestone`),
    ...(noun === 'group'
      ? {
          ...three(
            'iterations',
            'iteration_id',
            () => ({ start_date: '2030-01-01', due_date: '2030-01-14' }),
            { title: 'other' },
            'group_iteration',
          ),
          ...three(
            'iteration_cadences',
            'cadence_id',
            () => ({ title: 'audited', automatic: false }),
            { title: 'other' },
            'group_iteration_cadence',
          ),
        }
      : {}),
    ...three('hooks', 'hook_id', () => hook, { push_events: false }, 'webhook'),
    ...secret('custom_headers'),
    ...secret('url_variables'),
    [`PUT ${path}/custom_attributes/:key`]: async () => ({
      url: `${await base()}/custom_attributes/place`,
      json: { value: 'here' },
      leaves: `${noun}_custom_attribute_updated`,
    }),
    [`DELETE ${path}/custom_attributes/:key`]: async () => {
      const url = `${await base()}/custom_attributes/place`;
      await make('PUT', url, { value: 'here' });
      return { url, leaves: `${noun}_custom_attribute_destroyed` };
    },
  };
}

/** What an application is registered with. */
export const applicationToRegister = {
  name: 'x',
  redirect_uri: 'https://client.example/callback',
  scopes: 'read_user',
};

/** Applications of the instance, of a person or of a group; `base` is where they are registered. */
export const changesOfApplications = (
  path: string,
  id: string,
  base: () => Promise<string>,
  make: Make,
): Record<string, () => Promise<Change>> => ({
  [`POST ${path}`]: async () => ({
    url: await base(),
    json: applicationToRegister,
    leaves: 'oauth_application_created',
  }),
  [`PUT ${path}/:${id}`]: async () => {
    const url = await base();
    return {
      url: `${url}/${(await make('POST', url, applicationToRegister)).id}`,
      json: { name: 'other' },
      leaves: 'oauth_application_updated',
    };
  },
  [`DELETE ${path}/:${id}`]: async () => {
    const url = await base();
    return {
      url: `${url}/${(await make('POST', url, applicationToRegister)).id}`,
      leaves: 'oauth_application_deleted',
    };
  },
  [`POST ${path}/:${id}/renew-secret`]: async () => {
    const url = await base();
    const application = await make('POST', url, applicationToRegister);
    return { url: `${url}/${application.id}/renew-secret`, leaves: 'oauth_application_secret_renewed' };
  },
});

/** Changes of topics; `make` makes one. */
export function changesOfTopics(
  make: (json: object) => Promise<{ readonly id: number }>,
): Record<string, () => Promise<Change>> {
  const json = () => ({ name: `audited ${Math.random()}`, title: 'x' });
  const id = async () => (await make(json())).id;
  return {
    'POST /topics': async () => ({ url: '/topics', json: json(), leaves: 'topic_created' }),
    'PUT /topics/:id': async () => ({ url: `/topics/${await id()}`, json: { title: 'y' }, leaves: 'topic_updated' }),
    'DELETE /topics/:id': async () => ({ url: `/topics/${await id()}`, leaves: 'topic_destroyed' }),
    'POST /topics/merge': async () => ({
      url: '/topics/merge',
      json: { source_topic_id: await id(), target_topic_id: await id() },
      leaves: 'topic_merged',
    }),
  };
}

/** Changes of what a project is a fork of; `source` makes a project and answers its id. */
export const changesOfForks = (
  base: () => Promise<string>,
  source: () => Promise<number>,
  make: Make,
): Record<string, () => Promise<Change>> => ({
  'POST /projects/:id/fork/:forked_from_id': async () => ({
    url: `${await base()}/fork/${await source()}`,
    leaves: 'project_fork_relation_updated',
  }),
  'DELETE /projects/:id/fork': async () => {
    const url = `${await base()}/fork`;
    await make('POST', `${url}/${await source()}`, {});
    return { url, leaves: 'project_fork_relation_updated' };
  },
});

/** What administrators do for others. */
export function changesForOthers(
  project: () => Promise<number>,
  group: () => Promise<string>,
  user: () => Promise<number>,
): Record<string, () => Promise<Change>> {
  return {
    'POST /projects/user/:user_id': async () => ({
      url: `/projects/user/${await user()}`,
      json: { name: 'given' },
      leaves: 'project_created',
    }),
    'POST /groups/:id/projects/:project_id': async () => ({
      url: `${await group()}/projects/${await project()}`,
      leaves: 'project_transferred',
    }),
  };
}

/** External status checks of projects. */
function changesOfStatusChecks(project: () => Promise<string>, make: Make): Record<string, () => Promise<Change>> {
  const json = { name: 'check', external_url: 'https://check.example/', shared_secret: 'between us two' };
  const list = async () => `${await project()}/external_status_checks`;
  const check = async () => {
    const url = await list();
    return `${url}/${(await make('POST', url, json)).id}`;
  };
  const path = '/projects/:id/external_status_checks';
  return {
    [`POST ${path}`]: async () => ({ url: await list(), json, leaves: 'external_status_check_created' }),
    [`PUT ${path}/:check_id`]: async () => ({
      url: await check(),
      json: { name: 'other', shared_secret: 'between us two' },
      leaves: 'external_status_check_updated',
    }),
    [`DELETE ${path}/:check_id`]: async () => ({ url: await check(), leaves: 'external_status_check_destroyed' }),
  };
}

/** What a project requires of approvals. */
function changesOfApprovals(project: () => Promise<string>): Record<string, () => Promise<Change>> {
  return {
    'POST /projects/:id/approvals': async () => ({
      url: `${await project()}/approvals`,
      json: { merge_requests_author_approval: true },
      leaves: 'merge_request_approval_settings_updated',
    }),
  };
}

/** Settings and rules of approvals that projects and groups have alike. */
function changesOfApprovalRules(
  noun: 'project' | 'group',
  base: () => Promise<string>,
  make: Make,
): Record<string, () => Promise<Change>> {
  const json = { name: 'rule', approvals_required: 1 };
  const list = async () => `${await base()}/approval_rules`;
  const rule = async () => {
    const url = await list();
    return `${url}/${(await make('POST', url, json)).id}`;
  };
  const path = `/${noun}s/:id/approval_rules`;
  return {
    [`PUT /${noun}s/:id/merge_request_approval_setting`]: async () => ({
      url: `${await base()}/merge_request_approval_setting`,
      json: { allow_committer_approval: false },
      leaves: 'merge_request_approval_settings_updated',
    }),
    [`POST ${path}`]: async () => ({ url: await list(), json, leaves: 'approval_rule_created' }),
    [`PUT ${path}/:approval_rule_id`]: async () => ({ url: await rule(), json, leaves: 'approval_rule_updated' }),
    [`DELETE ${path}/:approval_rule_id`]: async () => ({ url: await rule(), leaves: 'approval_rule_destroyed' }),
  };
}

/** Service accounts of a place and their tokens. */
export function changesOfServiceAccounts(
  noun: 'project' | 'group',
  base: () => Promise<string>,
  make: Make,
): Record<string, () => Promise<Change>> {
  const list = async () => `${await base()}/service_accounts`;
  const account = async () => {
    const url = await list();
    return `${url}/${(await make('POST', url, {})).id}`;
  };
  const path = `/${noun}s/:id/service_accounts`;
  const tokens = `${path}/:user_id/personal_access_tokens`;
  const json = { name: 'x', scopes: ['api'] };
  const token = async () => {
    const url = `${await account()}/personal_access_tokens`;
    return `${url}/${(await make('POST', url, json)).id}`;
  };
  return {
    [`POST ${path}`]: async () => ({ url: await list(), leaves: 'service_account_created' }),
    [`PATCH ${path}/:user_id`]: async () => ({
      url: await account(),
      json: { name: 'Other' },
      leaves: 'service_account_updated',
    }),
    [`DELETE ${path}/:user_id`]: async () => ({ url: await account(), leaves: 'service_account_removed' }),
    [`POST ${tokens}`]: async () => ({
      url: `${await account()}/personal_access_tokens`,
      json,
      leaves: 'personal_access_token_created',
    }),
    [`POST ${tokens}/:token_id/rotate`]: async () => ({
      url: `${await token()}/rotate`,
      leaves: 'personal_access_token_rotated',
    }),
    [`DELETE ${tokens}/:token_id`]: async () => ({ url: await token(), leaves: 'personal_access_token_revoked' }),
  };
}

/** The same of hooks of the instance. */
export function changesOfSystemHooks(make: Make): Record<string, () => Promise<Change>> {
  const json = { url: 'https://hook.example/' };
  const one = async () => `/hooks/${(await make('POST', '/hooks', json)).id}`;
  return {
    'POST /hooks': async () => ({ url: '/hooks', json, leaves: 'system_hook_created' }),
    'PUT /hooks/:id': async () => ({ url: await one(), json: { push_events: true }, leaves: 'system_hook_updated' }),
    'DELETE /hooks/:id': async () => ({ url: await one(), leaves: 'system_hook_destroyed' }),
  };
}

/** Trigger tokens of a project. */
function changesOfPipelineTriggers(project: () => Promise<string>, make: Make): Record<string, () => Promise<Change>> {
  const json = { description: 'deploys' };
  const list = async () => `${await project()}/triggers`;
  const trigger = async () => {
    const url = await list();
    return `${url}/${(await make('POST', url, json)).id}`;
  };
  const path = '/projects/:id/triggers';
  return {
    [`POST ${path}`]: async () => ({ url: await list(), json, leaves: 'pipeline_trigger_created' }),
    [`PUT ${path}/:trigger_id`]: async () => ({ url: await trigger(), json, leaves: 'pipeline_trigger_updated' }),
    [`DELETE ${path}/:trigger_id`]: async () => ({ url: await trigger(), leaves: 'pipeline_trigger_destroyed' }),
  };
}

/** What a project alone has. */
export const changesOfProjectParts = (project: () => Promise<string>, make: Make) => ({
  ...changesOfApprovals(project),
  ...changesOfStatusChecks(project, make),
  ...changesOfPipelineTriggers(project, make),
});
