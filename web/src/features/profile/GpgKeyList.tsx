/** GPG keys with their fingerprints. */
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import classes from '../account/account.module.css';

interface GpgKeyListProps {
  readonly keys: readonly Schemas['GPGKey'][];
  after?(key: Schemas['GPGKey']): ReactNode;
}

export function GpgKeyList({ keys, after }: GpgKeyListProps) {
  return (
    <DataList label="GPG keys">
      {keys.map((key) => (
        <DataRow
          key={key.id}
          title={key.primary_keyid}
          meta={
            <>
              <span className={classes.mono}>{key.fingerprint}</span>
              <span>
                added <TimeAgo at={key.created_at} />
              </span>
            </>
          }
          after={after?.(key)}
        />
      ))}
    </DataList>
  );
}
