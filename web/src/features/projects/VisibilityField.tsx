/** Choosing who may see a project or group. */
import { Radio, Stack } from '@mantine/core';
import { visibilities } from './Visibility.tsx';

export type VisibilityLevel = (typeof visibilities)[number]['value'];

interface VisibilityFieldProps {
  value: VisibilityLevel;
  change: (value: VisibilityLevel) => void;
  error?: string | undefined;
}

export function VisibilityField({ value, change, error }: VisibilityFieldProps) {
  return (
    <Radio.Group label="Visibility" value={value} onChange={(next) => change(next as VisibilityLevel)} error={error}>
      <Stack gap={6} mt={6}>
        {visibilities.map((each) => (
          <Radio key={each.value} value={each.value} label={each.label} description={each.description} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
