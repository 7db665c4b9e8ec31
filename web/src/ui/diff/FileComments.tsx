/** Comments on a changed file as a whole, and on points of a picture. */
import { useQuery } from '@tanstack/react-query';
import { type Dispatch, Fragment, type MouseEvent, type SetStateAction } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { pictureData, pictureType } from '../../lib/pictures.ts';
import classes from './file-comments.module.css';
import type { FilePlace, LineComments } from './line-comments.ts';

interface PictureProps {
  readonly name: string;
  readonly address: string;
  readonly type: string;
  readonly points: readonly { readonly id: string; readonly x: number; readonly y: number }[];
  choose: ((place: FilePlace) => void) | null;
}

function Picture({ name, address, type, points, choose }: PictureProps) {
  const { data } = useQuery(pictureData(address, type));
  if (!data) return null;
  const point = (event: MouseEvent<HTMLButtonElement>) => {
    const image = event.currentTarget.querySelector('img');
    if (!image || !choose) return;
    const box = image.getBoundingClientRect();
    const { naturalWidth: width, naturalHeight: height } = image;
    // Without a pointer it is the middle.
    const byKey = event.detail === 0;
    const x = byKey ? width / 2 : ((event.clientX - box.left) / box.width) * width;
    const y = byKey ? height / 2 : ((event.clientY - box.top) / box.height) * height;
    choose({ kind: 'image', width, height, x: Math.round(x), y: Math.round(y) });
  };
  return (
    <div className={classes.picture}>
      <button type="button" onClick={point} disabled={!choose} aria-label={`Comment on a point of ${name}`}>
        <img src={data} alt={name} />
        {points.map(({ id, x, y }, at) => (
          <span key={id} className={classes.pin} style={{ left: `${x * 100}%`, top: `${y * 100}%` }} aria-hidden>
            {at + 1}
          </span>
        ))}
      </button>
    </div>
  );
}

interface Props {
  readonly file: Schemas['FileDiff'];
  readonly comments: LineComments | undefined;
  readonly raw: ((file: Schemas['FileDiff']) => string) | undefined;
  /** What is commented on just now. */
  readonly place: FilePlace | null;
  readonly setPlace: Dispatch<SetStateAction<FilePlace | null>>;
}

export function FileComments({ file, comments, raw, place, setPlace }: Props) {
  const said = comments?.onFiles?.get(file.new_path) ?? [];
  const form = comments?.fileForm ?? null;
  const type = pictureType(file.new_path);
  const points = said.flatMap(({ id, point }) => (point ? [{ id, ...point }] : []));
  if (!raw || (said.length === 0 && place === null && type === null)) return null;
  return (
    <div className={classes.all}>
      {type !== null && !file.deleted_file ? (
        <Picture
          name={file.new_path}
          address={raw(file)}
          type={type}
          points={points}
          choose={form && ((chosen) => setPlace(chosen))}
        />
      ) : null}
      {said.map(({ id, shown }) => (
        <div key={id}>{shown}</div>
      ))}
      {place && form ? (
        // A comment that is still being sent is not that on another place, and closes only its own form.
        <Fragment key={place.kind}>
          {form(file, place, () => setPlace((current) => (current === place ? null : current)))}
        </Fragment>
      ) : null}
    </div>
  );
}
