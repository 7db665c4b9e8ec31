/** Vulnerabilities of a project: the worst first, by state, severity and scanner, with what was decided about each. */
import { Button, Group, NativeSelect } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  type Decision,
  decide,
  type Vulnerability,
  vulnerabilities,
  vulnerabilitiesKey,
  vulnerabilityTrend,
} from '../../lib/vulnerabilities.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { Trend } from './Trend.tsx';

const states = [
  ['', 'Open'],
  ['detected', 'Detected'],
  ['opened', 'Opened by hand'],
  ['confirmed', 'Confirmed'],
  ['resolved', 'Resolved'],
  ['dismissed', 'Dismissed'],
  ['all', 'All states'],
] as const;
const severities = ['critical', 'high', 'medium', 'low', 'info', 'unknown'] as const;
const scanners = [
  ['sast', 'SAST'],
  ['secret_detection', 'Secret detection'],
  ['dependency_scanning', 'Dependency scanning'],
  ['container_scanning', 'Container scanning'],
  ['cluster_image_scanning', 'Cluster image scanning'],
  ['dast', 'DAST'],
  ['api_fuzzing', 'API fuzzing'],
  ['coverage_fuzzing', 'Coverage fuzzing'],
] as const;
const title = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const scanner = (type: string) => scanners.find(([value]) => value === type)?.[1] ?? type;

/** What may be decided next. */
function choices({ state }: Vulnerability): readonly (readonly [Decision, string])[] {
  if (state === 'resolved' || state === 'dismissed') return [['revert', 'Revert']];
  const confirm = [['confirm', 'Confirm']] as const;
  return [...(state === 'confirmed' ? [] : confirm), ['resolve', 'Resolve'], ['dismiss', 'Dismiss']];
}

export default function VulnerabilitiesPage() {
  const search = useSearch({ from: '/p/$path/security/vulnerability_report' });
  const navigate = useNavigate({ from: '/p/$path/security/vulnerability_report' });
  const { project, path, ...view } = useProject();
  const { data } = useSuspenseQuery(vulnerabilities(path, search));
  const { data: trend } = useQuery(vulnerabilityTrend(path));
  const cache = useQueryClient();
  const deciding = useMutation({
    mutationFn: ({ id, decision }: { id: number; decision: Decision }) => decide(id, decision),
    onSettled: () => cache.invalidateQueries({ queryKey: vulnerabilitiesKey(path) }),
  });
  const decides = view.level >= level.maintainer && !project.archived;
  const filtered = search.state || search.severity || search.report_type;
  const choose = (key: 'state' | 'severity' | 'report_type') => (event: { currentTarget: { value: string } }) => {
    const value = event.currentTarget.value || undefined;
    void navigate({ search: (before) => ({ ...before, [key]: value, page: undefined }), replace: true });
  };
  return (
    <Page title={`Vulnerabilities · ${project.name_with_namespace}`} heading="Vulnerabilities">
      {trend && (data.items.length > 0 || filtered) ? <Trend days={trend.days} /> : null}
      <Group gap="xs" my="md">
        <NativeSelect
          size="xs"
          aria-label="State"
          value={search.state ?? ''}
          onChange={choose('state')}
          data={states.map(([value, label]) => ({ value, label }))}
        />
        <NativeSelect
          size="xs"
          aria-label="Severity"
          value={search.severity ?? ''}
          onChange={choose('severity')}
          data={[
            { value: '', label: 'All severities' },
            ...severities.map((value) => ({ value, label: title(value) })),
          ]}
        />
        <NativeSelect
          size="xs"
          aria-label="Scanner"
          value={search.report_type ?? ''}
          onChange={choose('report_type')}
          data={[{ value: '', label: 'All scanners' }, ...scanners.map(([value, label]) => ({ value, label }))]}
        />
      </Group>
      <FormError error={deciding.error} />
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No vulnerabilities match your filter' : 'No open vulnerabilities'}>
          Scanners that run in pipelines of the default branch report them: see help, Vulnerabilities.
        </EmptyState>
      ) : (
        <DataList label="Vulnerabilities">
          {data.items.map((each) => (
            <DataRow
              key={each.id}
              title={each.title}
              meta={
                <>
                  <strong>{title(each.severity)}</strong>
                  <span>{title(each.state)}</span>
                  <span>{scanner(each.report_type)}</span>
                  <span>
                    found <TimeAgo at={each.created_at} />
                  </span>
                  {each.resolved_on_default_branch ? <span>no longer in {project.default_branch}</span> : null}
                </>
              }
              after={
                decides ? (
                  <Group gap="xs">
                    {choices(each).map(([decision, label]) => (
                      <Button
                        key={decision}
                        size="xs"
                        variant="default"
                        aria-label={`${label} ${each.title}`}
                        loading={deciding.isPending && deciding.variables.id === each.id}
                        onClick={() => deciding.mutate({ id: each.id, decision })}
                      >
                        {label}
                      </Button>
                    ))}
                  </Group>
                ) : null
              }
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
