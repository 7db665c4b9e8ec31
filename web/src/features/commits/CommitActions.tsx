/** What can be done with a commit. */
import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
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
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
            Apply
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setKind('cherry_pick')}>Cherry-pick …</Menu.Item>
          <Menu.Item onClick={() => setKind('revert')}>Revert …</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {kind ? <CherryPickRevertDialog kind={kind} commit={commit} close={() => setKind(null)} /> : null}
    </>
  );
}
