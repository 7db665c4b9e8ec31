/** The projects of a person. */
import { EmptyState } from '../../ui/EmptyState.tsx';
import { type ListedProject, ProjectRows } from '../projects/ProjectRows.tsx';

export function ProjectList({ projects }: { projects: readonly ListedProject[] }) {
  return projects.length === 0 ? <EmptyState title="No projects" /> : <ProjectRows projects={projects} />;
}
