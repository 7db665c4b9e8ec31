/** Which of several boards is shown. */
import { Select } from '@mantine/core';
import type { Board } from '../../lib/boards.ts';

export default function BoardPicker({
  boards,
  shown,
  open,
}: {
  boards: readonly Board[];
  shown: Board | undefined;
  open(board: Board | undefined): void;
}) {
  return (
    <Select
      aria-label="Board"
      size="xs"
      w={180}
      allowDeselect={false}
      data={boards.map((each) => ({ value: String(each.id), label: each.name }))}
      value={shown ? String(shown.id) : null}
      onChange={(value) => open(boards.find((each) => String(each.id) === value))}
    />
  );
}
