/** What no rows hold of a project or group of another instance: its wiki, uploaded files and picture. */

import type { RawObject } from '../../../kernel/http/params/nested.ts';
import { BrokenOff, lively, type Outbound } from '../../../kernel/outbound/index.ts';
import { maximumAvatarBytes } from '../../identity/index.ts';
import type { Row } from '../project-archives/json.ts';
import { bytesOf, checked } from '../project-archives/manifest.ts';
import { ArchiveError } from '../project-archives/tar.ts';
import { pictureName, thereAlready, type UploadLine, uploadLine, uploadsName } from '../project-archives/uploads.ts';
import { ProviderError } from './client.ts';
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

/** Nothing came for so long: the other side hangs. */
const silence = 120_000;

/** An answer as the file that archives have of it. */
interface Sent {
  readonly size: number;
  readonly body: AsyncIterable<Buffer>;
}

async function* within(body: AsyncIterable<Buffer>, largest: number): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    if (total > largest) throw new ArchiveError(`is larger than ${largest} bytes`);
    yield chunk;
  }
}

/** Files and picture of one place, as parts of an import. */
export function fileParts(transfer: FileTransfer): readonly Part[] {
  const { outbound, signal, source, place, files, owner, target } = transfer;

  /** Gives the file to `take`, which answers why it is left out; so does a file that is not there or breaks off. */
  async function fetched(path: string, largest: number, take: (sent: Sent) => Promise<string | null>) {
    const answer = await outbound.open({
      url: `${source.base}${place}${path}`,
      kind: 'import',
      headers: { Authorization: `Bearer ${source.token}` },
      timeout: 60_000,
      // Storages that sign their addresses send there.
      redirects: 3,
      signal,
    });
    if (!answer.ok) throw new ProviderError('unreachable', answer.message);
    try {
      if (answer.status === 401) throw new ProviderError('unauthorized', 'The token is not valid');
      if (answer.status !== 200) return `The server answered ${answer.status}`;
      const size = Number(answer.headers['content-length'] ?? 0) || 0;
      return await take({ size, body: within(lively(answer, silence), largest) });
    } catch (error) {
      if (error instanceof ArchiveError || error instanceof BrokenOff) return error.message;
      throw error;
    } finally {
      answer.close();
    }
  }

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
        if (reason !== 'The server answered 404') yield reason;
      },
    },
  ];
}
