/** What owners alone may do with a project; the server decides. */
import { useProject } from '../../projects/useProject.ts';
import { DangerSettings } from '../DangerSettings.tsx';
import { Archive, Restore, Transfer } from '../PlaceSettings.tsx';

export default function PlaceParts() {
  const { project } = useProject();
  return (
    <>
      <h2>Archive, move, delete</h2>
      <Archive />
      <Transfer />
      {project.marked_for_deletion_on ? <Restore /> : <DangerSettings />}
    </>
  );
}
