/** A link to the artifacts of a job as JSON. */
import type { Static } from 'typebox';
import { Entity, Text } from '../../../kernel/http/entity.ts';

export const ExposedArtifact = Entity('MergeRequestExposedArtifact', {
  text: Text({ description: 'Text of the link (`artifacts:expose_as`)' }),
  url: Text({ description: 'Path of the page of the file, or of all files of the archive where they are several' }),
  job_path: Text(),
  job_name: Text(),
});

/** `file`: the only one that the job's paths name. */
export function exposedJson(
  { id, name, text }: { readonly id: number; readonly name: string; readonly text: string },
  projectUrl: string,
  file: string | null,
): Static<typeof ExposedArtifact> {
  const job = `${new URL(projectUrl).pathname}/-/jobs/${id}`;
  const place = file === null ? 'browse' : `file/${file.split('/').map(encodeURIComponent).join('/')}`;
  return { text, url: `${job}/artifacts/${place}`, job_path: job, job_name: name };
}
