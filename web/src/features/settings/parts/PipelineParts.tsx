/** Pipelines of a project, and whether its components are in the catalog. */
import { Stack } from '@mantine/core';
import { CatalogSettings } from '../CatalogSettings.tsx';
import { FieldsForm } from '../FieldsForm.tsx';
import { pipelineFields } from '../fields.ts';

export default function PipelineParts() {
  return (
    <Stack gap={40}>
      <FieldsForm title="Pipelines" fields={pipelineFields} />
      <CatalogSettings />
    </Stack>
  );
}
