/** What another instance has of a project beside its rows and files: repositories of snippets, and pictures of incidents. */
import type { Static, TObject } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { RawObject } from '../../../kernel/http/params/nested.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { Outbound } from '../../../kernel/outbound/index.ts';
import { snippetNotes } from '../../collaboration/notes/index.ts';
import type { ImportTarget, ProjectRepositories } from '../../namespaces/index.ts';
import { removeMetricImages, takeMetricImage } from '../../planning/index.ts';
import type { Row } from '../project-archives/json.ts';
import { bytesOf, checked } from '../project-archives/manifest.ts';
import { imageLine, metricImagesName, mostRead } from '../project-archives/metric-images.ts';
import {
  type SnippetLine,
  snippetLine,
  snippetNotesName,
  snippetsName,
  takeSnippet,
} from '../project-archives/snippets.ts';
import { takeBatch } from '../project-archives/taking.ts';
import { ArchiveError } from '../project-archives/tar.ts';
import type { UrlImports } from '../project-archives/url-imports.ts';
import { fetchedFile } from './fetched-file.ts';
import type { Brought, Part } from './provider.ts';
import { whyNotFetched } from './wiki-part.ts';

interface Transfer {
  readonly db: Db;
  readonly subject: ProjectSubject;
  readonly target: ImportTarget;
  readonly signal: AbortSignal;
  /** The rows of a relation that the other instance exports. */
  readonly rowsOf: (name: string) => AsyncIterable<readonly { readonly row: Row }[]>;
}

/** A row as its relation describes it, or why it is none. */
function lineOf<T extends TObject>(schema: T, row: Row, name: string): Static<T> | string {
  try {
    return checked(schema, row as RawObject, name) as Static<T>;
  } catch (error) {
    if (error instanceof ArchiveError) return error.message;
    throw error;
  }
}

interface SnippetTransfer extends Transfer {
  readonly repository: Pick<ProjectRepositories, 'takeSnippet' | 'snippetsEmptied'>;
  readonly urlImports: Pick<UrlImports, 'branches'>;
  /** Where git fetches the snippet of an id there. */
  readonly addressOf: (id: number) => string;
  /** Bytes of the repository of one snippet. */
  readonly largest: number;
}

/** Snippets with their repositories, and the comments on them. */
export function snippetPart(transfer: SnippetTransfer): Part<Brought> {
  const { db, subject, target, signal, repository, urlImports, largest } = transfer;

  async function take(line: SnippetLine, ids: Map<number, number>): Promise<string | null> {
    const limits = { size: 0, maxBytes: largest, signal };
    try {
      const reason = await urlImports.branches(transfer.addressOf(line.number), signal, async (bundle) => [
        await takeSnippet(transfer, line, bundle, limits, ids),
      ]);
      return reason === null ? 'has no repository' : (reason[0] ?? null);
    } catch (error) {
      return whyNotFetched(error);
    }
  }

  return {
    name: snippetsName,
    along: [snippetNotesName],
    async *take() {
      // An attempt that was interrupted has brought some; comments go with their snippet.
      await repository.snippetsEmptied(subject.project.id);
      const ids = new Map<number, number>();
      for await (const page of transfer.rowsOf(snippetsName))
        for (const { row } of page) {
          const line = lineOf(snippetLine, row, snippetsName);
          yield typeof line === 'string' ? line : await take(line, ids);
        }
      let at = 1;
      for await (const page of transfer.rowsOf(snippetNotesName)) {
        const rows = page.map(({ row }) => row);
        const reasons = await transaction(db, (tx) => takeBatch(tx, snippetNotes(ids), rows, target, at));
        at += rows.length;
        for (const reason of reasons) yield { name: snippetNotesName, reason };
      }
    },
  };
}

interface ImageTransfer extends Transfer {
  readonly outbound: Pick<Outbound, 'open'>;
  readonly objects: Pick<ObjectStore, 'put' | 'remove'>;
  /** Address and token of the API there. */
  readonly source: { readonly base: string; readonly token: string };
}

/** Metric images of incidents. */
export function metricImagePart(transfer: ImageTransfer): Part {
  const { db, objects, outbound, subject, signal, source } = transfer;
  const { id: projectId } = subject.project;
  // They are at an address of pages.
  const pages = source.base.replace(/\/api\/v4$/, '');

  async function take(row: Row): Promise<string | null> {
    const line = lineOf(imageLine, row, metricImagesName);
    if (typeof line === 'string') return line;
    const { number, url = null, url_text = null, ...rest } = line;
    const path = `/uploads/-/system/issuable_metric_image/file/${number}/${encodeURIComponent(line.file_name)}`;
    const request = { outbound, signal, url: `${pages}${path}`, authorization: `Bearer ${source.token}` };
    return await fetchedFile({ ...request, largest: mostRead }, async ({ body }) => {
      const bytes = await bytesOf({ name: line.file_name, size: 0, body }, mostRead);
      return await takeMetricImage({ db, objects }, projectId, { ...rest, url, url_text }, bytes);
    });
  }

  return {
    name: metricImagesName,
    async *take() {
      await transaction(db, (tx) => removeMetricImages(tx, projectId));
      for await (const page of transfer.rowsOf(metricImagesName)) for (const { row } of page) yield await take(row);
    },
  };
}
