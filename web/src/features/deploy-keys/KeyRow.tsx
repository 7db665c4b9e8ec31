/** A deploy key in a list: title, fingerprint, age and use. */
import type { ReactNode } from 'react';
import type { DeployKeyOfProject } from '../../lib/deploy-keys.ts';
import { DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import classes from '../../ui/ui.module.css';
import { usages } from '../account/NewSshKey.tsx';

interface Props {
  readonly deployKey: Omit<DeployKeyOfProject, 'can_push'>;
  readonly children?: ReactNode;
  readonly after?: ReactNode;
}

export function KeyRow({ deployKey, children, after }: Props) {
  const { title, fingerprint_sha256, created_at, expires_at, last_used_at, usage_type } = deployKey;
  return (
    <DataRow
      title={title}
      meta={
        <>
          <span className={classes.mono}>{fingerprint_sha256}</span>
          <span>{usages[usage_type as keyof typeof usages] ?? usage_type}</span>
          <span>
            added <TimeAgo at={created_at} />
          </span>
          {last_used_at ? (
            <span>
              last used <TimeAgo at={last_used_at} />
            </span>
          ) : (
            <span>never used</span>
          )}
          {expires_at ? (
            <span>
              {new Date(expires_at) < new Date() ? 'expired' : 'expires'} <TimeAgo at={expires_at} />
            </span>
          ) : null}
          {children}
        </>
      }
      after={after}
    />
  );
}
