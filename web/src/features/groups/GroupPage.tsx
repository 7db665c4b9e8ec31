/** A group: the tree of what is in it, and what can be created in it. */
import { Alert, SegmentedControl, Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import * as data from '../../lib/data.ts';
import { badges, groupsBelow, type OverviewFilter, projectsIn } from '../../lib/groups.ts';
import { fromSegment } from '../../lib/urls.ts';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Page } from '../../ui/Page.tsx';
import { GroupRow, ProjectRow } from './GroupRow.tsx';
import classes from './groups.module.css';
import { SortField } from './SortField.tsx';

/** Pictures of other hosts are not loaded: a page of this one tells nobody who looks at it. */
const sameOrigin = (url: string) => URL.parse(url)?.origin === window.location.origin;

export default function GroupPage() {
  const { path: segment = '' } = useParams({ strict: false });
  // Also shown at the address of names only, which knows no filter.
  const { search, sort, list } = useSearch({ strict: false }) as OverviewFilter;
  const filter = { search, sort };
  const navigate = useNavigate();
  const path = fromSegment(segment);
  const { data: group } = useSuspenseQuery(data.group(path));
  const { data: groups } = useSuspenseQuery(groupsBelow(path, filter));
  const { data: projects } = useSuspenseQuery(projectsIn(path, filter));
  const { data: shown = [] } = useQuery(badges(path));
  const go = (change: object) =>
    navigate({ to: '/g/$path', params: { path: segment }, search: { ...filter, list, ...change } });
  const searching = filter.search !== undefined;
  const items = [
    ...(list === 'projects'
      ? []
      : groups.items.map((each) => <GroupRow key={`g${each.id}`} group={each} sort={filter.sort} full={searching} />)),
    ...(list === 'subgroups'
      ? []
      : projects.items.map((each) => <ProjectRow key={`p${each.id}`} project={each} full={searching} />)),
  ];
  return (
    <Page title={group.full_name} heading={group.name} quiet>
      {group.marked_for_deletion_on ? (
        <Alert color="orange" mb="md" role="status">
          This group is scheduled for deletion. You can restore it in its settings until then.
        </Alert>
      ) : null}
      {group.archived ? (
        <Alert color="gray" mb="md" role="status">
          This group is archived and read-only.
        </Alert>
      ) : null}
      {group.description ? <Text mb="md">{group.description}</Text> : null}
      {shown.length > 0 ? (
        <p className={classes.badges}>
          {shown.map((badge) => (
            <a key={badge.id} href={badge.rendered_link_url} rel="noopener noreferrer">
              {sameOrigin(badge.rendered_image_url) ? (
                <img src={badge.rendered_image_url} alt={badge.name ?? 'Badge'} height={20} />
              ) : (
                (badge.name ?? badge.rendered_link_url)
              )}
            </a>
          ))}
        </p>
      ) : null}
      <FilterBar
        label="Search subgroups and projects"
        value={filter.search ?? ''}
        change={(search) => void go({ search: search || undefined })}
      >
        <SegmentedControl
          size="xs"
          aria-label="Contents"
          data={[
            { value: 'all', label: 'All' },
            { value: 'subgroups', label: `Subgroups ${groups.total ?? ''}` },
            { value: 'projects', label: `Projects ${projects.total ?? ''}` },
          ]}
          value={list ?? 'all'}
          onChange={(next) => void go({ list: next === 'all' ? undefined : next })}
        />
        <SortField
          value={filter.sort ?? 'name'}
          change={(sort) => void go({ sort: sort === 'name' ? undefined : sort })}
        />
      </FilterBar>
      {items.length === 0 ? (
        <EmptyState title={searching ? 'No results' : `No ${list ?? 'projects or subgroups'} yet`}>
          {searching ? 'Try a different search.' : 'Create the first project or subgroup of this group.'}
        </EmptyState>
      ) : (
        <DataList label="Subgroups and projects">{items}</DataList>
      )}
    </Page>
  );
}
