/** One file of an archive: pages, documents and images as they look, everything else as text. */
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { artifactPreview, artifactUrl, frameOf, type Preview, previewBytes } from '../../lib/artifacts.ts';
import { PreviewOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './log.module.css';

const Source = ({ text }: { text: string }) => (
  // Wide and long files scroll inside, also by keyboard.
  <pre className={classes.preview} tabIndex={0}>
    {text}
  </pre>
);

/** What can be looked at in two ways. */
function Rendered({ name, preview }: { name: string; preview: Preview }) {
  const { path } = useProject();
  const [view, setView] = useState('preview');
  return (
    <>
      <SegmentedControl
        mb="xs"
        size="xs"
        aria-label="View"
        value={view}
        onChange={setView}
        data={[
          { value: 'preview', label: 'Preview' },
          { value: 'source', label: 'Source' },
        ]}
      />
      {view === 'source' ? <Source text={preview.text} /> : null}
      {view === 'preview' && preview.kind === 'page' ? (
        <>
          {/* No origin, no scripts, no requests. */}
          <iframe
            title={`Preview of ${name}`}
            sandbox=""
            referrerPolicy="no-referrer"
            className={classes.page}
            srcDoc={frameOf(preview.text)}
          />
          <p className={classes.facts}>
            Scripts and linked files are not loaded here. Download all to view the whole page.
          </p>
        </>
      ) : null}
      {view === 'preview' && preview.kind === 'markdown' ? (
        <div className={classes.preview}>
          <PreviewOnDemand text={preview.text} base={{ project: path }} />
        </div>
      ) : null}
    </>
  );
}

export function ArtifactPreview({ jobId, file }: { jobId: number; file: Schemas['ArtifactEntry'] }) {
  const { project } = useProject();
  const small = (file.size ?? 0) <= previewBytes;
  const { data, error } = useQuery({ ...artifactPreview(project.id, jobId, file.path), enabled: small });
  return (
    <section aria-label={`Preview of ${file.name}`} className={classes.file}>
      <h2>{file.name}</h2>
      {small ? null : <p>The file is too large for a preview.</p>}
      {error ? <p role="alert">{error.message}</p> : null}
      {data?.kind === 'binary' ? <p>Binary file: download it to view its contents.</p> : null}
      {data?.kind === 'image' ? <img src={data.text} alt={file.name} className={classes.preview} /> : null}
      {data?.kind === 'text' ? <Source text={data.text} /> : null}
      {data?.kind === 'page' || data?.kind === 'markdown' ? <Rendered name={file.name} preview={data} /> : null}
      <a href={artifactUrl(project.id, jobId, file.path)} download>
        Download {file.name}
      </a>
    </section>
  );
}
