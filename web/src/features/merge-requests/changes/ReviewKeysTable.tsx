/** The keys of a review. */
import { Kbd, Popover, Table } from '@mantine/core';
import { cloneElement, useState } from 'react';
import { type MenuButton, useOpensAtOnce } from '../../../ui/onDemand.tsx';
import { reviewKeys } from './useReviewKeys.ts';

export default function ReviewKeysTable({ target }: { target: MenuButton }) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  return (
    <Popover position="bottom-end" trapFocus opened={opened} onChange={setOpened}>
      <Popover.Target>{cloneElement(button, { onClick: () => setOpened(!opened) })}</Popover.Target>
      <Popover.Dropdown>
        <Table>
          <Table.Tbody>
            {reviewKeys.map(([keys, what]) => (
              <Table.Tr key={keys}>
                <Table.Td>
                  <Kbd>{keys}</Kbd>
                </Table.Td>
                <Table.Td>{what}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Popover.Dropdown>
    </Popover>
  );
}
