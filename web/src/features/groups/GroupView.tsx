/** The overview of a group below its header. */
import { GroupFrame } from './GroupFrame.tsx';
import GroupPage from './GroupPage.tsx';

export default function GroupView() {
  return (
    <GroupFrame>
      <GroupPage />
    </GroupFrame>
  );
}
