/** Says what will happen and asks before it does. What cannot be made again asks for its name, too: ConfirmName. */
import type { ConfirmDialogProps } from './ConfirmModal.tsx';
import { DialogOnDemand, onDemand } from './onDemand.tsx';

const modal = onDemand(() => import('./ConfirmModal.tsx'));

export function ConfirmDialog(props: ConfirmDialogProps) {
  return <DialogOnDemand of={modal} props={props} />;
}
