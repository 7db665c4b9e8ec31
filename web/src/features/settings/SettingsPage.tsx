/** Settings of a project: one list on the left, one part at a time. */
import { Stack } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { Page } from '../../ui/Page.tsx';
import sideList from '../../ui/side-list.module.css';
import { useProject } from '../projects/useProject.ts';
import { DangerSettings } from './DangerSettings.tsx';
import { FieldsForm } from './FieldsForm.tsx';
import { featureFields, messageFields, pipelineFields } from './fields.ts';
import { GeneralSettings } from './GeneralSettings.tsx';
import { JobTokenSettings } from './JobTokenSettings.tsx';
import { MergeSettings } from './MergeSettings.tsx';
import { Archive, Restore, Transfer } from './PlaceSettings.tsx';
import { PushRuleSettings } from './PushRuleSettings.tsx';
import { RunnerSettings } from './RunnerSettings.tsx';
import classes from './settings.module.css';
import { AccessTokenSettings, DeployTokenSettings } from './TokenSettings.tsx';
import { VariableSettings } from './VariableSettings.tsx';

const FeatureSettings = () => <FieldsForm title="Features" fields={featureFields} />;
const PipelineSettings = () => <FieldsForm title="Pipelines" fields={pipelineFields} />;
const MergeParts = () => (
  <Stack gap={40}>
    <MergeSettings />
    <FieldsForm title="Titles and messages" fields={messageFields} />
  </Stack>
);
/** What owners alone may do; the server decides. */
function PlaceSettings() {
  const { project } = useProject();
  return (
    <Stack gap={40}>
      <Archive />
      <Transfer />
      {project.marked_for_deletion_on ? <Restore /> : <DangerSettings />}
    </Stack>
  );
}

const parts = {
  general: ['General', GeneralSettings],
  features: ['Features', FeatureSettings],
  merge: ['Merge requests', MergeParts],
  pipelines: ['Pipelines', PipelineSettings],
  'push-rules': ['Push rules', PushRuleSettings],
  variables: ['CI/CD variables', VariableSettings],
  runners: ['Runners', RunnerSettings],
  'job-tokens': ['Job tokens', JobTokenSettings],
  'access-tokens': ['Access tokens', AccessTokenSettings],
  'deploy-tokens': ['Deploy tokens', DeployTokenSettings],
  place: ['Archive, move, delete', PlaceSettings],
} as const;

export default function SettingsPage() {
  const { part = 'general' } = useSearch({ from: '/p/$path/settings' });
  const { project, segment } = useProject();
  const name = part in parts ? (part as keyof typeof parts) : 'general';
  const [title, Part] = parts[name];
  return (
    <Page title={`${title} · ${project.name_with_namespace}`} heading="Settings">
      <div className={classes.layout}>
        <nav aria-label="Settings" className={sideList.list}>
          {Object.entries(parts).map(([key, [label]]) => (
            <Link
              key={key}
              to="/p/$path/settings"
              params={{ path: segment }}
              search={{ part: key === 'general' ? undefined : key }}
              activeOptions={{ exact: true }}
              aria-current={key === name ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
          <Link to="/p/$path/audit_events" params={{ path: segment }}>
            Audit events
          </Link>
        </nav>
        <section aria-label={title} className={classes.part}>
          <Part key={name} />
        </section>
      </div>
    </Page>
  );
}
