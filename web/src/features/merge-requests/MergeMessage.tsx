/** The message of the merge commit, for those who write their own: loaded when they do. */
import { Textarea } from '@mantine/core';
import type { Schemas } from '../../lib/api.ts';

interface Props {
  readonly request: Pick<Schemas['MergeRequestDetail'], 'source_branch' | 'target_branch'>;
  readonly message: string;
  change(message: string): void;
}

export default function MergeMessage({ request, message, change }: Props) {
  return (
    <Textarea
      label="Merge commit message"
      placeholder={`Merge branch '${request.source_branch}' into '${request.target_branch}'`}
      autosize
      minRows={3}
      value={message}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
