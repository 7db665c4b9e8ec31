/** The list of keyboard shortcuts. */
import { Modal } from '@mantine/core';
import { KeysTable } from '../../ui/KeysTable.tsx';

const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Search or go to'],
  ['?', 'This list'],
  ['g c', 'Code of the project'],
  ['g i', 'Issues of the project'],
  ['g m', 'Merge requests of the project'],
  ['g p', 'Pipelines of the project'],
  ['j / k', 'Next and previous entry of a list'],
  ['Enter', 'Open the entry'],
  ['/', 'Filter the list'],
  ['t', 'Find a file'],
  ['e', 'Edit the file'],
  ['y', 'Address of this file at this commit'],
  ['Ctrl Enter', 'Submit a form'],
];

export function Shortcuts({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Keyboard shortcuts" size="sm">
      <KeysTable keys={shortcuts} />
    </Modal>
  );
}
