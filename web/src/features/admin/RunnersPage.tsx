/** All runners of the instance. */
import { useSuspenseQuery } from '@tanstack/react-query';
import * as data from '../../lib/data.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import { RunnerList } from './RunnerList.tsx';

export default function RunnersPage() {
  const { data: runners } = useSuspenseQuery(data.allRunners());
  return (
    <AdminFrame title="Runners">
      {runners.length === 0 ? (
        <EmptyState title="No runners">Jobs wait until one is registered.</EmptyState>
      ) : (
        <RunnerList runners={runners} />
      )}
    </AdminFrame>
  );
}
