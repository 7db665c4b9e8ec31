/** The keys of a review. */
import { Popover } from '@mantine/core';
import { cloneElement, useState } from 'react';
import { KeysTable } from '../../../ui/KeysTable.tsx';
import { type MenuButton, useOpensAtOnce } from '../../../ui/onDemand.tsx';
import { reviewKeys } from './useReviewKeys.ts';

export default function ReviewKeysTable({ target }: { target: MenuButton }) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Popover position="bottom-end" trapFocus opened={opened} onChange={setOpened}>
      <Popover.Target>{cloneElement(button, { onClick: () => setOpened(!opened) })}</Popover.Target>
      <Popover.Dropdown>
        <KeysTable keys={reviewKeys} />
      </Popover.Dropdown>
    </Popover>
  );
}
