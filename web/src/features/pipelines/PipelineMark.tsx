/** The state of a pipeline as an icon that leads to it, for rows of commits, branches and merge requests. */
import { Link } from '@tanstack/react-router';
import { StatusBadge, statusWord } from '../../ui/StatusBadge.tsx';
import classes from './pipelines.module.css';

interface Props {
  readonly pipeline: { readonly id: number; readonly status: string } | null | undefined;
  /** Of its project, in addresses of the router. */
  readonly segment: string;
}

export function PipelineMark({ pipeline, segment }: Props) {
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
