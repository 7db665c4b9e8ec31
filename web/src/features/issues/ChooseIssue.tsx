/** Chooses an issue of a list, for what is done to several. */
import { Checkbox } from '@mantine/core';

interface Props {
  readonly label: string;
  readonly chosen: boolean;
  choose(chosen: boolean): void;
}

export default function ChooseIssue({ label, chosen, choose }: Props) {
  return <Checkbox aria-label={label} checked={chosen} onChange={(event) => choose(event.currentTarget.checked)} />;
}
