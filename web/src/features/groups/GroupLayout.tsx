/** Pages of a group: below its header. */
import { Outlet } from '@tanstack/react-router';
import { GroupFrame } from './GroupFrame.tsx';

export default function GroupLayout() {
  return (
    <GroupFrame>
      <Outlet />
    </GroupFrame>
  );
}
