/** Settings of a group: one list on the left, one part at a time. */
import { Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { forbidden } from '../../lib/api.ts';
import { groupApplications } from '../../lib/applications.ts';
import { groupHooks } from '../../lib/hooks.ts';
import { groupIntegrations } from '../../lib/integrations.ts';
import { groupBranches } from '../../lib/protections.ts';
import { groupPushRule } from '../../lib/push-rules.ts';
import { groupServiceAccounts } from '../../lib/service-accounts.ts';
import { groupDeployTokens, groupTokens } from '../../lib/tokens.ts';
import { ApplicationManager } from '../applications/ApplicationManager.tsx';
import { GroupApprovalSettings } from '../approvals/ApprovalSettings.tsx';
import { HookManager } from '../hooks/HookManager.tsx';
import { IntegrationManager } from '../integrations/IntegrationManager.tsx';
import { LabelManager } from '../labels/LabelManager.tsx';
import { level } from '../projects/useProject.ts';
import { ProtectedBranches } from '../protections/ProtectedBranches.tsx';
import { PushRules } from '../push-rules/PushRules.tsx';
import { RunnerManager } from '../runners/RunnerManager.tsx';
import { ServiceAccountManager } from '../service-accounts/ServiceAccountManager.tsx';
import { SettingsFrame, type SettingsParts } from '../settings/SettingsFrame.tsx';
import { DeployTokenManager } from '../tokens/DeployTokenManager.tsx';
import { personalScopes, placeScopes } from '../tokens/scopes.ts';
import { TokenManager } from '../tokens/TokenManager.tsx';
import { BadgesPart } from './settings/BadgesPart.tsx';
import { DangerPart } from './settings/DangerPart.tsx';
import { DirectoryPart } from './settings/DirectoryPart.tsx';
import { DownloadsPart } from './settings/DownloadsPart.tsx';
import { GeneralPart } from './settings/GeneralPart.tsx';
import { MergesPart } from './settings/MergesPart.tsx';
import { PermissionsPart } from './settings/PermissionsPart.tsx';
import { useGroup } from './useGroupForm.ts';

function AccessTokens() {
  const { path } = useGroup();
  return (
    <>
      <Text c="var(--mr-dim)" mb="md">
        Each token has a bot user that is a member of this group with the role of the token. Revoking the token removes
        the bot user.
      </Text>
      <TokenManager source={groupTokens(path)} scopes={placeScopes} />
    </>
  );
}
function ServiceAccounts() {
  const { group, path } = useGroup();
  const [top = path] = path.split('/');
  if (group.parent_id !== null)
    return (
      <Text>
        Service accounts belong to <a href={`/groups/${top}/-/settings?part=service-accounts`}>{top}</a>, the group at
        the top.
      </Text>
    );
  return <ServiceAccountManager place={groupServiceAccounts(path)} />;
}
function DeployTokens() {
  const { path } = useGroup();
  return <DeployTokenManager source={groupDeployTokens(path)} />;
}
function Applications() {
  const { path } = useGroup();
  return (
    <>
      <Text c="var(--mr-dim)" mb="md">
        Applications of this group that can ask users for access to their accounts.
      </Text>
      <ApplicationManager source={groupApplications(path)} scopes={personalScopes} />
    </>
  );
}

function BranchProtection() {
  const { path, group } = useGroup();
  const [top = path] = path.split('/');
  if (group.parent_id !== null)
    return (
      <Text>
        Branches are protected by projects and by{' '}
        <a href={`/groups/${top}/-/settings?part=protected-branches`}>{top}</a>, the group at the top.
      </Text>
    );
  return <ProtectedBranches place={groupBranches(path)} />;
}

function PushRule() {
  const { path, group } = useGroup();
  return <PushRules place={groupPushRule(path)} id={group.id} />;
}

function Labels() {
  const { path } = useGroup();
  return <LabelManager place={{ kind: 'group', path }} />;
}

function Runners() {
  const { path, group } = useGroup();
  return <RunnerManager place={{ kind: 'group', id: group.id, path }} />;
}

function Webhooks() {
  const { path } = useGroup();
  return <HookManager place={groupHooks(path)} />;
}

function Integrations() {
  const { path } = useGroup();
  return <IntegrationManager place={groupIntegrations(path)} />;
}

const parts = {
  general: ['General', GeneralPart],
  permissions: ['Permissions and features', PermissionsPart],
  merges: ['Merge requests and jobs', MergesPart],
  approvals: ['Approvals', GroupApprovalSettings],
  'protected-branches': ['Protected branches', BranchProtection],
  'push-rules': ['Push rules', PushRule],
  downloads: ['Downloads', DownloadsPart],
  badges: ['Badges', BadgesPart],
  labels: ['Labels', Labels],
  runners: ['Runners', Runners],
  'access-tokens': ['Access tokens', AccessTokens],
  'service-accounts': ['Service accounts', ServiceAccounts],
  'deploy-tokens': ['Deploy tokens', DeployTokens],
  applications: ['Applications', Applications],
  hooks: ['Webhooks', Webhooks],
  integrations: ['Integrations', Integrations],
  directory: ['SAML and LDAP groups', DirectoryPart],
  advanced: ['Transfer, archive, delete', DangerPart],
} satisfies SettingsParts;

export default function GroupSettingsPage() {
  const { part } = useSearch({ from: '/g/$path/settings' });
  const { group, segment, level: own } = useGroup();
  if (own < level.owner) throw forbidden();
  return <SettingsFrame kind="g" segment={segment} whose={group.full_name} parts={parts} part={part} headed />;
}
