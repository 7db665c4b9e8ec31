/** Message and branch of a commit that a page makes. */
import { Checkbox, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { useProject } from '../projects/useProject.ts';
import type { Editing } from './useBranch.ts';
import type { Committing } from './useCommit.ts';

interface Props {
  readonly of: Committing;
  readonly gitRef: string;
  readonly editing: Editing;
  /** The message while none is typed. */
  readonly usual: string;
}

export function CommitFields({ of: { values, set, sending }, gitRef, editing, usual }: Props) {
  const { project } = useProject();
  return (
    <Stack gap="md" maw={640}>
      <Textarea
        label="Commit message"
        autosize
        minRows={2}
        placeholder={usual}
        value={values.message ?? usual}
        onChange={(event) => set({ message: event.currentTarget.value })}
        error={sending.reason('commit_message')}
      />
      {project.empty_repo ? null : (
        <Radio.Group
          label="Branch"
          value={values.onNew ? 'new' : 'this'}
          onChange={(value) => set({ onNew: value === 'new' })}
        >
          <Stack gap={8} mt={4}>
            <Radio
              value="this"
              label={`Commit to ${gitRef}`}
              disabled={editing === 'branch'}
              {...(editing === 'branch'
                ? { description: 'This branch is protected: you are not allowed to push to it' }
                : {})}
            />
            <Radio value="new" label="Commit to a new branch" />
          </Stack>
        </Radio.Group>
      )}
      {values.onNew && !project.empty_repo ? (
        <>
          <TextInput
            label="Name of the new branch"
            required
            value={values.branch}
            onChange={(event) => set({ branch: event.currentTarget.value })}
            error={sending.reason('branch')}
            autoComplete="off"
            spellCheck={false}
          />
          <Checkbox
            label="Create a merge request"
            checked={values.request}
            onChange={(event) => set({ request: event.currentTarget.checked })}
          />
        </>
      ) : null}
    </Stack>
  );
}
