/** Chooses the branch or tag that is shown. */
import { Button } from '@mantine/core';
import { IconChevronDown, IconGitBranch } from '@tabler/icons-react';
import { MenuOnDemand, onDemand } from '../../ui/onDemand.tsx';
import classes from './files.module.css';

export interface RefPickerProps {
  value: string;
  choose: (ref: string) => void;
  label?: string;
  /** Tags are offered, too, unless told otherwise. */
  only?: 'branches';
  /** Full path of the project whose refs they are; the one in view unless told otherwise. */
  of?: string;
}

const refList = onDemand(() => import('./RefList.tsx'));

export function RefPicker(props: RefPickerProps) {
  const { value, label = 'Branch or tag' } = props;
  return (
    <MenuOnDemand
      of={refList}
      props={{ ...props, label }}
      target={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconGitBranch size={14} />}
          rightSection={<IconChevronDown size={14} />}
          aria-haspopup="listbox"
          aria-label={`${label}: ${value}`}
          className={classes.picker}
        >
          {/^[0-9a-f]{40}$/.test(value) ? value.slice(0, 8) : value}
        </Button>
      }
    />
  );
}
