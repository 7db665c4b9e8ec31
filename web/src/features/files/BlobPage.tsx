/** One file: highlighted text with line links, a rendered document, a picture, or a download. */
import { Anchor, SegmentedControl, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { bytes } from '../../lib/time.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { CodeView } from '../../ui/code/CodeView.tsx';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { LastCommit } from '../commits/LastCommit.tsx';
import { useProject } from '../projects/useProject.ts';
import { decodeText } from './content.ts';
import classes from './files.module.css';
import { PathBar } from './PathBar.tsx';
import { usePlace } from './refs.ts';

/** Above this the text is offered as a file only. */
const shownBytes = 2_000_000;
const pictures = /\.(png|jpe?g|gif|webp|avif|ico)$/i;

export default function BlobPage() {
  const { _splat = '' } = useParams({ strict: false });
  const { project, parts, path } = useProject();
  const place = usePlace(_splat);
  const { data: file } = useSuspenseQuery(parts.file(place.ref, place.path));
  const text = useMemo(() => (file.size > shownBytes ? null : decodeText(file.content)), [file]);
  const raw = `/api/v4/projects/${project.id}/repository/files/${encodeURIComponent(place.path)}/raw?ref=${encodeURIComponent(place.ref)}`;
  const document = text !== null && /\.(md|markdown)$/i.test(file.file_name);
  const [view, setView] = useState<string>('Document');
  const rendered = document && view === 'Document';
  return (
    <Page title={`${file.file_name} · ${project.name_with_namespace}`} heading={file.file_name} wide quiet>
      <PathBar place={place} />
      <div className={classes.box}>
        <LastCommit gitRef={place.ref} folder={place.path} />
        <div className={classes.fileHead}>
          <Text span size="sm" c="var(--mr-dim)">
            {text === null ? '' : `${text.split('\n').length - (text.endsWith('\n') ? 1 : 0)} lines, `}
            {bytes(file.size)}
          </Text>
          <div className={classes.grow} />
          {document ? (
            <SegmentedControl
              size="xs"
              data={['Document', 'Source']}
              value={view}
              onChange={setView}
              aria-label="View"
            />
          ) : null}
          <Anchor href={raw} size="sm" download={file.file_name}>
            Download
          </Anchor>
          {text === null ? null : <CopyButton value={text} label="Copy the contents" />}
        </div>
        {text === null ? (
          <div className={classes.readmeBody}>
            {pictures.test(file.file_name) ? (
              <img
                src={`data:image/${/\.jpe?g$/i.test(file.file_name) ? 'jpeg' : file.file_name.split('.').at(-1)?.toLowerCase()};base64,${file.content}`}
                alt={file.file_name}
                className={classes.picture}
              />
            ) : (
              <Text c="var(--mr-dim)">This file is no text that can be shown here. Download it to look at it.</Text>
            )}
          </div>
        ) : rendered ? (
          <div className={classes.readmeBody}>
            <MarkdownBody
              text={text}
              base={{ project: path, ref: place.ref, folder: place.path.split('/').slice(0, -1).join('/') }}
            />
          </div>
        ) : (
          <CodeView text={text} fileName={file.file_name} />
        )}
      </div>
    </Page>
  );
}
