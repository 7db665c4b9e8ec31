/** Metric images as JSON. */
import type { Static } from 'typebox';
import { Entity, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import type { MetricImage as Row } from './metric-images.queries.ts';

export const MetricImage = Entity('MetricImage', {
  id: Id(),
  created_at: Timestamp(),
  filename: Text(),
  file_path: Text({ description: 'Path of the image on this server' }),
  url: Nullable(Text(), { description: 'Where to see more of the metric' }),
  url_text: Nullable(Text(), { description: 'What the image shows, or the text of the link' }),
});

const pathOf = ({ id, file_name }: Pick<Row, 'id' | 'file_name'>) =>
  `/uploads/-/system/issuable_metric_image/file/${id}/${encodeURIComponent(file_name)}`;

export const metricImageJson = (row: Row): Static<typeof MetricImage> => ({
  id: row.id,
  created_at: row.created_at,
  filename: row.file_name,
  file_path: pathOf(row),
  url: row.url,
  url_text: row.url_text,
});
