/** The pages of one runner: among those of a project, and of a group. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { runner } from '../../lib/runners.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { useGroup } from '../groups/useGroupForm.ts';
import { useProject } from '../projects/useProject.ts';
import { RunnerView } from './RunnerView.tsx';

function useRunner() {
  const { id = '' } = useParams({ strict: false });
  const { data } = useSuspenseQuery(runner(Number(id)));
  return { id: Number(id), heading: `Runner #${data.id} ${data.description}`.trim() };
}

export function ProjectRunner() {
  const { project, path, segment } = useProject();
  const { id, heading } = useRunner();
  return (
    <Page
      title={`${heading} · ${project.name_with_namespace}`}
      heading={heading}
      actions={
        <LinkButton to="/p/$path/settings" params={{ path: segment }} search={{ part: 'runners' }}>
          All runners
        </LinkButton>
      }
    >
      <RunnerView key={id} id={id} place={{ kind: 'project', id: project.id, path }} />
    </Page>
  );
}

export function GroupRunner() {
  const { group, path, segment } = useGroup();
  const { id, heading } = useRunner();
  return (
    <Page
      title={`${heading} · ${group.full_name}`}
      heading={heading}
      actions={
        <LinkButton to="/g/$path/settings" params={{ path: segment }} search={{ part: 'runners' }}>
          All runners
        </LinkButton>
      }
    >
      <RunnerView key={id} id={id} place={{ kind: 'group', id: group.id, path }} />
    </Page>
  );
}
