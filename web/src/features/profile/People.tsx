/** People with links to their profiles. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { UserChip } from '../../ui/UserChip.tsx';

interface PeopleProps {
  readonly label: string;
  readonly people: readonly Schemas['UserReference'][];
  readonly nobody: string;
}

export function People({ label, people, nobody }: PeopleProps) {
  if (people.length === 0) return <EmptyState title={nobody} />;
  return (
    <DataList label={label}>
      {people.map((person) => (
        <DataRow
          key={person.id}
          title={
            <Link to="/o/$path" params={{ path: toSegment(person.username) }} data-entry>
              <UserChip user={person} />
            </Link>
          }
          after={<span>@{person.username}</span>}
        />
      ))}
    </DataList>
  );
}
