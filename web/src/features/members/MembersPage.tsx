/** Who takes part in a project, at which level, and inviting others. */
import { projectMembers } from '../../lib/members.ts';
import { Page } from '../../ui/Page.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { MemberParts } from './MemberParts.tsx';

export default function MembersPage() {
  const { project, path, level: own } = useProject();
  return (
    <Page title={`Members · ${project.name_with_namespace}`} heading="Members">
      <MemberParts
        source={projectMembers(path)}
        groups={project.shared_with_groups ?? []}
        manages={own >= level.maintainer}
      />
    </Page>
  );
}
