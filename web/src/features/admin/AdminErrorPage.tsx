/** What went wrong on a page of the administration, beside the list of the others. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorBody, titleOf, useAgain } from '../frame/ErrorPages.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function AdminErrorPage({ error, reset }: ErrorComponentProps) {
  const again = useAgain(reset);
  return (
    <AdminFrame title={titleOf(error)}>
      <ErrorBody error={error} again={again} />
    </AdminFrame>
  );
}
