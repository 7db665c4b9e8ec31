/** A dangerous action: says what will happen and asks for the name. */
import type { ConfirmNameProps } from './ConfirmNameModal.tsx';
import { DialogOnDemand, onDemand } from './onDemand.tsx';

const modal = onDemand(() => import('./ConfirmNameModal.tsx'));

export function ConfirmName(props: ConfirmNameProps) {
  return <DialogOnDemand of={modal} props={props} />;
}
