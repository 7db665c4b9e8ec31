/** Settings of a project: one list on the left, one part at a time. */
import { Stack } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { forbidden } from '../../lib/api.ts';
import { projectHooks } from '../../lib/hooks.ts';
import { projectIntegrations } from '../../lib/integrations.ts';
import { projectBranches } from '../../lib/protections.ts';
import { projectPushRule } from '../../lib/push-rules.ts';
import { projectServiceAccounts } from '../../lib/service-accounts.ts';
import { ApprovalSettings } from '../approvals/ApprovalSettings.tsx';
import { ProjectDeployKeys } from '../deploy-keys/ProjectDeployKeys.tsx';
import { HookManager } from '../hooks/HookManager.tsx';
import { IntegrationManager } from '../integrations/IntegrationManager.tsx';
import { LabelManager } from '../labels/LabelManager.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { ProtectedBranches } from '../protections/ProtectedBranches.tsx';
import { ProtectedTags } from '../protections/ProtectedTags.tsx';
import { PushMirrors } from '../push-mirrors/PushMirrors.tsx';
import { PushRules } from '../push-rules/PushRules.tsx';
import { ServiceAccountManager } from '../service-accounts/ServiceAccountManager.tsx';
import { StatusCheckSettings } from '../status-checks/StatusCheckSettings.tsx';
import { ExportSettings } from '../transfers/ExportSettings.tsx';
import { TriggerSettings } from '../triggers/TriggerSettings.tsx';
import { ArtifactStorage } from './ArtifactStorage.tsx';
import { CacheSettings } from './CacheSettings.tsx';
import { CatalogSettings } from './CatalogSettings.tsx';
import { DangerSettings } from './DangerSettings.tsx';
import { FieldsForm } from './FieldsForm.tsx';
import { featureFields, messageFields, pipelineFields } from './fields.ts';
import { GeneralSettings } from './GeneralSettings.tsx';
import { JobTokenSettings } from './JobTokenSettings.tsx';
import { MergeSettings } from './MergeSettings.tsx';
import { Archive, Restore, Transfer } from './PlaceSettings.tsx';
import { RunnerSettings } from './RunnerSettings.tsx';
import { SecretSettings } from './SecretSettings.tsx';
import { SettingsFrame, type SettingsParts } from './SettingsFrame.tsx';
import { AccessTokenSettings, DeployTokenSettings } from './TokenSettings.tsx';
import { VariableSettings } from './VariableSettings.tsx';

const FeatureSettings = () => <FieldsForm title="Features" fields={featureFields} />;
const PipelineSettings = () => (
  <Stack gap={40}>
    <FieldsForm title="Pipelines" fields={pipelineFields} />
    <CatalogSettings />
  </Stack>
);
const StorageSettings = () => (
  <Stack gap={40}>
    <div>
      <ArtifactStorage />
    </div>
    <div>
      <CacheSettings />
    </div>
  </Stack>
);
const MergeParts = () => (
  <Stack gap={40}>
    <MergeSettings />
    <FieldsForm title="Titles and messages" fields={messageFields} />
  </Stack>
);
function BranchProtection() {
  const { path, project } = useProject();
  return (
    <>
      <h2>Protected branches</h2>
      <ProtectedBranches place={projectBranches(path)} topics={[`project:${project.id}:refs`]} />
    </>
  );
}
function PushRuleSettings() {
  const { path } = useProject();
  return (
    <>
      <h2>Push rules</h2>
      <PushRules place={projectPushRule(path)} />
    </>
  );
}
function Webhooks() {
  const { path } = useProject();
  return (
    <>
      <h2>Webhooks</h2>
      <HookManager place={projectHooks(path)} />
    </>
  );
}
function Integrations() {
  const { path } = useProject();
  return (
    <>
      <h2>Integrations</h2>
      <IntegrationManager place={projectIntegrations(path)} />
    </>
  );
}
function ServiceAccounts() {
  const { path } = useProject();
  return (
    <>
      <h2>Service accounts</h2>
      <ServiceAccountManager place={projectServiceAccounts(path)} />
    </>
  );
}
function Labels() {
  const { path } = useProject();
  return (
    <>
      <h2>Labels</h2>
      <LabelManager place={{ kind: 'project', path }} />
    </>
  );
}
/** What owners alone may do; the server decides. */
function PlaceSettings() {
  const { project } = useProject();
  return (
    <>
      <h2>Archive, move, delete</h2>
      <Archive />
      <Transfer />
      {project.marked_for_deletion_on ? <Restore /> : <DangerSettings />}
    </>
  );
}

const parts = {
  general: ['General', GeneralSettings],
  features: ['Features', FeatureSettings],
  merge: ['Merge requests', MergeParts],
  approvals: ['Approvals', ApprovalSettings],
  'status-checks': ['Status checks', StatusCheckSettings],
  labels: ['Labels', Labels],
  pipelines: ['Pipelines', PipelineSettings],
  'protected-branches': ['Protected branches', BranchProtection],
  'protected-tags': ['Protected tags', ProtectedTags],
  'push-rules': ['Push rules', PushRuleSettings],
  'push-mirrors': ['Push mirrors', PushMirrors],
  secrets: ['Secret push protection', SecretSettings],
  variables: ['CI/CD variables', VariableSettings],
  runners: ['Runners', RunnerSettings],
  triggers: ['Trigger tokens', TriggerSettings],
  storage: ['Artifacts and caches', StorageSettings],
  'job-tokens': ['Job tokens', JobTokenSettings],
  'access-tokens': ['Access tokens', AccessTokenSettings],
  'service-accounts': ['Service accounts', ServiceAccounts],
  'deploy-tokens': ['Deploy tokens', DeployTokenSettings],
  'deploy-keys': ['Deploy keys', ProjectDeployKeys],
  hooks: ['Webhooks', Webhooks],
  integrations: ['Integrations', Integrations],
  export: ['Export', ExportSettings],
  place: ['Archive, move, delete', PlaceSettings],
} satisfies SettingsParts;

export default function SettingsPage() {
  const { part } = useSearch({ from: '/p/$path/settings' });
  const { project, segment, level: own } = useProject();
  if (own < level.maintainer) throw forbidden();
  return <SettingsFrame kind="p" segment={segment} whose={project.name_with_namespace} parts={parts} part={part} />;
}
