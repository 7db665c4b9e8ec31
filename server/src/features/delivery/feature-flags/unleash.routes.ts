/** What clients of Unleash ask for, proven by the instance id of the project; and how it is read and replaced. */
import Type from 'typebox';
import { originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { instancePrefix, newToken, tokenHash } from '../../../kernel/secrets/index.ts';
import { scopeCovers } from '../../ci/index.ts';
import { FeatureFlagsClient, UnleashFeatures } from './feature-flags.entity.ts';
import { flagsOf } from './feature-flags.queries.ts';
import type { FeatureFlagDependencies } from './index.ts';
import { ofUserList } from './strategies.ts';
import { clientOf, isClient, replaceClient } from './user-lists.queries.ts';

const purpose = 'feature_flag_clients.token';
const prefix = 'glffct-';
const base = '/feature_flags/unleash/:project_id';
const setting = '/projects/:id/feature_flags_client';

const asked = Type.Object({
  project_id: Int({ description: 'Id of the project' }),
  instance_id: Optional(Str({ description: 'Instance id, where the header `UNLEASH-INSTANCEID` does not have it' })),
  app_name: Optional(Str({ description: 'Environment, where the header `UNLEASH-APPNAME` does not have it' })),
});
const client = { tag: 'Feature flags', credentials: ['body'], access: { on: 'credential' }, params: asked } as const;
const own = {
  tag: 'Feature flags',
  credentials: ['token', 'session'],
  params: Type.Object({ id: IdOrPath('Id or path of the project') }),
} as const;

export function unleashRoutes({ db, secrets, settings, externalUrl }: FeatureFlagDependencies): Route[] {
  type Headers = Readonly<Record<string, string | string[] | undefined>>;
  const headed = (headers: Headers, name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  async function proven(projectId: number, headers: Headers, given: string | undefined): Promise<void> {
    const token = headed(headers, 'unleash-instanceid') ?? given;
    if (token === undefined || !(await isClient(db, projectId, tokenHash(token)))) throw unauthorized();
  }
  /** The flags with a strategy for the environment, and those strategies alone. */
  async function features(projectId: number, environment: string | undefined) {
    if (!environment) return [];
    return (await flagsOf(db, projectId)).flatMap(({ name, description, active, strategies }) => {
      const here = strategies.filter(({ scopes }) =>
        scopes.some(({ environment_scope: scope }) => scopeCovers(scope, environment)),
      );
      if (here.length === 0) return [];
      // Clients know lists of people only as people.
      const told = here.map((each) =>
        each.name === ofUserList
          ? { name: 'userWithId', parameters: { userIds: each.user_list?.user_xids ?? '' } }
          : { name: each.name, parameters: each.parameters },
      );
      return [{ name, description, enabled: active, strategies: told }];
    });
  }
  const read = (path: string, summary: string) =>
    route({
      ...client,
      method: 'GET',
      path,
      summary,
      responses: { 200: UnleashFeatures },
      handler: async ({ params, request: { headers } }) => {
        await proven(params.project_id, headers, params.instance_id);
        const environment = headed(headers, 'unleash-appname') ?? params.app_name;
        return { version: 1, features: await features(params.project_id, environment) };
      },
    });
  /** What clients send without being asked; nothing of it is kept. */
  const greeted = (method: 'GET' | 'POST', path: string, summary: string) =>
    route({
      ...client,
      method,
      path,
      summary,
      responses: { 200: Empty },
      handler: async ({ params, request: { headers } }) => {
        await proven(params.project_id, headers, params.instance_id);
        return answer(200, undefined);
      },
    });
  const clientJson = (subject: ProjectSubject, instance_id: string | null) => ({
    url: `${externalUrl}/api/v4/feature_flags/unleash/${subject.project.id}`,
    instance_id,
  });
  return [
    greeted('GET', base, 'Check the instance id of a client'),
    read(`${base}/features`, 'List feature flags of an environment for a client (older form of the route)'),
    read(`${base}/client/features`, 'List feature flags of an environment for a client'),
    greeted('POST', `${base}/client/register`, 'Register a client'),
    greeted('POST', `${base}/client/metrics`, 'Send metrics of a client'),
    route({
      ...own,
      method: 'GET',
      path: setting,
      summary: 'Get what clients of feature flags are configured with',
      access: { on: 'project', ability: 'admin_feature_flag' },
      responses: { 200: FeatureFlagsClient },
      handler: async ({ subject }) => {
        const found = await clientOf(db, subject.project.id);
        return clientJson(subject, found ? secrets.open(found.token_sealed, purpose) : null);
      },
    }),
    route({
      ...own,
      method: 'POST',
      path: `${setting}/reset_token`,
      summary: 'Reset the instance id; the previous one stops working',
      access: { on: 'project', ability: 'admin_feature_flags_client' },
      responses: { 201: FeatureFlagsClient },
      handler: async (context) => {
        const { project, namespace } = context.subject;
        const token = newToken(instancePrefix(prefix, await settings.read()));
        await transaction(db, async (tx) => {
          await replaceClient(tx, project.id, { sha256: tokenHash(token), sealed: secrets.seal(token, purpose) });
          await recordAudit(tx, {
            ...originOf(context),
            entity: { type: 'Project', id: project.id, path: `${namespace.full_path}/${project.path}` },
            event: 'feature_flags_client_token_reset',
            details: {},
          });
        });
        return clientJson(context.subject, token);
      },
    }),
  ];
}
