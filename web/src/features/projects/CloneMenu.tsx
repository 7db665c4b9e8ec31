/** The addresses of a project that git can use. */
import { Button } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { gitAddresses } from '../../lib/instance.ts';
import { queries } from '../../lib/queries.ts';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';

const cloneAddresses = onDemand(() => import('./CloneAddresses.tsx'));

export function CloneMenu({ path }: { path: string }) {
  // Asked for before the click, so that the menu opens with what it shows.
  const want = () => void queries.prefetchQuery(gitAddresses(path));
  return (
    <MenuOnDemand
      of={cloneAddresses}
      props={{ path }}
      target={
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronDown size={14} />}
          aria-haspopup="dialog"
          onMouseEnter={want}
        >
          Clone
        </Button>
      }
    />
  );
}
