/** What happened in a project. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { useProject } from '../projects/useProject.ts';
import { EventList } from './EventList.tsx';

export default function ActivityPage() {
  const { project, parts, segment } = useProject();
  const { page = 1 } = useSearch({ from: '/p/$path/activity' });
  const { data: events } = useSuspenseQuery(parts.events(page));
  const navigate = useNavigate();
  return (
    <Page title={`Activity · ${project.name_with_namespace}`} heading="Activity">
      <EventList events={events.items} here />
      <Pager
        page={page}
        nextPage={events.nextPage}
        go={(to) => void navigate({ to: '/p/$path/activity', params: { path: segment }, search: { page: to } })}
      />
    </Page>
  );
}
