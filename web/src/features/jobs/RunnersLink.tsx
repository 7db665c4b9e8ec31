/** Where runners are added and resumed, for those who may. */
import { Link } from '@tanstack/react-router';
import { level, useProject } from '../projects/useProject.ts';

export function RunnersLink() {
  const { segment, level: own } = useProject();
  if (own < level.maintainer) return <span>Ask a maintainer of the project to add or start a runner.</span>;
  return (
    <Link
      to="/p/$path/settings"
      params={{ path: segment }}
      search={{ part: 'runners' }}
      style={{ textDecoration: 'underline' }}
    >
      Manage runners
    </Link>
  );
}
