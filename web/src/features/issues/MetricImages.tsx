/** Pictures of metrics of an incident, each with a link to where they are from. */
import { Button, FileInput, Group, Modal, Stack, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addMetricImage, metricImages, removeMetricImage } from '../../lib/issues.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';
import classes from './issues.module.css';

interface Props {
  readonly iid: number;
  /** Whether the person may add images. */
  readonly adds: boolean;
  /** Whether the person may remove them. */
  readonly removes: boolean;
}

export function MetricImages({ iid, adds, removes }: Props) {
  const { path } = useProject();
  const { data: images = [], error } = useQuery(metricImages(path, iid));
  const [adding, setAdding] = useState(false);
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: metricImages(path, iid).queryKey });
  if (images.length === 0 && !adds) return null;
  return (
    <section aria-labelledby="metric-images">
      <Group justify="space-between" mt="md" mb="xs">
        <h2 id="metric-images" className={classes.heading}>
          Metrics
        </h2>
        {adds ? (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            Add metric image
          </Button>
        ) : null}
      </Group>
      <FormError error={error} />
      <div className={classes.metrics}>
        {images.map(({ id, filename, file_path, url, url_text }) => (
          <figure key={id} className={classes.metric}>
            <a href={file_path} target="_blank" rel="noreferrer">
              <img src={file_path} alt={url_text || filename} loading="lazy" />
            </a>
            <figcaption>
              {url ? (
                <a href={url} rel="noreferrer nofollow">
                  {url_text || url}
                </a>
              ) : (
                <span>{url_text || filename}</span>
              )}
              {removes ? (
                <ConfirmButton
                  title="Delete metric image"
                  about={`Delete ${filename}`}
                  text={`The image ${filename} will be deleted.`}
                  action="Delete image"
                  icon={<IconTrash size={16} />}
                  run={() => removeMetricImage(path, iid, id)}
                  shown={again}
                />
              ) : null}
            </figcaption>
          </figure>
        ))}
      </div>
      <Modal opened={adding} onClose={() => setAdding(false)} title="Add metric image">
        <MetricForm
          iid={iid}
          done={async () => {
            await again();
            setAdding(false);
          }}
        />
      </Modal>
    </section>
  );
}

function MetricForm({ iid, done }: { readonly iid: number; done(): Promise<void> }) {
  const { path } = useProject();
  const [file, setFile] = useState<File | null>(null);
  const [url, setUrl] = useState('');
  const [text, setText] = useState('');
  const sending = useForm(async () => {
    if (!file) return;
    await addMetricImage(path, iid, { file, url: url.trim(), url_text: text.trim() });
    await done();
  });
  return (
    <form {...sending.form} aria-label="Add metric image">
      <Stack gap="md">
        <FormError error={sending.error} />
        <FileInput
          label="Image"
          description="At most 1 MiB"
          placeholder="Choose a file"
          accept="image/png,image/jpeg,image/gif,image/webp"
          required
          value={file}
          onChange={setFile}
          error={sending.reason('file')}
        />
        <TextInput
          label="Text"
          description="What the image shows"
          maxLength={128}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <TextInput
          label="Link"
          description="Where to see more of the metric"
          type="url"
          maxLength={255}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={sending.pending} disabled={file === null}>
            Add image
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
