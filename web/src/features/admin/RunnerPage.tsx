/** One runner, in the administration. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { runner } from '../../lib/runners.ts';
import { RunnerView } from '../runners/RunnerView.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function RunnerPage() {
  const { id = '' } = useParams({ strict: false });
  const { data } = useSuspenseQuery(runner(Number(id)));
  return (
    <AdminFrame title={`Runner #${data.id} ${data.description}`.trim()} wide>
      <RunnerView key={data.id} id={data.id} place={{ kind: 'instance' }} />
    </AdminFrame>
  );
}
