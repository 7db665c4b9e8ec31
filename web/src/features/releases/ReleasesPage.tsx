/** Releases of a project, newest first. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { releases } from '../../lib/releases.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FeedButton } from '../../ui/FeedButton.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { ReleaseCard } from './ReleaseCard.tsx';

export function ReleasesPage() {
  const { page = 1 } = useSearch({ from: '/p/$path/releases/$' });
  const navigate = useNavigate({ from: '/p/$path/releases/$' });
  const { project, path, segment, ...view } = useProject();
  const { data } = useSuspenseQuery(releases(path, page));
  const writes = view.level >= level.developer && !project.archived && !project.empty_repo;
  return (
    <Page
      title={`Releases · ${project.name_with_namespace}`}
      heading="Releases"
      actions={
        <>
          <FeedButton feed={{ path: `/${path}/-/releases.atom` }} />
          {writes ? (
            <LinkButton to="/p/$path/releases/$" params={{ path: segment, _splat: 'new' }} variant="filled">
              New release
            </LinkButton>
          ) : null}
        </>
      }
    >
      {data.items.length === 0 ? (
        <EmptyState title="No releases yet">
          A release adds a title, release notes and downloadable assets to a tag.
        </EmptyState>
      ) : null}
      {data.items.map((release) => (
        <ReleaseCard key={release.tag_name ?? release.created_at} release={release} named />
      ))}
      <Pager page={page} nextPage={data.nextPage} go={(number) => void navigate({ search: { page: number } })} />
    </Page>
  );
}
