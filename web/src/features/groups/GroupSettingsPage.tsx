/** Settings of a group: one list on the left, one part at a time. */
import { Text } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { groupApplications } from '../../lib/applications.ts';
import { groupDeployTokens, groupTokens } from '../../lib/tokens.ts';
import { Page } from '../../ui/Page.tsx';
import sideList from '../../ui/side-list.module.css';
import { ApplicationManager } from '../applications/ApplicationManager.tsx';
import classes from '../settings/settings.module.css';
import { DeployTokenManager } from '../tokens/DeployTokenManager.tsx';
import { personalScopes, placeScopes } from '../tokens/scopes.ts';
import { TokenManager } from '../tokens/TokenManager.tsx';
import { BadgesPart } from './settings/BadgesPart.tsx';
import { DangerPart } from './settings/DangerPart.tsx';
import { GeneralPart } from './settings/GeneralPart.tsx';
import { LabelsPart } from './settings/LabelsPart.tsx';
import { PermissionsPart } from './settings/PermissionsPart.tsx';
import { useGroup } from './useGroupForm.ts';

function AccessTokens() {
  const { path } = useGroup();
  return (
    <>
      <Text c="var(--mr-dim)" mb="md">
        Each has a bot that is a member of this group with the token’s role, and leaves with it.
      </Text>
      <TokenManager source={groupTokens(path)} scopes={placeScopes} />
    </>
  );
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
        Programs of this group that may ask people for access to their account.
      </Text>
      <ApplicationManager source={groupApplications(path)} scopes={personalScopes} />
    </>
  );
}

const parts = {
  general: ['General', GeneralPart],
  permissions: ['Permissions and features', PermissionsPart],
  badges: ['Badges', BadgesPart],
  labels: ['Labels', LabelsPart],
  'access-tokens': ['Access tokens', AccessTokens],
  'deploy-tokens': ['Deploy tokens', DeployTokens],
  applications: ['Applications', Applications],
  advanced: ['Move, archive, delete', DangerPart],
} as const;

export default function GroupSettingsPage() {
  const { part = 'general' } = useSearch({ from: '/g/$path/settings' });
  const { group, segment } = useGroup();
  const name = part in parts ? (part as keyof typeof parts) : 'general';
  const [title, Part] = parts[name];
  return (
    <Page
      title={`${title} · ${group.full_name}`}
      heading="Settings"
      actions={
        <Link to="/g/$path" params={{ path: segment }}>
          {group.full_name}
        </Link>
      }
    >
      <div className={classes.layout}>
        <nav aria-label="Settings" className={sideList.list}>
          {Object.entries(parts).map(([key, [label]]) => (
            <Link
              key={key}
              to="/g/$path/settings"
              params={{ path: segment }}
              search={{ part: key === 'general' ? undefined : key }}
              activeOptions={{ exact: true }}
              aria-current={key === name ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
          <Link to="/g/$path/audit_events" params={{ path: segment }}>
            Audit events
          </Link>
        </nav>
        <section aria-label={title} className={classes.part}>
          <h2>{title}</h2>
          <Part key={name} />
        </section>
      </div>
    </Page>
  );
}
