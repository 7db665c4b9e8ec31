/** What no rows hold of a project or group of another instance: its wiki, uploaded files and picture. */

import type { RawObject } from '../../../kernel/http/params/nested.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import { maximumAvatarBytes } from '../../identity/index.ts';
import type { Row } from '../project-archives/json.ts';
import { bytesOf, checked } from '../project-archives/manifest.ts';
import { ArchiveError } from '../project-archives/tar.ts';
import { pictureName, thereAlready, type UploadLine, uploadLine, uploadsName } from '../project-archives/uploads.ts';
import { fetchedFile, notThere, type SentFile } from './fetched-file.ts';
import type { Part, PartTarget } from './provider.ts';

export interface FileTransfer extends PartTarget {
  readonly outbound: Pick<Outbound, 'open'>;
  readonly signal: AbortSignal;
  /** Address and token of the API there. */
  readonly source: { readonly base: string; readonly token: string };
  /** Path of the project or group in it. */
  readonly place: string;
  /** The rows of a relation that it exports. */
  readonly rowsOf: (name: string) => AsyncIterable<readonly { readonly row: Row }[]>;
}

/** Files and picture of one place, as parts of an import. */
export function fileParts(transfer: FileTransfer): readonly Part[] {
  const { outbound, signal, source, place, files, owner, target } = transfer;

  const fetched = (path: string, largest: number, take: (sent: SentFile) => Promise<string | null>) =>
    fetchedFile(
      { outbound, signal, url: `${source.base}${place}${path}`, authorization: `Bearer ${source.token}`, largest },
      take,
    );

  async function upload(row: Row): Promise<string | null> {
    let line: UploadLine;
    try {
      line = checked(uploadLine, row as RawObject, uploadsName) as UploadLine;
    } catch (error) {
      if (error instanceof ArchiveError) return error.message;
      throw error;
    }
    const uploader = (await target.person(line.uploaded_by)) ?? target.importerId;
    const path = `/uploads/${line.secret}/${encodeURIComponent(line.file_name)}`;
    const reason = await fetched(path, transfer.largest, ({ size, body }) =>
      files.takeUpload(owner, line, uploader, { name: line.file_name, size, body }, signal),
    );
    // An attempt that was interrupted has brought it: nobody else knows its secret.
    return reason === thereAlready ? null : reason;
  }

  return [
    {
      name: uploadsName,
      async *take() {
        for await (const page of transfer.rowsOf(uploadsName)) for (const { row } of page) yield await upload(row);
      },
    },
    {
      name: pictureName,
      async *take() {
        const reason = await fetched('/avatar', maximumAvatarBytes, async ({ body }) => {
          const bytes = await bytesOf({ name: pictureName, size: 0, body }, maximumAvatarBytes);
          return await files.takePicture(owner, {
            ...{ name: pictureName, size: bytes.length },
            body: (async function* () {
              yield bytes;
            })(),
          });
        });
        // Most places have none.
        if (reason !== notThere) yield reason;
      },
    },
  ];
}
