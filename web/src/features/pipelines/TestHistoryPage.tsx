/** Test cases of a project that failed recently, the flaky ones among them. */
import { Checkbox, Group, NativeSelect } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { testHistory } from '../../lib/merge-request-reports.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';

export default function TestHistoryPage() {
  const search = useSearch({ from: '/p/$path/pipelines/tests' });
  const navigate = useNavigate({ from: '/p/$path/pipelines/tests' });
  const { project, path, segment } = useProject();
  const { data } = useSuspenseQuery(testHistory(path, search));
  return (
    <Page title={`Failed tests · ${project.name_with_namespace}`} heading="Failed tests">
      <Group gap="md" mb="sm">
        <NativeSelect
          aria-label="Period"
          value={String(search.days ?? 14)}
          onChange={(event) => {
            const days = Number(event.currentTarget.value);
            void navigate({ search: (before) => ({ ...before, days, page: undefined }) });
          }}
          data={[
            { value: '7', label: 'Last 7 days' },
            { value: '14', label: 'Last 14 days' },
            { value: '90', label: 'Last 90 days' },
          ]}
        />
        <Checkbox
          label="Only flaky tests"
          checked={search.flaky ?? false}
          onChange={(event) => {
            const flaky = event.currentTarget.checked || undefined;
            void navigate({ search: (before) => ({ ...before, flaky, page: undefined }) });
          }}
        />
      </Group>
      {data.items.length === 0 ? (
        <EmptyState title={search.flaky ? 'No flaky tests' : 'No failed tests'}>
          Jobs report their tests with <code>artifacts:reports:junit</code>. A test is flaky when it failed and passed
          for the same commit.
        </EmptyState>
      ) : (
        <DataList label="Failed tests">
          {data.items.map((each) => (
            <DataRow
              key={`${each.suite_name} ${each.classname} ${each.name}`}
              title={
                <Link to="/p/$path/jobs/$id" params={{ path: segment, id: String(each.last_job_id) }} data-entry>
                  {each.name}
                </Link>
              }
              meta={
                <>
                  <span>{each.suite_name}</span>
                  {each.classname ? <span>{each.classname}</span> : null}
                  {each.file ? <code>{each.file}</code> : null}
                  <span>
                    failed {each.failures} {each.failures === 1 ? 'time' : 'times'}
                    {each.flaky_failures > 0 ? `, ${each.flaky_failures} flaky` : ''}
                    {each.default_branch_failures > 0
                      ? `, ${each.default_branch_failures} on ${project.default_branch}`
                      : ''}
                  </span>
                </>
              }
              after={<TimeAgo at={each.last_failed_at} />}
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
    </Page>
  );
}
