/** Routes of imports from other products. Each has the neutral name of the specification and the one that clients call. */
import Type, { type TSchema } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { Entity, Id, Text } from '../../../kernel/http/entity.ts';
import { invalidParameters, plainError } from '../../../kernel/http/errors.ts';
import { Bool, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { giteaApiOf } from './gitea.ts';
import { apiOf } from './hosted.ts';
import { timeoutStrategies } from './provider.ts';
import type { ProviderImports } from './provider-imports.service.ts';
import { serverApiOf } from './server.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Exports and imports',
  access: { on: 'instance', ability: 'signed_in' },
} as const;

const ImportedProject = Entity('ImportedProject', {
  id: Id(),
  name: Text(),
  full_path: Text({ description: 'Path with those of its groups' }),
  full_name: Text({ description: 'Name with those of its groups' }),
});

const importedJson = ({ project, namespace }: ProjectSubject) => ({
  id: project.id,
  name: project.name,
  full_path: `${namespace.full_path}/${project.path}`,
  full_name: `${namespace.full_name} / ${project.name}`,
});

const personal_access_token = Str({ minLength: 1, maxLength: 1024, description: 'Token of the other server' });
const new_name = Optional(
  Str({ minLength: 1, maxLength: 255, description: 'Name of the project; as there without it' }),
);
const timeout_strategy = Optional(
  OneOf(timeoutStrategies, {
    default: 'pessimistic',
    description: '`optimistic`: goes on where a part does not come; `pessimistic`: fails',
  }),
);
const named = (text: string) => Str({ minLength: 1, maxLength: 2048, description: text });

const stage = Optional(Bool({ description: 'Whether this comes along, too' }));
/** Parameters whose names differ from one spelling of a route to the other; handlers read them by name. */
const under = (parameters: Readonly<Record<string, TSchema>>): object => parameters;

export function providerImportRoutes(imports: ProviderImports): Route[] {
  const hosted = (['hostedgit', 'github'] as const).map((provider) => {
    const hostname = `${provider}_hostname` as const;
    return route({
      ...common,
      method: 'POST',
      path: `/import/${provider}`,
      summary: 'Import a repository of the hosted provider, in the background',
      params: Type.Object({
        personal_access_token,
        repo_id: Int({ description: 'Id of the repository there' }),
        target_namespace: Str({
          minLength: 1,
          maxLength: 1024,
          description: 'Path of the group or person that it goes to',
        }),
        new_name,
        ...under({ [hostname]: Optional(named('Address of an installation of its own; the public one without it')) }),
        optional_stages: Optional(
          Type.Object(
            {
              single_endpoint_issue_events_import: Optional(
                Bool({
                  description:
                    'The history of labels, milestones and states of issues and requests, with one request more for each of them',
                }),
              ),
              single_endpoint_notes_import: stage,
              attachments_import: stage,
              collaborators_import: stage,
            },
            { description: 'More that is imported' },
          ),
        ),
        pagination_limit: Optional(
          Int({ minimum: 1, maximum: 100, default: 100, description: 'Rows of one page that is asked for there' }),
        ),
        timeout_strategy,
        additional_access_tokens: Optional(
          Str({ maxLength: 10_000, description: 'More tokens, of other accounts, separated by commas' }),
        ),
      }),
      responses: { 201: ImportedProject },
      errors: [404, 422],
      handler: async ({ params, caller, signal }) => {
        if (params.target_namespace.trim() === '') throw invalidParameters(['target_namespace is empty']);
        const given: Readonly<Record<string, unknown>> = params;
        const host = given[hostname];
        const base = apiOf(typeof host === 'string' ? host : undefined);
        if (base === null) throw plainError(400, `Invalid URL: ${String(host)}`);
        const more = (params.additional_access_tokens ?? '').split(',').map((each) => each.trim());
        const config = {
          provider: 'hosted',
          base,
          tokens: [params.personal_access_token, ...more.filter((each) => each !== '')].slice(0, 20),
          repositoryId: params.repo_id,
          stages: Object.fromEntries(
            Object.entries(params.optional_stages ?? {}).map(([name, on]) => [name, on === true]),
          ),
          pageSize: params.pagination_limit ?? 100,
          timeoutStrategy: params.timeout_strategy ?? 'pessimistic',
        } as const;
        const options = { config, namespace: params.target_namespace, name: params.new_name };
        return importedJson(await imports.start(caller, options, signal));
      },
    });
  });

  const gitea = route({
    ...common,
    method: 'POST',
    path: '/import/gitea',
    summary: 'Import a repository of a Gitea or Forgejo, in the background',
    params: Type.Object({
      gitea_host_url: named('Address of the server'),
      personal_access_token,
      repo_id: Int({ description: 'Id of the repository there' }),
      new_name,
      target_namespace: Optional(named('Path of the group or person that it goes to; the caller without it')),
      timeout_strategy,
    }),
    responses: { 201: ImportedProject },
    errors: [404, 422],
    handler: async ({ params, caller, signal }) => {
      const base = giteaApiOf(params.gitea_host_url);
      if (base === null) throw plainError(400, `Invalid URL: ${params.gitea_host_url}`);
      const config = {
        provider: 'gitea',
        base,
        token: params.personal_access_token,
        repositoryId: params.repo_id,
        timeoutStrategy: params.timeout_strategy ?? 'pessimistic',
      } as const;
      const { target_namespace: namespace, new_name: name } = params;
      return importedJson(await imports.start(caller, { config, namespace, name }, signal));
    },
  });

  const server = (['servergit', 'bitbucket_server'] as const).map((prefix) =>
    route({
      ...common,
      method: 'POST',
      path: `/import/${prefix}`,
      summary: 'Import a repository of the self-hosted server product, in the background',
      params: Type.Object({
        ...under({
          [`${prefix}_url`]: named('Address of the server'),
          [`${prefix}_username`]: named('Name of the user there'),
        }),
        personal_access_token,
        ...under({
          [`${prefix}_project`]: named('Key of the project there'),
          [`${prefix}_repo`]: named('Name of the repository there'),
        }),
        new_name,
        target_namespace: Optional(named('Path of the group or person that it goes to; the caller without it')),
        new_namespace: Optional(named('Another name for `target_namespace`')),
        timeout_strategy,
      }),
      responses: { 201: ImportedProject },
      errors: [404, 422],
      handler: async ({ params, caller, signal }) => {
        const given: Readonly<Record<string, unknown>> = params;
        const said = (name: string) => String(given[`${prefix}_${name}`] ?? '');
        const address = said('url');
        const base = serverApiOf(address);
        if (base === null) throw plainError(400, `Invalid URL: ${address}`);
        const config = {
          provider: 'server',
          base,
          username: said('username'),
          token: params.personal_access_token,
          project: said('project'),
          repository: said('repo'),
          timeoutStrategy: params.timeout_strategy ?? 'pessimistic',
        } as const;
        const namespace = params.target_namespace ?? params.new_namespace;
        return importedJson(await imports.start(caller, { config, namespace, name: params.new_name }, signal));
      },
    }),
  );
  return [...hosted, gitea, ...server];
}
