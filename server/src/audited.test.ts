/** Every change of identity, places and settings leaves an audit event: walked by the routes, so that a new one must join. Slow, sampled: every route that writes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Method, startTestApp, type TestApp } from '../test/app.ts';
import { auditedChanges, type Change, sendChange } from '../test/audited.ts';
import { buildAdmin, buildToken } from '../test/factories.ts';

// Security keys are bound to a name.
const site = 'https://millrace.example.com';
let app: TestApp;
let admin: string;
let changes: Readonly<Record<string, () => Promise<Change>>>;
beforeAll(async () => {
  // Mail that nobody takes waits in its queue.
  app = await startTestApp({ externalUrl: site, environment: { MILLRACE_SMTP_URL: 'smtp://127.0.0.1:9' } });
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
  changes = await auditedChanges(app, admin, site);
}, 600_000);
afterAll(() => app.close());

/** What the repository, pipelines and reviews do is told by facts, activity and git itself. */
const otherParts = new Set([
  'Award emoji',
  'Branches',
  'CI lint',
  'CI/CD variables',
  'Commits',
  'Deployments',
  'Discussions',
  'Environments',
  'Freeze periods',
  'Epics',
  'Boards',
  'Epic boards',
  'Issues',
  'Repository files',
  'Job artifacts',
  'Jobs',
  'Merge requests',
  'Merge trains',
  'Pipeline schedules',
  'Notes',
  'Pipelines',
  'Repositories',
  'Resource groups',
  'Runner protocol',
  'Runners',
  'Snippets',
  'Suggestions',
  'Tags',
  'To-dos',
  'Wikis',
]);

/** Writing routes that leave no event, and why. */
const silent: Readonly<Record<string, string>> = {
  'POST /user/two_factor/totp': 'starts what the first code confirms; nothing counts yet',
  'POST /user/two_factor/security_keys/challenge': 'a question to the browser; nothing counts yet',
  'POST /user/confirmation': 'sends a mail again; its link changes something, and says so',
  'POST /user/emails/:email_id/confirmation': 'sends a mail again; its link changes something, and says so',
  'POST /invitations/look': 'a question, sent so that no link is kept in addresses; changes nothing',
  'PUT /notification_settings': 'which mail one gets oneself',
  'PUT /groups/:id/notification_settings': 'which mail one gets oneself',
  'PUT /projects/:id/notification_settings': 'which mail one gets oneself',
  'PUT /user/preferences': 'how pages look to oneself',
  'PUT /user/status': 'a word to others, shown with its time',
  'PATCH /user/status': 'a word to others, shown with its time',
  'POST /groups/:id/labels/:label_id/subscribe': 'says nothing of rights',
  'POST /groups/:id/labels/:label_id/unsubscribe': 'says nothing of rights',
  'POST /projects/:id/labels/:label_id/subscribe': 'says nothing of rights',
  'POST /projects/:id/labels/:label_id/unsubscribe': 'says nothing of rights',
  'POST /groups/:id/hooks/:hook_id/events/:hook_event_id/resend': 'a call that was made already; changes nothing',
  'POST /projects/:id/hooks/:hook_id/events/:hook_event_id/resend': 'a call that was made already; changes nothing',
  'POST /hooks/:id/events/:hook_event_id/resend': 'a call that was made already; changes nothing',
  'POST /hooks/:id': 'a trial; changes nothing',
  'POST /groups/:id/hooks/:hook_id/test/:trigger': 'a trial; changes nothing',
  'POST /projects/:id/hooks/:hook_id/test/:trigger': 'a trial; changes nothing',
  'POST /projects/:id/integrations/:slug/test': 'a trial; changes nothing',
  'POST /projects/:id/services/:slug/test': 'a trial; changes nothing',
  'POST /admin/backups/:id/verify': 'reads what is there; changes nothing',
  'POST /projects/:id/star': 'says nothing of rights',
  'POST /projects/:id/unstar': 'says nothing of rights',
  'POST /feature_flags/unleash/:project_id/client/register': 'accepted as clients send it; nothing is kept',
  'POST /feature_flags/unleash/:project_id/client/metrics': 'accepted as clients send it; nothing is kept',
  'POST /projects/:id/repository_size': 'measures what is there',
  'POST /projects/:id/remote_mirrors/:mirror_id/sync': 'pushes what is pushed anyway, to where it was said before',
  'POST /projects/:id/mirror/pull': 'fetches what is fetched anyway, from where it was said before',
  'POST /groups/:id/uploads': 'content of texts, kept with who uploaded it; says nothing of rights',
  'DELETE /groups/:id/uploads/:upload_id': 'content of texts, kept with who uploaded it; says nothing of rights',
  'DELETE /groups/:id/uploads/:secret/:filename': 'content of texts, kept with who uploaded it; says nothing of rights',
  'POST /projects/:id/uploads': 'content of texts, kept with who uploaded it; says nothing of rights',
  'DELETE /projects/:id/uploads/:upload_id': 'content of texts, kept with who uploaded it; says nothing of rights',
  'DELETE /projects/:id/uploads/:secret/:filename':
    'content of texts, kept with who uploaded it; says nothing of rights',
  'POST /markdown': 'renders a text; changes nothing',
  'POST /projects/import':
    'takes a file: features/portability/project-archives/transfers.test.ts looks for project_created',
  'POST /import/github/gists': 'makes snippets of the caller, as writing them does',
  'POST /import/hostedgit/gists': 'makes snippets of the caller, as writing them does',
  'POST /groups/import': 'the groups that it makes are recorded as ever: group_created',
  'POST /bulk_imports': 'the groups and projects that it makes are recorded as ever: group_created, project_created',
  'POST /bulk_imports/:id/cancel': 'stops work that was begun; what is there stays',
  'POST /import/repositories': 'a question to another server, with its token in the body; changes nothing',
  'POST /import/gitea': "fetches from another server: the import's own tests look for project_created",
  'POST /import/github': "fetches from another server: the import's own tests look for project_created",
  'POST /import/hostedgit': "fetches from another server: the import's own tests look for project_created",
  'POST /import/bitbucket_server': "fetches from another server: the import's own tests look for project_created",
  'POST /import/servergit': "fetches from another server: the import's own tests look for project_created",
  'POST /import/github/cancel': 'stops work that was begun; what is there stays',
  'POST /import/hostedgit/cancel': 'stops work that was begun; what is there stays',
  'POST /projects/:id/releases/:tag_name/evidence': 'notes what is there, with the time; changes nothing',
  'POST /users/:id/follow': 'says nothing of rights',
  'POST /users/:id/unfollow': 'says nothing of rights',
};

