/** Creating and editing a pipeline schedule. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { forbidden } from '../../lib/api.ts';
import { schedule } from '../../lib/schedules.ts';
import { Page } from '../../ui/Page.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { ScheduleForm } from './ScheduleForm.tsx';

export function NewSchedulePage() {
  const { project, level: own } = useProject();
  if (own < level.developer) throw forbidden();
  return (
    <Page title={`New schedule · ${project.name_with_namespace}`} heading="New schedule" narrow>
      <ScheduleForm />
    </Page>
  );
}

export function EditSchedulePage() {
  const { project, path, level: own } = useProject();
  const { id = '' } = useParams({ strict: false });
  const { data } = useSuspenseQuery(schedule(path, Number(id)));
  if (own < level.developer) throw forbidden();
  return (
    <Page title={`Edit schedule · ${project.name_with_namespace}`} heading="Edit schedule" narrow>
      <ScheduleForm schedule={data} key={data.id} />
    </Page>
  );
}
