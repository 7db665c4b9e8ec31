/** What one ref has that another has not: its commits and what they change. */
import { ActionIcon, Group, SegmentedControl } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { parseRange, rangeText } from '../../lib/history.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { DiffView } from '../../ui/diff/DiffView.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { CommitMeta } from '../commits/CommitMeta.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './compare.module.css';

interface Sides {
  readonly from: string;
  readonly to: string;
  readonly straight: boolean;
}

/** How many commits are shown before somebody asks for all. */
const first = 20;

function Difference({ from, to, straight }: Sides) {
  const { parts, segment, warn } = useProject();
  const { data } = useSuspenseQuery(parts.compare(from, to, straight));
  const [all, setAll] = useState(false);
  if (data.compare_same_ref || (data.commits.length === 0 && data.diffs.length === 0))
    return (
      <EmptyState title="Nothing to compare">
        {from} already contains everything in {to}.
      </EmptyState>
    );
  // Newest first, as in every other list of commits.
  const newest = data.commits.toReversed();
  return (
    <>
      {newest.length > 0 ? (
        <section className={classes.commits}>
          <h2>{newest.length === 1 ? '1 commit' : `${newest.length} commits`}</h2>
          <DataList label="Commits">
            {newest.slice(0, all ? undefined : first).map((commit) => (
              <DataRow
                key={commit.id}
                title={
                  <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: commit.id }} data-entry>
                    {commit.title}
                  </Link>
                }
                meta={<CommitMeta commit={commit} />}
                after={<code>{commit.short_id}</code>}
              />
            ))}
          </DataList>
          <ShowMore more={!all && newest.length > first} pending={false} show={() => setAll(true)} />
        </section>
      ) : null}
      {data.compare_timeout ? <p role="status">Only some of the changes are shown.</p> : null}
      <DiffView files={data.diffs} gitRef={data.commit?.id ?? to} warn={warn} />
    </>
  );
}

export default function ComparePage() {
  const { _splat = '' } = useParams({ strict: false });
  const { project, segment, ...view } = useProject();
  const main = project.default_branch ?? '';
  const sides = parseRange(_splat) ?? { from: main, to: main, straight: false };
  const navigate = useNavigate();
  const go = (changed: Partial<Sides>) => {
    const { from, to, straight } = { ...sides, ...changed };
    void navigate({ to: '/p/$path/compare/$', params: { path: segment, _splat: rangeText(from, to, straight) } });
  };
  const mayAsk = view.level >= level.developer && !project.archived && project.merge_requests_enabled !== false;
  return (
    <Page
      title={`Compare · ${project.name_with_namespace}`}
      heading="Compare"
      wide
      actions={
        mayAsk && sides.from !== sides.to ? (
          <LinkButton
            variant="filled"
            to="/p/$path/merge_requests/new"
            params={{ path: segment }}
            search={{ source: sides.to, target: sides.from }}
          >
            Create merge request
          </LinkButton>
        ) : null
      }
    >
      <Group gap="xs" mb="md">
        <RefPicker value={sides.from} choose={(from) => go({ from })} label="From" />
        <ActionIcon
          variant="subtle"
          color="gray"
          size={30}
          aria-label="Swap"
          onClick={() => go({ from: sides.to, to: sides.from })}
        >
          <IconArrowsExchange size={16} />
        </ActionIcon>
        <RefPicker value={sides.to} choose={(to) => go({ to })} label="To" />
        <SegmentedControl
          size="xs"
          aria-label="Comparison"
          value={sides.straight ? 'straight' : 'since'}
          onChange={(value) => go({ straight: value === 'straight' })}
          data={[
            { value: 'since', label: 'Changes since merge base' },
            { value: 'straight', label: 'Direct comparison' },
          ]}
        />
      </Group>
      {project.empty_repo ? (
        <EmptyState title="Nothing to compare">The repository is empty.</EmptyState>
      ) : (
        <Difference {...sides} />
      )}
    </Page>
  );
}
