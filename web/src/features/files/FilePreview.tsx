/** A picture, a sound or a film of a repository. Its bytes are given a type here: the server sends all files as text. */
import { Anchor, Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pictureData } from '../../lib/pictures.ts';
import type { Preview } from '../../lib/previews.ts';
import { FormError } from '../../ui/FormError.tsx';
import classes from './files.module.css';

async function bytesOf(address: string, type: string): Promise<Blob> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
  return new Blob([await answer.arrayBuffer()], { type });
}

interface FilePreviewProps {
  readonly name: string;
  /** Where the bytes are. */
  readonly raw: string;
  /** What they are known by, so that a changed file is fetched anew. */
  readonly version: string;
  readonly preview: Preview;
}

function Picture({ name, raw, version, preview }: FilePreviewProps) {
  const { data, error } = useQuery(pictureData(raw, preview.type, version));
  if (error) return <FormError error={error} />;
  return data ? <img src={data} alt={name} className={classes.picture} /> : null;
}

/** Sounds and films are fetched when somebody wants them. */
function Player({ name, raw, preview }: FilePreviewProps) {
  const loading = useMutation({ mutationFn: async () => URL.createObjectURL(await bytesOf(raw, preview.type)) });
  const { data: address } = loading;
  useEffect(() => (address ? () => URL.revokeObjectURL(address) : undefined), [address]);
  if (!address)
    return (
      <>
        <FormError error={loading.error} />
        <Button variant="default" loading={loading.isPending} onClick={() => loading.mutate()}>
          Play {name}
        </Button>
      </>
    );
  const shared = { src: address, controls: true, autoPlay: true, 'aria-label': name } as const;
  // Nobody wrote captions for files of repositories.
  return preview.kind === 'sound' ? (
    <audio {...shared} className={classes.player}>
      <track kind="captions" />
    </audio>
  ) : (
    <video {...shared} className={classes.player}>
      <track kind="captions" />
    </video>
  );
}

export function FilePreview(props: FilePreviewProps) {
  return (
    <div className={classes.readmeBody}>
      {props.preview.kind === 'picture' ? <Picture {...props} /> : <Player key={props.raw} {...props} />}
    </div>
  );
}

export function TooLarge({ raw, size }: { raw: string; size: string }) {
  return (
    <div className={classes.readmeBody}>
      <Text c="var(--mr-dim)">
        This file has {size}: too much to show here. View it{' '}
        <Anchor href={raw} underline="always" inherit>
          as it is
        </Anchor>
        , or download it.
      </Text>
    </div>
  );
}
