/** What happened in a group and in everything below it. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { groupEvents } from '../../lib/group-lists.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { useGroup } from '../groups/useGroupForm.ts';
import { EventList } from './EventList.tsx';

export default function GroupActivityPage() {
  const { group, path } = useGroup();
  const { page = 1 } = useSearch({ from: '/g/$path/activity' });
  const navigate = useNavigate({ from: '/g/$path/activity' });
  const { data: events } = useSuspenseQuery(groupEvents(path, page));
  return (
    <Page title={`Activity · ${group.full_name}`} heading="Activity">
      <EventList events={events.items} />
      <Pager page={page} nextPage={events.nextPage} go={(to) => void navigate({ search: { page: to } })} />
    </Page>
  );
}