/** Deletions that mean more when they come again, and why. */
const again: Readonly<Record<string, string>> = {
  'DELETE /user': 'asked again it may come sooner',
  'DELETE /user/sessions': 'ends what there is at the time',
  'DELETE /projects/:id/ci/caches': 'clears what there is at the time',
  'DELETE /admin/backups/:id': 'done in the background, which may have failed before',
};

/** Deletions that leave something behind, so that the same may be answered again; the event is left once. */
const kept = new Set([
  'DELETE /personal_access_tokens/self',
  'DELETE /personal_access_tokens/:id',
  'DELETE /users/:user_id/impersonation_tokens/:impersonation_token_id',
  'DELETE /projects/:id/access_tokens/:token_id',
  'DELETE /groups/:id/access_tokens/:token_id',
  'DELETE /groups/:id/service_accounts/:user_id/personal_access_tokens/:token_id',
  'DELETE /projects/:id/service_accounts/:user_id/personal_access_tokens/:token_id',
  'DELETE /features/:name',
  'DELETE /projects/:id/integrations/:slug',
  'DELETE /projects/:id/services/:slug',
  'DELETE /groups/:id/integrations/:slug',
  'DELETE /admin/integrations/:slug',
]);

const writing = () =>
  app.routes
    .filter(({ method, tag }) => method !== 'GET' && !otherParts.has(tag))
    .map(({ method, path }) => `${method} ${path}`);

const latest = async () =>
  Number((await app.db.selectFrom('audit_events').select('id').orderBy('id', 'desc').executeTakeFirst())?.id ?? 0);
const since = (id: number) =>
  app.db.selectFrom('audit_events').selectAll().where('id', '>', id).orderBy('id').execute();

describe('audit events', () => {
  it('are named for every writing route of identity, places and settings, or the route has a reason', () => {
    const named = new Set([...Object.keys(changes), ...Object.keys(silent)]);
    const routes = writing();
    expect(routes.length).toBeGreaterThan(70);
    expect(routes.filter((route) => !named.has(route))).toEqual([]);
    // What is silent is no longer there, or has become loud.
    expect(Object.keys(silent).filter((route) => !routes.includes(route) || route in changes)).toEqual([]);
  });

  it('are left by each of them once, by whom and from where', async () => {
    const wrong: string[] = [];
    for (const route of writing().filter((each) => each in changes)) {
      const change = await changes[route]?.();
      if (!change) continue;
      const before = await latest();
      const method = route.split(' ')[0] as Method;
      // Of several that take the same away at the same time one does; the others are told that it is gone.
      const racers = method === 'DELETE' && !(route in again) ? 4 : 1;
      const answers = await Promise.all(Array.from({ length: racers }, () => sendChange(app, admin, method, change)));
      const found = await since(before);
      const done = answers.filter((status) => status >= 200 && status <= 299);
      const right = kept.has(route) ? done.length > 0 : done.length === 1;
      if (!right || answers.some((status) => status >= 500)) wrong.push(`${route}: ${answers.sort()}`);
      const [event, ...more] = found.filter((each) => each.event === change.leaves);
      if (more.length > 0) wrong.push(`${route}: ${change.leaves} ${more.length + 1} times`);
      if (!event) wrong.push(`${route}: ${change.leaves} is not among ${found.map((each) => each.event).join(', ')}`);
      else if (event.author_id === null || event.ip_address !== '127.0.0.1')
        wrong.push(`${route}: by ${event.author_name} from ${event.ip_address}`);
    }
    expect(wrong).toEqual([]);
  }, 600_000);

  it('security 21: tell no secret', async () => {
    const events = await app.db.selectFrom('audit_events').selectAll().execute();
    expect(events.length).toBeGreaterThan(60);
    const text = JSON.stringify(events);
    for (const secret of [
      /glpat-/,
      /between us two/,
      /gldt-/,
      /glft-/,
      /link-in-a-mail/,
      /correct horse battery/,
      /nanosecond-wire/,
      /BEGIN PGP/,
    ])
      expect(text).not.toMatch(secret);
  });
});
