/** What can be done with a commit. */
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import type { Replay } from '../../lib/history.ts';
import { level, useProject } from '../projects/useProject.ts';
import { CherryPickRevertDialog } from './CherryPickRevertDialog.tsx';

export function CommitActions({ commit }: { commit: Schemas['Commit'] }) {
  const { project, ...view } = useProject();
  const [kind, setKind] = useState<Replay | null>(null);
  if (view.level < level.developer || project.archived) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setKind('cherry_pick')}>
        Cherry-pick …
      </Button>
      <Button size="xs" variant="default" onClick={() => setKind('revert')}>
        Revert …
      </Button>
      {kind ? <CherryPickRevertDialog kind={kind} commit={commit} close={() => setKind(null)} /> : null}
    </>
  );
}
