/** Where somebody is a member, and as what. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { ofUser } from '../../lib/users.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import account from '../account/account.module.css';
import { levelName } from '../members/levels.ts';

export function Memberships({ id }: { id: number }) {
  const { data: memberships } = useSuspenseQuery(ofUser(id).memberships());
  return (
    <section className={account.section} aria-label="Memberships">
      <h2>Memberships</h2>
      {memberships.length === 0 ? (
        'None.'
      ) : (
        <DataList label="Memberships">
          {memberships.map((membership) => (
            <DataRow
              key={`${membership.source_type}:${membership.source_id}`}
              title={membership.source_name}
              meta={<span>{membership.source_type === 'Project' ? 'Project' : 'Group'}</span>}
              after={<span>{levelName(membership.access_level)}</span>}
            />
          ))}
        </DataList>
      )}
    </section>
  );
}
