/** Settings of a project: one list on the left, one part at a time, which is loaded when it is opened. */
import { lazyRouteComponent as part, useSearch } from '@tanstack/react-router';
import { forbidden } from '../../lib/api.ts';
import { level, useProject } from '../projects/useProject.ts';
import { loadPart, SettingsFrame, type SettingsParts } from './SettingsFrame.tsx';

const parts = {
  general: ['General', part(() => import('./GeneralSettings.tsx'), 'GeneralSettings')],
  features: ['Features', part(() => import('./parts/FeatureSettings.tsx'))],
  merge: ['Merge requests', part(() => import('./parts/MergeParts.tsx'))],
  approvals: ['Approvals', part(() => import('../approvals/ApprovalSettings.tsx'), 'ApprovalSettings')],
  'status-checks': [
    'Status checks',
    part(() => import('../status-checks/StatusCheckSettings.tsx'), 'StatusCheckSettings'),
  ],
  labels: ['Labels', part(() => import('./parts/Labels.tsx'))],
  pipelines: ['Pipelines', part(() => import('./parts/PipelineParts.tsx'))],
  'protected-branches': ['Protected branches', part(() => import('./parts/BranchProtection.tsx'))],
  'protected-tags': ['Protected tags', part(() => import('../protections/ProtectedTags.tsx'), 'ProtectedTags')],
  'protected-packages': [
    'Protected packages',
    part(() => import('../protections/ProtectedPackages.tsx'), 'ProtectedPackages'),
  ],
  'push-rules': ['Push rules', part(() => import('./parts/PushRuleSettings.tsx'))],
  'push-mirrors': ['Push mirrors', part(() => import('../push-mirrors/PushMirrors.tsx'), 'PushMirrors')],
  'pull-mirror': ['Pull mirror', part(() => import('../pull-mirrors/PullMirror.tsx'), 'PullMirror')],
  secrets: ['Secret push protection', part(() => import('./SecretSettings.tsx'), 'SecretSettings')],
  variables: ['CI/CD variables', part(() => import('./VariableSettings.tsx'), 'VariableSettings')],
  'secure-files': ['Secure files', part(() => import('../secure-files/SecureFiles.tsx'), 'SecureFiles')],
  runners: ['Runners', part(() => import('./RunnerSettings.tsx'), 'RunnerSettings')],
  triggers: ['Trigger tokens', part(() => import('../triggers/TriggerSettings.tsx'), 'TriggerSettings')],
  storage: ['Artifacts and caches', part(() => import('./parts/StorageParts.tsx'))],
  'job-tokens': ['Job tokens', part(() => import('./JobTokenSettings.tsx'), 'JobTokenSettings')],
  'access-tokens': ['Access tokens', part(() => import('./TokenSettings.tsx'), 'AccessTokenSettings')],
  'service-accounts': ['Service accounts', part(() => import('./parts/ServiceAccounts.tsx'))],
  'deploy-tokens': ['Deploy tokens', part(() => import('./TokenSettings.tsx'), 'DeployTokenSettings')],
  'deploy-keys': ['Deploy keys', part(() => import('../deploy-keys/ProjectDeployKeys.tsx'), 'ProjectDeployKeys')],
  hooks: ['Webhooks', part(() => import('./parts/Webhooks.tsx'))],
  integrations: ['Integrations', part(() => import('./parts/Integrations.tsx'))],
  export: ['Export', part(() => import('../transfers/ExportSettings.tsx'), 'ExportSettings')],
  place: ['Archive, move, delete', part(() => import('./parts/PlaceParts.tsx'))],
} satisfies SettingsParts;

/** Where the parts of a project are, below its address, and what they are called. */
export const addresses = (project: string) =>
  Object.entries(parts).map(([name, [label]]) => [`${project}/-/settings?part=${name}`, label] as const);

/** For the loader of the route: the part comes with the page. */
export const load = loadPart(parts);

export default function SettingsPage() {
  const { part: shown } = useSearch({ from: '/p/$path/settings' });
  const { project, segment, level: own } = useProject();
  if (own < level.maintainer) throw forbidden();
  return <SettingsFrame kind="p" segment={segment} whose={project.name_with_namespace} parts={parts} part={shown} />;
}
