/** The state of a pipeline as an icon that leads to it, for rows of commits, branches and merge requests. */
import { Link } from '@tanstack/react-router';
import { StatusBadge, statusWord } from '../../ui/StatusBadge.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './pipelines.module.css';

export function PipelineMark({
  pipeline,
}: {
  pipeline: { readonly id: number; readonly status: string } | null | undefined;
}) {
  const { segment } = useProject();
  if (!pipeline) return null;
  return (
    <Link
      to="/p/$path/pipelines/$id"
      params={{ path: segment, id: String(pipeline.id) }}
      aria-label={`Pipeline: ${statusWord(pipeline.status)}`}
      className={classes.mark}
    >
      <StatusBadge status={pipeline.status} compact />
    </Link>
  );
}
