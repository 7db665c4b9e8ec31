/** What a merge request is for, and whether it can be merged. */
import { Text } from '@mantine/core';
import type { Schemas } from '../../lib/api.ts';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { useProject } from '../projects/useProject.ts';
import { MergeBox } from './MergeBox.tsx';

export function MergeRequestOverview({ request }: { request: Schemas['MergeRequestDetail'] }) {
  const { path } = useProject();
  return (
    <>
      {request.description ? (
        <MarkdownBody text={request.description} base={{ project: path, ref: request.target_branch, folder: '' }} />
      ) : (
        <Text c="var(--mr-dim)">No description.</Text>
      )}
      <MergeBox key={request.id} request={request} />
    </>
  );
}
