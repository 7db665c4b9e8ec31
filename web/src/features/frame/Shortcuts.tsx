/** The list of keyboard shortcuts. */
import { Modal } from '@mantine/core';
import { KeysTable } from '../../ui/KeysTable.tsx';

const shortcuts: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Search or go to'],
  ['?', 'Show this list'],
  ['g c', 'Go to Code'],
  ['g i', 'Go to Issues'],
  ['g m', 'Go to Merge requests'],
  ['g p', 'Go to Pipelines'],
  ['j / k', 'Next and previous list item'],
  ['Enter', 'Open list item'],
  ['/', 'Filter the list, or search in the log'],
  ['Shift arrow keys', 'Move a card of a board'],
  ['t', 'Find a file'],
  ['e', 'Edit the file'],
  ['y', 'Copy permalink'],
  ['Ctrl Enter', 'Submit a form'],
  ['Esc Tab', 'Leave a code editor'],
];

export function Shortcuts({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Keyboard shortcuts" size="sm">
      <KeysTable keys={shortcuts} />
    </Modal>
  );
}
