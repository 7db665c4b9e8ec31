/** Quick actions in comments on commits. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import { systemNote } from '../../collaboration/notes/index.ts';
import type { Commandable } from '../../collaboration/quick-actions/index.ts';
import type { RefService } from '../refs/refs.service.ts';

export function commitCommands(refs: Pick<RefService, 'createTag'>): Commandable {
  return {
    shared: false,
    fields: new Set(),
    may: async ({ subject }, caller) => subject.kind === 'project' && canOnProject(caller, 'push_code', subject),
    current: async ({ title }) => ({
      ...{ title, state: 'opened', locked: false, labels: [], assigneeIds: [], reviewerIds: [], milestoneId: null },
    }),
    update: async () => {},
    commands: [
      {
        names: ['tag'],
        async run({ place: { noteable, subject }, caller, userId }, argument) {
          const [, name, message] = /^(\S+)(?:\s+(.*))?$/.exec(argument) ?? [];
          const sha = noteable.commitId;
          if (!name || sha === null || subject.kind !== 'project') return null;
          if (!canOnProject(caller, 'push_code', subject)) return null;
          return {
            changes: { tag_name: name, tag_message: message ?? null },
            summary: `Tagged this commit as ${name}${message ? ` with "${message}"` : ''}.`,
            after: async () =>
              void (await refs.createTag(subject, caller, name, sha, message, async (tx) => {
                await systemNote(tx, noteable, userId, 'tag', `tagged commit ${sha} to \`${name}\``);
              })),
          };
        },
      },
    ],
  };
}
