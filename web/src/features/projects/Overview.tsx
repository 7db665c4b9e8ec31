/** The front of a project: its files, the last commit and the README. */
import { Text } from '@mantine/core';
import { useLive } from '../../lib/useLive.ts';
import { Page } from '../../ui/Page.tsx';
import { FolderView } from '../files/FolderView.tsx';
import { EmptyRepository } from './EmptyRepository.tsx';
import { useProject } from './useProject.ts';

export function Overview() {
  const { project, path } = useProject();
  useLive([`project:${project.id}:refs`], [['project', path]]);
  const description = project.description ? (
    <Text c="var(--mr-dim)" mb="sm">
      {project.description}
    </Text>
  ) : null;
  return (
    <Page title={project.name_with_namespace} heading={project.name} quiet>
      {description}
      {project.empty_repo || !project.default_branch ? (
        <EmptyRepository project={project} />
      ) : (
        <FolderView gitRef={project.default_branch} folder="" />
      )}
    </Page>
  );
}
