/** Settings of a group: one list on the left, one part at a time. */
import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import * as data from '../../lib/data.ts';
import { groupDeployTokens, groupTokens } from '../../lib/tokens.ts';
import { fromSegment } from '../../lib/urls.ts';
import { Page } from '../../ui/Page.tsx';
import sideList from '../../ui/side-list.module.css';
import classes from '../settings/settings.module.css';
import { DeployTokenManager } from '../tokens/DeployTokenManager.tsx';
import { placeScopes } from '../tokens/scopes.ts';
import { TokenManager } from '../tokens/TokenManager.tsx';

const parts = { 'access-tokens': 'Access tokens', 'deploy-tokens': 'Deploy tokens' } as const;

export default function GroupSettingsPage() {
  const { path: segment = '' } = useParams({ strict: false });
  const { part = 'access-tokens' } = useSearch({ from: '/g/$path/settings' });
  const path = fromSegment(segment);
  const { data: group } = useSuspenseQuery(data.group(path));
  const name = part in parts ? (part as keyof typeof parts) : 'access-tokens';
  return (
    <Page
      title={`${parts[name]} · ${group.full_name}`}
      heading="Settings"
      actions={
        <Link to="/g/$path" params={{ path: segment }}>
          {group.full_name}
        </Link>
      }
    >
      <div className={classes.layout}>
        <nav aria-label="Settings" className={sideList.list}>
          {Object.entries(parts).map(([key, label]) => (
            <Link
              key={key}
              to="/g/$path/settings"
              params={{ path: segment }}
              search={{ part: key }}
              aria-current={key === name ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
        <section aria-label={parts[name]} className={classes.part}>
          <h2>{parts[name]}</h2>
          {name === 'access-tokens' ? (
            <>
              <Text c="var(--mr-dim)" mb="md">
                Each has a bot that is a member of this group with the token’s role, and leaves with it.
              </Text>
              <TokenManager source={groupTokens(path)} scopes={placeScopes} />
            </>
          ) : (
            <DeployTokenManager source={groupDeployTokens(path)} />
          )}
        </section>
      </div>
    </Page>
  );
}
