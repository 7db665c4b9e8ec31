/** Where git finds a project: only addresses that work for people here and now. */
import Type from 'typebox';
import { type GitProtocol, letsIn } from '../../../kernel/authz/git-protocols.ts';
import { Entity, Flag, Nullable, Text } from '../../../kernel/http/entity.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { hasSshKeys } from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { sshAddressOf } from './projects.json.ts';
import { projectId } from './projects.params.ts';

const GitAddresses = Entity('GitAddresses', {
  http: Nullable(Text({ description: 'Null where the instance or the top-level group leaves git only SSH' })),
  ssh: Nullable(Text({ description: 'Null where SSH is not served, or git may only use HTTP' })),
  ssh_key_missing: Flag({
    description:
      'Whether the caller has to add an SSH key first; never true where `user_show_add_ssh_key_message` is off',
  }),
});

type Dependencies = Pick<NamespacesDependencies, 'db' | 'settings' | 'httpPrefix' | 'sshPrefix' | 'sshServed'>;

export function gitAddressRoutes({ db, settings, httpPrefix, sshPrefix, sshServed }: Dependencies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/projects/:id/git_addresses',
      summary: 'Get the clone addresses of a project',
      tag: 'Projects',
      credentials: ['token', 'session'],
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object(projectId),
      responses: { 200: GitAddresses },
      handler: async ({ subject, caller }) => {
        const { enabled_git_access_protocol: everywhere, user_show_add_ssh_key_message: reminds } =
          await settings.read();
        const open = (protocol: GitProtocol) => letsIn(everywhere, protocol) && letsIn(subject.gitProtocol, protocol);
        const fullPath = `${subject.namespace.full_path}/${subject.project.path}`;
        return {
          http: open('http') ? `${httpPrefix()}${fullPath}.git` : null,
          ssh: (sshServed() && sshAddressOf(subject, sshPrefix())) || null,
          ssh_key_missing: reminds && caller.user !== null && !(await hasSshKeys(db, caller.user.id)),
        };
      },
    }),
  ];
}
