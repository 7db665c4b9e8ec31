/** What went wrong on a page of the administration; people without its rights see nothing else of it. */
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorBody, ErrorPage, kindOf, titleOf, useAgain } from '../frame/ErrorPages.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function AdminErrorPage(props: ErrorComponentProps) {
  const again = useAgain(props.reset);
  const kind = kindOf(props.error);
  if (kind === 'forbidden' || kind === 'signed-out') return <ErrorPage {...props} />;
  return (
    <AdminFrame title={titleOf(props.error)} part="">
      <ErrorBody error={props.error} again={again} />
    </AdminFrame>
  );
}
