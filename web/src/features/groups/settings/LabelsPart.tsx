/** Labels of a group. */
import { LabelManager } from '../../labels/LabelManager.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function LabelsPart() {
  const { path } = useGroup();
  return <LabelManager place={{ kind: 'group', path }} />;
}
