/** A link to a new issue that continues the open threads of a merge request, or one of them, and resolves them. */
import { Link } from '@tanstack/react-router';
import { featureIsOpen, useProject } from '../projects/useProject.ts';

interface Props {
  readonly request: number;
  /** Id of the only one. */
  readonly thread?: string;
}

export function ContinueInIssue({ request, thread }: Props) {
  const { project, segment, level: own } = useProject();
  if (project.issues_enabled === false || !featureIsOpen(project.issues_access_level, own)) return null;
  return (
    <Link
      to="/p/$path/issues/new"
      params={{ path: segment }}
      search={{
        merge_request_to_resolve_discussions_of: request,
        ...(thread === undefined ? {} : { discussion_to_resolve: thread }),
      }}
    >
      {thread === undefined ? 'Create issue to resolve all threads' : 'Create issue to resolve thread'}
    </Link>
  );
}
