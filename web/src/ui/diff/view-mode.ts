/** One column or two: what this browser chose. */
import { useLocalStorage } from '@mantine/hooks';

export type DiffLook = 'Unified' | 'Split';

export const useDiffLook = () =>
  useLocalStorage<DiffLook>({ key: 'millrace-diff-look', defaultValue: 'Unified', getInitialValueInEffect: false });
