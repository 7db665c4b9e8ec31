/** Hooks of the instance. */
import { systemHooks } from '../../lib/hooks.ts';
import { HookManager } from '../hooks/HookManager.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function HooksPage() {
  return (
    <AdminFrame title="System hooks">
      <HookManager place={systemHooks} />
    </AdminFrame>
  );
}
