/** One backup: its state, progress, and what can be done with it. */
import { ActionIcon, Button, Progress } from '@mantine/core';
import { IconShieldCheck, IconTrash } from '@tabler/icons-react';
import { type Backup, isKept } from '../../lib/backups.ts';
import { bytes } from '../../lib/time.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { DataRow } from '../../ui/DataList.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

const phases = {
  database: 'Database',
  repositories: 'Repositories',
  objects: 'Files and artifacts',
  manifest: 'Manifest',
  done: 'Done',
} as const;
const triggers = { schedule: 'scheduled', api: 'manual', command: 'command line' } as const;
const badge = { running: 'running', finished: 'success', failed: 'failed', canceled: 'canceled' } as const;

/** What a running backup has done so far. */
function Running({ backup }: { backup: Backup }) {
  const { phase, repositories_done: done, repositories_total: total, objects_done: objects } = backup;
  const share = phase === 'repositories' && total ? Math.min(100, (100 * done) / total) : null;
  return (
    <>
      <span role="status">
        {phases[phase]}
        {phase === 'repositories' && total ? `: ${done} of ${total}` : ''}
        {phase === 'objects' ? `: ${objects}` : ''}
      </span>
      <Progress
        value={share ?? 100}
        animated={share === null}
        w={120}
        aria-label={`Progress of backup ${backup.id}`}
        size="sm"
      />
    </>
  );
}

function Verification({ backup }: { backup: Backup }) {
  if (backup.verification_error) return <span style={{ color: 'var(--mr-failed)' }}>{backup.verification_error}</span>;
  if (!backup.verified_at) return null;
  return (
    <span>
      verified <TimeAgo at={backup.verified_at} />
    </span>
  );
}

interface BackupRowProps {
  readonly backup: Backup;
  cancel(): void;
  verify(): void;
  remove(): void;
}

export function BackupRow({ backup, cancel, verify, remove }: BackupRowProps) {
  const { status, name, removed_at: removed } = backup;
  const action = { variant: 'subtle', color: 'gray', size: 30 } as const;
  return (
    <DataRow
      before={<StatusBadge status={badge[status]} />}
      title={
        <>
          {name ? <code>{name}</code> : `Backup ${backup.id}`}
          {name && !removed ? <CopyButton value={name} label="Copy the name" /> : null}
        </>
      }
      meta={
        <>
          <span>
            <TimeAgo at={backup.started_at} />, {backup.user ? `by ${backup.user.name}` : triggers[backup.trigger]}
          </span>
          {status === 'running' ? <Running backup={backup} /> : null}
          {status === 'finished' ? (
            <span>
              {bytes(backup.bytes_total)}, {bytes(backup.bytes_stored)} new
            </span>
          ) : null}
          {backup.encrypted ? <span>encrypted</span> : null}
          {backup.error ? <span style={{ color: 'var(--mr-failed)' }}>{backup.error}</span> : null}
          {backup.problems.length > 0 ? (
            <span title={backup.problems.join('\n')}>{backup.problems.length} problems</span>
          ) : null}
          <Verification backup={backup} />
          {removed ? <span>files deleted</span> : null}
        </>
      }
      after={
        status === 'running' ? (
          <Button size="xs" variant="default" onClick={cancel}>
            Cancel
          </Button>
        ) : isKept(backup) ? (
          <>
            <ActionIcon {...action} aria-label={`Verify backup ${backup.id}`} title="Verify" onClick={verify}>
              <IconShieldCheck size={16} />
            </ActionIcon>
            <ActionIcon {...action} aria-label={`Delete backup ${backup.id}`} title="Delete" onClick={remove}>
              <IconTrash size={16} />
            </ActionIcon>
          </>
        ) : null
      }
    />
  );
}
