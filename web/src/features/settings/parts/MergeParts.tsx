/** How merge requests of a project are merged, and what is written about them. */
import { Stack } from '@mantine/core';
import { FieldsForm } from '../FieldsForm.tsx';
import { messageFields } from '../fields.ts';
import { MergeSettings } from '../MergeSettings.tsx';

export default function MergeParts() {
  return (
    <Stack gap={40}>
      <MergeSettings />
      <FieldsForm title="Titles and messages" fields={messageFields} />
    </Stack>
  );
}
