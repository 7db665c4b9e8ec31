/** Settings of a group: one list on the left, one part at a time, which is loaded when it is opened. */
import { lazyRouteComponent as part, useSearch } from '@tanstack/react-router';
import { forbidden } from '../../lib/api.ts';
import { level } from '../projects/useProject.ts';
import { loadPart, SettingsFrame, type SettingsParts } from '../settings/SettingsFrame.tsx';
import { useGroup } from './useGroupForm.ts';

const parts = {
  general: ['General', part(() => import('./settings/GeneralPart.tsx'), 'GeneralPart')],
  permissions: ['Permissions and features', part(() => import('./settings/PermissionsPart.tsx'), 'PermissionsPart')],
  merges: ['Merge requests and jobs', part(() => import('./settings/MergesPart.tsx'), 'MergesPart')],
  approvals: ['Approvals', part(() => import('../approvals/ApprovalSettings.tsx'), 'GroupApprovalSettings')],
  'protected-branches': ['Protected branches', part(() => import('./settings/BranchProtectionPart.tsx'))],
  'push-rules': ['Push rules', part(() => import('./settings/PushRulePart.tsx'))],
  downloads: ['Downloads', part(() => import('./settings/DownloadsPart.tsx'), 'DownloadsPart')],
  badges: ['Badges', part(() => import('./settings/BadgesPart.tsx'), 'BadgesPart')],
  labels: ['Labels', part(() => import('./settings/LabelsPart.tsx'))],
  runners: ['Runners', part(() => import('./settings/RunnersPart.tsx')), 'heading'],
  'access-tokens': ['Access tokens', part(() => import('./settings/AccessTokensPart.tsx'))],
  'service-accounts': ['Service accounts', part(() => import('./settings/ServiceAccountsPart.tsx'))],
  'deploy-tokens': ['Deploy tokens', part(() => import('./settings/DeployTokensPart.tsx'))],
  applications: ['Applications', part(() => import('./settings/ApplicationsPart.tsx'))],
  hooks: ['Webhooks', part(() => import('./settings/HooksPart.tsx'))],
  integrations: ['Integrations', part(() => import('./settings/IntegrationsPart.tsx'))],
  directory: ['SAML and LDAP groups', part(() => import('./settings/DirectoryPart.tsx'), 'DirectoryPart')],
  advanced: ['Transfer, archive, delete', part(() => import('./settings/DangerPart.tsx'), 'DangerPart')],
} satisfies SettingsParts;

/** For the loader of the route: the part comes with the page. */
export const load = loadPart(parts);

export default function GroupSettingsPage() {
  const { part: shown } = useSearch({ from: '/g/$path/settings' });
  const { group, segment, level: own } = useGroup();
  if (own < level.owner) throw forbidden();
  return <SettingsFrame kind="g" segment={segment} whose={group.full_name} parts={parts} part={shown} headed />;
}
