/** One file: highlighted text with line links, a rendered document, a table, a picture, sound or film, or a download. */
import { SegmentedControl, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { mostBytes, previewOf } from '../../lib/previews.ts';
import { fileInView } from '../../lib/repository.ts';
import { separatorOf } from '../../lib/tables.ts';
import { bytes } from '../../lib/time.ts';
import { rawAddress } from '../../lib/urls.ts';
import { CodeView } from '../../ui/code/CodeView.tsx';
import { linesOf } from '../../ui/code/lines.ts';
import { linesWithHidden, placesOf } from '../../ui/hidden/characters.ts';
import { HiddenAlert } from '../../ui/hidden/HiddenAlert.tsx';
import { LinkButton } from '../../ui/links.ts';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { LastCommit } from '../commits/LastCommit.tsx';
import { LockControl } from '../locks/LockControl.tsx';
import { useProject } from '../projects/useProject.ts';
import { grammarOf } from '../symbols/grammars.ts';
import type { WantedName } from '../symbols/SymbolsPanel.tsx';
import { decodeText, largeFileSize } from './content.ts';
import { FileActions } from './FileActions.tsx';
import { FilePanels, PanelToggle, usePanels } from './FilePanels.tsx';
import { FilePreview, TooLarge } from './FilePreview.tsx';
import classes from './files.module.css';
import { PathBar } from './PathBar.tsx';
import { usePlace } from './refs.ts';
import { TextTableView } from './TextTableView.tsx';

export default function BlobPage() {
  const { _splat = '' } = useParams({ strict: false });
  const { project, path, segment, warn } = useProject();
  const place = usePlace(_splat);
  const { data: file } = useSuspenseQuery(fileInView(path, place.ref, place.path));
  const text = useMemo(
    () => (file.content === null || file.size > mostBytes.text ? null : decodeText(file.content)),
    [file],
  );
  const large = text === null || project.lfs_enabled === false ? null : largeFileSize(text);
  const size = large ?? file.size;
  const raw = rawAddress(path, place.ref, place.path);
  const media = previewOf(file.file_name);
  const preview = media !== null && size <= mostBytes[media.kind] ? media : null;
  const plain = large === null ? text : null;
  const hidden = useMemo(() => (warn && plain !== null ? linesWithHidden(linesOf(plain)) : []), [warn, plain]);
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  // The address that shows the same in ten years.
  const permanent = { path: segment, _splat: `${file.commit_id}/${place.path}` };
  useHotkeys([['y', () => void navigate({ to: '/p/$path/blob/$', params: permanent, hash, replace: true })]]);
  const separator = plain === null ? null : separatorOf(file.file_name, plain);
  // What can be seen otherwise than as it is written.
  const other =
    plain === null
      ? null
      : typeof file.html === 'string'
        ? 'Document'
        : separator !== null
          ? 'Table'
          : preview?.kind === 'picture'
            ? 'Picture'
            : null;
  const [source, setSource] = useState(false);
  const view = source ? null : other;
  const { panels, set } = usePanels();
  const [wanted, setWanted] = useState<WantedName | null>(null);
  const parsed =
    plain !== null && view === null && preview === null && grammarOf(file.file_name) !== null
      ? { fileName: file.file_name, text: plain, commit: file.commit_id }
      : null;
  return (
    <Page title={`${file.file_name} · ${project.name_with_namespace}`} heading={file.file_name} wide quiet>
      <PathBar place={place}>
        <LockControl place={place} />
        {place.ref === file.commit_id ? null : (
          <LinkButton to="/p/$path/blob/$" params={permanent} hash={hash}>
            Permalink
          </LinkButton>
        )}
      </PathBar>
      <div className={classes.box}>
        <LastCommit gitRef={place.ref} folder={place.path} />
        <div className={classes.fileHead}>
          <PanelToggle label="File tree" shown={panels.tree} toggle={() => set({ tree: !panels.tree })} />
          <Text span size="sm" c="var(--mr-dim)">
            {large !== null
              ? `Stored with Git LFS, ${bytes(large)}`
              : `${text === null ? '' : `${text.split('\n').length - (text.endsWith('\n') ? 1 : 0)} lines, `}${bytes(file.size)}`}
          </Text>
          <div className={classes.grow} />
          {other !== null ? (
            <SegmentedControl
              size="xs"
              data={[other, 'Source']}
              value={view ?? 'Source'}
              onChange={(value) => setSource(value === 'Source')}
              aria-label="View"
            />
          ) : null}
          {parsed ? (
            <PanelToggle label="Symbols" shown={panels.symbols} toggle={() => set({ symbols: !panels.symbols })} />
          ) : null}
          <FileActions
            place={place}
            raw={raw}
            text={plain}
            editable={plain !== null}
            lastCommit={file.last_commit_id}
          />
        </div>
        <FilePanels panels={panels} place={place} source={parsed} wanted={wanted}>
          <HiddenAlert
            places={placesOf(hidden)}
            lines={view === null ? hidden.map(({ line }) => line) : []}
            where={view === null ? 'here' : 'in the source'}
          />
          {preview !== null && (plain === null || view === 'Picture') ? (
            <FilePreview name={file.file_name} raw={raw} version={file.blob_id} preview={preview} />
          ) : large !== null ? (
            <div className={classes.readmeBody}>
              <Text c="var(--mr-dim)">This file is stored with Git LFS. Download it to view its contents.</Text>
            </div>
          ) : plain === null ? (
            file.size > mostBytes.text ? (
              <TooLarge raw={raw} size={bytes(file.size)} />
            ) : (
              <div className={classes.readmeBody}>
                <Text c="var(--mr-dim)">Binary file: download it to view its contents.</Text>
              </div>
            )
          ) : view === 'Document' ? (
            <div className={classes.readmeBody}>
              <MarkdownBody html={file.html ?? ''} of={{ kind: 'project', path }} />
            </div>
          ) : view === 'Table' && separator !== null ? (
            <TextTableView name={file.file_name} text={plain} separator={separator} />
          ) : (
            <CodeView
              text={plain}
              fileName={file.file_name}
              marked={hidden.length > 0}
              pointedAt={
                parsed
                  ? (name) => {
                      set({ symbols: true });
                      setWanted({ name });
                    }
                  : undefined
              }
            />
          )}
        </FilePanels>
      </div>
    </Page>
  );
}
