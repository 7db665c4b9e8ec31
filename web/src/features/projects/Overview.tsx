/** The front of a project: what it has, its files, the last commit and the README. */
import { Anchor, Stack, Text } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useLive } from '../../lib/useLive.ts';
import { Page } from '../../ui/Page.tsx';
import { FolderView } from '../files/FolderView.tsx';
import { RecentPush } from '../merge-requests/RecentPush.tsx';
import { TopicLinks } from '../topics/TopicLinks.tsx';
import { EmptyRepository } from './EmptyRepository.tsx';
import { RepositoryFacts } from './RepositoryFacts.tsx';
import { useProject } from './useProject.ts';

/** `notice` stands above everything. */
export function Overview({ notice }: { notice?: ReactNode }) {
  const { project, path } = useProject();
  useLive([`project:${project.id}:refs`], [['project', path]]);
  const { license, license_url: licenseUrl } = project;
  const about =
    project.description || project.topics.length > 0 || licenseUrl ? (
      <Stack gap={8} mb="sm">
        {project.description ? <Text c="var(--mr-dim)">{project.description}</Text> : null}
        <TopicLinks topics={project.topics} />
        {licenseUrl ? (
          <Anchor href={new URL(licenseUrl).pathname} size="sm" display="inline-flex" style={{ gap: 6 }}>
            <IconScale size={16} aria-hidden /> {license?.key === 'other' ? 'License' : license?.name}
          </Anchor>
        ) : null}
      </Stack>
    ) : null;
  return (
    <Page title={project.name_with_namespace} heading={project.name} quiet>
      {notice}
      {about}
      {project.empty_repo || !project.default_branch ? (
        <EmptyRepository project={project} path={path} />
      ) : (
        <>
          <RecentPush />
          <RepositoryFacts gitRef={project.default_branch} />
          <FolderView gitRef={project.default_branch} folder="" />
        </>
      )}
    </Page>
  );
}
