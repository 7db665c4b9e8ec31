/** The API of changelogs: told, or put into a file. */
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { Entity, Text } from '../../../kernel/http/entity.ts';
import { forbidden } from '../../../kernel/http/errors.ts';
import { DateTimeParam, IdOrPath, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { mayPush } from '../writes/protection.ts';
import { branchRules } from '../writes/protections.queries.ts';
import type { Asked, ChangelogService } from './changelogs.service.ts';

const Changelog = Entity('Changelog', { notes: Text({ description: 'The section of the version, in Markdown' }) });

const usualConfig = '.gitlab/changelog_config.yml';
const revision = (description: string) => Optional(Str({ minLength: 1, maxLength: 1024, description }));
const path = (usual: string, description: string) =>
  Optional(Str({ minLength: 1, maxLength: 4096, default: usual, description }));
const shared = {
  id: IdOrPath('Id or path of the project'),
  version: Str({
    maxLength: 255,
    pattern: '^v?(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$',
    description: 'Version, as semantic versioning writes it',
  }),
  from: revision('Commit after which it begins; the tag of the release before when absent'),
  to: revision('Last commit; the tip of the branch when absent'),
  date: Optional(DateTimeParam({ description: 'Date of the version; now when absent' })),
  trailer: Optional(
    Str({ minLength: 1, maxLength: 255, default: 'Changelog', description: 'Trailer that commits are chosen by' }),
  ),
  config_file: path(usualConfig, 'Path of the configuration in the repository'),
  config_file_ref: revision('Where the configuration is read; the default branch when absent'),
};

interface Given {
  readonly version: string;
  readonly from?: string;
  readonly to?: string;
  readonly date?: Date;
  readonly trailer?: string;
  readonly config_file?: string;
  readonly config_file_ref?: string;
}

const askedOf = ({ trailer = 'Changelog', config_file = usualConfig, config_file_ref, ...rest }: Given): Asked => ({
  version: rest.version,
  ...(rest.from === undefined ? {} : { from: rest.from }),
  ...(rest.to === undefined ? {} : { to: rest.to }),
  ...(rest.date === undefined ? {} : { date: rest.date }),
  trailer,
  configFile: config_file,
  ...(config_file_ref === undefined ? {} : { configRef: config_file_ref }),
});

const branchOf = ({ project }: ProjectSubject) => project.default_branch ?? 'main';

export function changelogRoutes({
  db,
  changelogs,
}: {
  readonly db: Db;
  readonly changelogs: ChangelogService;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/repository/changelog',
      summary: 'Generate the changelog entry of a version',
      tag: 'Repositories',
      credentials: ['token', 'session', 'job'],
      access: { on: 'project', ability: 'read_code' },
      params: Type.Object(shared),
      responses: { 200: Changelog },
      errors: [422],
      handler: async ({ params, subject, caller }) => ({
        notes: await changelogs.notes({ subject, caller }, askedOf(params), branchOf(subject)),
      }),
    }),
    route({
      method: 'POST',
      path: '/projects/:id/repository/changelog',
      summary: 'Add the changes of a version to the changelog file',
      tag: 'Repositories',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'push_code' },
      params: Type.Object({
        ...shared,
        branch: Optional(Str({ minLength: 1, maxLength: 1024, description: 'Branch that gets the commit' })),
        file: path('CHANGELOG.md', 'Path of the changelog'),
        message: Optional(Str({ minLength: 1, maxLength: 1_048_576, description: 'Message of the commit' })),
      }),
      responses: { 200: Empty },
      errors: [409, 422],
      handler: async ({ params, subject, caller }) => {
        const { file = 'CHANGELOG.md', message, branch = branchOf(subject) } = params;
        if (!mayPush(await branchRules(db, subject.project.id, caller), branch, caller, subject))
          throw forbidden('You are not allowed to commit a changelog on this branch');
        await changelogs.commit({ subject, caller }, askedOf(params), { branch, file, message });
      },
    }),
  ];
}
