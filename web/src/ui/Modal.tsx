/** The library's dialog, which comes with the first one that opens: its content is written where it is used. */
import type { ModalProps } from '@mantine/core';
import { DialogOnDemand, onDemand } from './onDemand.tsx';

const dialog = onDemand<ModalProps>(() => import('./library/Modal.ts'));

export function Modal(props: ModalProps) {
  return <DialogOnDemand of={dialog} props={props} />;
}
