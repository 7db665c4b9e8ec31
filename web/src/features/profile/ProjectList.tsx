/** The projects of a person. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { Visibility } from '../projects/Visibility.tsx';

type Listed = Pick<
  Schemas['Project'],
  'id' | 'name_with_namespace' | 'path_with_namespace' | 'description' | 'last_activity_at'
> & { readonly visibility?: Schemas['Project']['visibility'] };

export function ProjectList({ projects }: { projects: readonly Listed[] }) {
  if (projects.length === 0) return <EmptyState title="No projects to see" />;
  return (
    <DataList label="Projects">
      {projects.map((project) => (
        <DataRow
          key={project.id}
          title={
            <Link to="/o/$path" params={{ path: toSegment(project.path_with_namespace) }} data-entry>
              {project.name_with_namespace}
            </Link>
          }
          meta={
            <>
              {project.visibility ? <Visibility level={project.visibility} /> : null}
              {project.description ? <span>{project.description}</span> : null}
            </>
          }
          after={<TimeAgo at={project.last_activity_at} />}
        />
      ))}
    </DataList>
  );
}
