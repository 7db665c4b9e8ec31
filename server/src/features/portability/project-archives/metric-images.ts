/** Metric images of incidents on their way into an archive and back: a line each, and their bytes as files. */
import Type, { type Static } from 'typebox';
import { DateTimeParam, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { archivedMetricImages, takeMetricImage } from '../../planning/index.ts';
import type { PortabilityDependencies } from '../index.ts';
import { bytesOf } from './manifest.ts';
import { type Outcome, readFileRows } from './taking.ts';
import type { TarEntry } from './tar.ts';
import type { StoredFile } from './uploads.ts';

export const metricImagesName = 'metric_images';
export const metricImageNumberOf = (name: string): number | null => {
  const found = /^metric_images\/([1-9]\d{0,8})$/.exec(name)?.[1];
  return found === undefined ? null : Number(found);
};

export const imageLine = Type.Object({
  number: Int({ minimum: 1, maximum: 999_999_999 }),
  /** Number of the incident. */
  issue: Int({ minimum: 1, maximum: 2_147_483_647 }),
  file_name: Str({ minLength: 1, maxLength: 255 }),
  url: Optional(OrNull(Str({ maxLength: 255 }))),
  url_text: Optional(OrNull(Str({ maxLength: 128 }))),
  created_at: DateTimeParam(),
});
export type ImageLine = Static<typeof imageLine>;

/** Bytes of an entry that are read: one more than an image may have is refused with its reason. */
export const mostRead = 8 * 1024 ** 2;

export function archivedImages({ db, objects }: Pick<PortabilityDependencies, 'db' | 'objects'>) {
  return {
    /** What is there, and how much the storage has lost. */
    async of(projectId: number) {
      const lines: object[] = [];
      const files: StoredFile[] = [];
      const missing = { count: 0, bytes: 0 };
      for (const { id: _, object_key: key, size, ...line } of await archivedMetricImages(db, projectId))
        if (await objects.exists(key)) {
          const number = lines.length + 1;
          lines.push({ number, ...line });
          files.push({ name: `metric_images/${number}`, size, key });
        } else {
          missing.count += 1;
          missing.bytes += size;
        }
      return { lines, files, missing };
    },

    async read(entry: TarEntry, most: number, outcome: Outcome): Promise<Map<number, ImageLine>> {
      const rows = await readFileRows(entry, { name: metricImagesName, schema: imageLine, most }, outcome);
      return new Map(rows.map((row) => [row.number, row]));
    },

    /** Keeps an image; the reason where it is left out. */
    async take(projectId: number, line: ImageLine | undefined, entry: TarEntry): Promise<string | null> {
      if (!line) return `${entry.name} is not among the rows of metric images`;
      if (entry.size > mostRead) return `is larger than ${mostRead} bytes`;
      const { url = null, url_text = null, ...rest } = line;
      return await takeMetricImage(
        { db, objects },
        projectId,
        { ...rest, url, url_text },
        await bytesOf(entry, mostRead),
      );
    },
  };
}
