/** Who takes part in a project, at which level, and inviting others. */
import { useNavigate } from '@tanstack/react-router';
import { projectMembers } from '../../lib/members.ts';
import { Page } from '../../ui/Page.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { MemberParts } from './MemberParts.tsx';

export default function MembersPage() {
  const { project, path, segment, level: own } = useProject();
  const navigate = useNavigate();
  return (
    <Page title={`Members · ${project.name_with_namespace}`} heading="Members">
      <MemberParts
        source={projectMembers(path)}
        groups={project.shared_with_groups ?? []}
        manages={own >= level.maintainer}
        go={(search) =>
          void navigate({ to: '/p/$path/project_members', params: { path: segment }, search, replace: true })
        }
      />
    </Page>
  );
}
