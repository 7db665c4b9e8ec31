/** What happened in all projects of the person who is signed in. */
import { useSuspenseQuery } from '@tanstack/react-query';
import * as data from '../../lib/data.ts';
import { Pager } from '../../ui/Pager.tsx';
import { EventList } from './EventList.tsx';

export function OwnActivity({ page, go }: { page: number; go: (page: number) => void }) {
  const { data: events } = useSuspenseQuery(data.ownActivity(page));
  return (
    <>
      <EventList events={events.items} />
      <Pager page={page} nextPage={events.nextPage} go={go} />
    </>
  );
}
