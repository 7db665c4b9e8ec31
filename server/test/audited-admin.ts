/** Changes of administration and of integrations that leave audit events. */
import { addJob, listJobs } from '../src/kernel/queue/index.ts';
import type { TestApp } from './app.ts';
import type { Change } from './audited.ts';
import { buildGroup, buildProject } from './factories.ts';

type Changes = Record<string, () => Promise<Change>>;

/** Backups of the instance: rows, since nothing runs them here. */
function changesOfBackups(app: TestApp): Changes {
  async function row(values: { state: 'running' | 'finished'; name?: string }): Promise<string> {
    const { id } = await app.db
      .insertInto('backups')
      .values({ destination: 'file:/nowhere', trigger: 'api', ...values })
      .returning('id')
      .executeTakeFirstOrThrow();
    return `/admin/backups/${id}`;
  }
  return {
    'POST /admin/backups': async () => {
      await app.db.deleteFrom('backups').where('state', '=', 'running').execute();
      return { url: '/admin/backups', json: {}, leaves: 'backup_started' };
    },
    'POST /admin/backups/:id/cancel': async () => ({
      url: `${await row({ state: 'running' })}/cancel`,
      leaves: 'backup_canceled',
    }),
    'DELETE /admin/backups/:id': async () => ({
      url: await row({ state: 'finished', name: 'ab'.repeat(16) }),
      leaves: 'backup_deleted',
    }),
    'PUT /admin/backup_schedule': async () => ({
      url: '/admin/backup_schedule',
      json: { keep: 3 },
      leaves: 'backup_schedule_updated',
    }),
  };
}

/** Background jobs that nothing runs here. */
function changesOfBackgroundJobs(app: TestApp): Changes {
  async function job(): Promise<string> {
    const task = { name: 'test.audited' };
    await addJob(app.db, task, {});
    const [found] = await listJobs(app.db, 'ready', { limit: 1, offset: 0 });
    return `/admin/background_jobs/${found?.id}`;
  }
  return {
    'POST /admin/background_jobs/:id/retry': async () => ({
      url: `${await job()}/retry`,
      leaves: 'background_job_retried',
    }),
    'POST /admin/code_indexes/rebuild': async () => ({
      url: '/admin/code_indexes/rebuild',
      leaves: 'code_index_rebuilt',
    }),
    'DELETE /admin/background_jobs/:id': async () => ({ url: await job(), leaves: 'background_job_deleted' }),
  };
}

/** Messages to everybody. */
function changesOfMessages(app: TestApp, admin: string): Changes {
  const url = '/broadcast_messages';
  const json = { message: 'Maintenance at noon' };
  const made = async () => `${url}/${(await app.api<{ id: number }>('POST', url, { token: admin, json })).body.id}`;
  return {
    [`POST ${url}`]: async () => ({ url, json, leaves: 'broadcast_message_created' }),
    [`PUT ${url}/:id`]: async () => ({ url: await made(), json, leaves: 'broadcast_message_updated' }),
    [`DELETE ${url}/:id`]: async () => ({ url: await made(), leaves: 'broadcast_message_deleted' }),
  };
}

/** How the instance looks. */
const changesOfAppearance: Changes = {
  'PUT /application/appearance': async () => ({
    url: '/application/appearance',
    json: { title: 'Forge' },
    leaves: 'appearance_updated',
  }),
};

/** Integrations of a project, under both names, of a group and of the instance. */
function changesOfIntegrations(app: TestApp, admin: string): Changes {
  const json = { external_wiki_url: 'https://wiki.example/' };
  const places = [
    ['/projects/:id/integrations', async () => `/projects/${(await buildProject(app)).id}/integrations`],
    ['/projects/:id/services', async () => `/projects/${(await buildProject(app)).id}/services`],
    ['/groups/:id/integrations', async () => `/groups/${(await buildGroup(app)).id}/integrations`],
    ['/admin/integrations', async () => '/admin/integrations'],
  ] as const;
  return Object.fromEntries(
    places.flatMap(([path, place]) => [
      [
        `PUT ${path}/:slug`,
        async () => ({ url: `${await place()}/external-wiki`, json, leaves: 'integration_updated' }),
      ],
      [
        `DELETE ${path}/:slug`,
        async () => {
          const url = `${await place()}/external-wiki`;
          const set = await app.api('PUT', url, { token: admin, json });
          if (set.status !== 200) throw new Error(`PUT ${url}: ${set.status}`);
          return { url, leaves: 'integration_disabled' };
        },
      ],
    ]),
  );
}

export const changesOfAdministration = (app: TestApp, admin: string): Changes => ({
  ...changesOfBackups(app),
  ...changesOfBackgroundJobs(app),
  ...changesOfMessages(app, admin),
  ...changesOfAppearance,
  ...changesOfIntegrations(app, admin),
});
