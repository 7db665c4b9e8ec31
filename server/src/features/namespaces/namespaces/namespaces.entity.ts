/** JSON of namespaces: groups and the personal namespaces of users. */
import type { Static } from 'typebox';
import type { Namespace as Row } from '../../../kernel/db/rows.ts';
import { Count, Day, Entity, Flag, Nullable, Sometimes, Text } from '../../../kernel/http/entity.ts';
import { namespaceReference, namespaceReferenceProperties } from './reference.entity.ts';

export const Namespace = Entity('Namespace', {
  ...namespaceReferenceProperties,
  billable_members_count: Count({ description: 'Members that take a seat' }),
  trial_ends_on: Nullable(Day()),
  trial: Flag(),
  plan: Sometimes(Text({ description: 'Owners only, as the three keys after it' })),
  members_count_with_descendants: Sometimes(Count({ description: 'Groups only' })),
  root_repository_size: Sometimes(Count({ description: 'Bytes' })),
  projects_count: Sometimes(Count()),
});

/** What is counted for a namespace. */
export interface NamespaceFigures {
  readonly billable: number;
  readonly members: number;
  readonly projects: number;
  readonly repositorySize: number;
}

export function namespaceJson(
  row: Row,
  figures: NamespaceFigures,
  options: { readonly owner: boolean; readonly externalUrl: string },
): Static<typeof Namespace> {
  const { externalUrl } = options;
  const group = row.kind === 'group';
  return {
    ...namespaceReference(row, externalUrl),
    billable_members_count: figures.billable,
    // Everything is on for everybody: there is one plan and nothing to try out.
    trial_ends_on: null,
    trial: false,
    ...(options.owner
      ? {
          plan: 'default',
          ...(group ? { members_count_with_descendants: figures.members } : {}),
          root_repository_size: figures.repositorySize,
          projects_count: figures.projects,
        }
      : {}),
  };
}
