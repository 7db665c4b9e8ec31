/** What can be done with a commit. */
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import type { Replay } from '../../lib/history.ts';
import { level, useProject } from '../projects/useProject.ts';

const CherryPickRevertDialog = lazy(async () => ({
  default: (await import('./CherryPickRevertDialog.tsx')).CherryPickRevertDialog,
}));

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
      {kind ? (
        <Suspense fallback={null}>
          <CherryPickRevertDialog kind={kind} commit={commit} close={() => setKind(null)} />
        </Suspense>
      ) : null}
    </>
  );
}
