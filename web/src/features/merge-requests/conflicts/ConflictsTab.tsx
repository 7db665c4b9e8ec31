/** Resolving the conflicts of a merge request: section by section, as text, or with one side of a file. */
import { Button, Stack, Text, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { conflictsOf, type Resolution, resolveConflicts } from '../../../lib/conflicts.ts';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { useForm } from '../../../ui/forms.ts';
import { useProject } from '../../projects/useProject.ts';
import { ConflictFileEditor } from './ConflictFileEditor.tsx';

type Conflicts = Schemas['MergeRequestConflicts'];

function Editor({ iid, conflicts }: { iid: number; conflicts: Conflicts }) {
  const { path, segment } = useProject();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [resolutions, setResolutions] = useState<ReadonlyMap<string, Resolution | null>>(new Map());
  const [message, setMessage] = useState(conflicts.commit_message);
  const ready = conflicts.files.every(({ path: file }) => resolutions.get(file));
  const sending = useForm(async () => {
    await resolveConflicts(path, iid, {
      source_sha: conflicts.source_sha,
      target_sha: conflicts.target_sha,
      commit_message: message,
      files: [...resolutions.values()].filter((each) => each !== null),
    });
    await cache.invalidateQueries({ queryKey: ['project', path, 'merge-request', iid] });
    await navigate({ to: '/p/$path/merge_requests/$iid', params: { path: segment, iid: String(iid) } });
  });
  const elsewhere = conflicts.files.filter(({ resolvable }) => !resolvable);
  if (elsewhere.length > 0)
    return (
      <EmptyState title="Resolve these conflicts in a clone">
        {elsewhere.map(({ path: file }) => file).join(', ')} cannot be resolved here. Merge {conflicts.target_branch}{' '}
        into {conflicts.source_branch} in a clone, resolve the conflicts, then push.
      </EmptyState>
    );
  return (
    <form {...sending.form} aria-label="Resolve conflicts">
      <FormError error={sending.error} />
      <Stack gap="lg">
        <Text>
          Merges <code>{conflicts.target_branch}</code> into <code>{conflicts.source_branch}</code>.
        </Text>
        {conflicts.files.map((file) => (
          <ConflictFileEditor
            key={file.path}
            file={file}
            change={(resolution) => setResolutions((before) => new Map(before).set(file.path, resolution))}
          />
        ))}
        <Textarea
          label="Commit message"
          autosize
          minRows={3}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        {conflicts.can_resolve ? null : (
          <Text c="var(--mr-dim)">
            Only people who can push to {conflicts.source_branch} can resolve these conflicts.
          </Text>
        )}
        <div>
          <Button type="submit" loading={sending.pending} disabled={!ready || !conflicts.can_resolve}>
            Commit to source branch
          </Button>
        </div>
      </Stack>
    </form>
  );
}

export function ConflictsTab({ iid }: { iid: number }) {
  const { path } = useProject();
  const { data, error } = useQuery(conflictsOf(path, iid));
  if (error) return <EmptyState title="No conflicts to resolve">{error.message}</EmptyState>;
  // What was decided is about these commits alone.
  return data ? <Editor key={`${data.source_sha}:${data.target_sha}`} iid={iid} conflicts={data} /> : null;
}
