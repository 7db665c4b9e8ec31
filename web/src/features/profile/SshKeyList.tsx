/** SSH keys with their fingerprints. */
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { sshFingerprint } from '../../lib/fingerprint.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import classes from '../account/account.module.css';
import { usages } from '../account/NewSshKey.tsx';

interface SshKeyListProps {
  readonly keys: readonly Schemas['SSHKey'][];
  after?(key: Schemas['SSHKey']): ReactNode;
}

const expired = (at: string | null) => at !== null && new Date(at) < new Date();

export function SshKeyList({ keys, after }: SshKeyListProps) {
  return (
    <DataList label="SSH keys">
      {keys.map((key) => (
        <DataRow
          key={key.id}
          title={key.title}
          meta={
            <>
              <span className={classes.mono}>{sshFingerprint(key.key)}</span>
              <span>{usages[key.usage_type as keyof typeof usages] ?? key.usage_type}</span>
              {key.last_used_at ? (
                <span>
                  last used <TimeAgo at={key.last_used_at} />
                </span>
              ) : (
                <span>never used</span>
              )}
              {key.expires_at ? (
                <span>
                  {expired(key.expires_at) ? 'expired' : 'expires'} <TimeAgo at={key.expires_at} />
                </span>
              ) : null}
            </>
          }
          after={after?.(key)}
        />
      ))}
    </DataList>
  );
}
