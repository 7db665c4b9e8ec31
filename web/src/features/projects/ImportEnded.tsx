/** Says of a project whose repository did not come as a whole why, and what to do. */
import { Alert } from '@mantine/core';
import type { Schemas } from '../../lib/api.ts';

export default function ImportEnded({ project }: { project: Schemas['Project'] }) {
  const failed = project.import_status === 'failed';
  return (
    <Alert
      {...(failed ? { color: 'red' } : {})}
      variant="light"
      title={failed ? 'The repository could not be copied' : 'The import was canceled'}
      mb="md"
    >
      {failed && project.import_error ? `${project.import_error}. ` : ''}
      {project.empty_repo
        ? 'Push to this project, or delete it in its settings and try again.'
        : 'What was imported until then is kept.'}
    </Alert>
  );
}
