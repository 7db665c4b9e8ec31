/** What else there is of a repository at a ref: other views of it, and its archives. */
import { Button } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';

const repositoryMenu = onDemand(() => import('./RepositoryMenu.tsx'));

export function MoreMenu({ gitRef }: { gitRef: string }) {
  return (
    <MenuOnDemand
      of={repositoryMenu}
      props={{ gitRef }}
      target={
        <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} />}>
          Repository
        </Button>
      }
    />
  );
}
