/** Choosing who may see a project or group. */
import { Radio, Stack } from '@mantine/core';
import { visibilities } from './Visibility.tsx';

export type VisibilityLevel = (typeof visibilities)[number]['value'];

interface VisibilityFieldProps {
  value: VisibilityLevel;
  change: (value: VisibilityLevel) => void;
  reason(field: string): string | undefined;
}

export function VisibilityField({ value, change, reason }: VisibilityFieldProps) {
  return (
    <Radio.Group
      label="Visibility"
      value={value}
      onChange={(next) => change(next as VisibilityLevel)}
      error={reason('visibility_level') ?? reason('visibility')}
    >
      <Stack gap={6} mt={6}>
        {visibilities.map((each) => (
          <Radio key={each.value} value={each.value} label={each.label} description={each.description} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
