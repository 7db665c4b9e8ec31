/** Metric images: pictures of charts that belong to an incident. */
import { readFile } from 'node:fs/promises';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { publish } from '../../../kernel/events/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { FileParam, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { imageType } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { safeFileName } from '../../collaboration/index.ts';
import { findIssue, findIssueToUpdate } from '../issues/access.ts';
import { one } from '../issues/issues.params.ts';
import { isAddress, largestImage, longest, mostImages } from './limits.ts';
import { MetricImage, metricImageJson } from './metric-images.entity.ts';
import * as queries from './metric-images.queries.ts';

const common = {
  tag: 'Issues',
  credentials: ['token', 'session'],
  access: { on: 'project', ability: 'read_issue' },
} as const;
const base = '/projects/:id/issues/:issue_iid/metric_images';
const about = {
  url: Optional(
    OrNull(Str({ description: `http(s) address to see more of the metric, at most ${longest.url} characters` })),
  ),
  url_text: Optional(
    OrNull(Str({ description: `Text of the link, or what the image shows, at most ${longest.url_text} characters` })),
  ),
};
const single = { ...one, metric_image_id: Int({ description: 'Id of the metric image' }) };

interface About {
  readonly url?: string | null | undefined;
  readonly url_text?: string | null | undefined;
}

/** What is said of an image; refused with `refusal`. */
function checked({ url, url_text }: About, refusal: string) {
  const wrong = (url && (url.length > longest.url || !isAddress(url))) || (url_text ?? '').length > longest.url_text;
  if (wrong) throw plainError(400, refusal);
  return {
    ...(url === undefined ? {} : { url: url || null }),
    ...(url_text === undefined ? {} : { url_text: url_text || null }),
  };
}

export function metricImageRoutes(db: Db, objects: Pick<ObjectStore, 'putFile' | 'remove'>): Route[] {
  async function find(subject: ProjectSubject, caller: Caller, params: { issue_iid: number; metric_image_id: number }) {
    const issue = await findIssueToUpdate(db, subject, caller, params.issue_iid);
    const image = await queries.findMetricImage(db, params.metric_image_id);
    if (image?.issue_id !== issue.id) throw plainError(404, 'Metric image not found');
    return { issue, image };
  }
  const changed = (tx: Db, { id, project_id }: Issue) => publish(tx, `issue:${id}`, `project:${project_id}:issues`);

  return [
    route({
      ...common,
      method: 'POST',
      path: base,
      summary: 'Add a metric image to an incident',
      params: Type.Object({ ...one, file: FileParam({ description: 'The image, at most 1 MiB' }), ...about }),
      maxFileBytes: largestImage,
      responses: { 201: MetricImage },
      handler: async ({ params, subject, caller }) => {
        const issue = await findIssue(db, subject, caller, params.issue_iid);
        if (caller.user === null) throw unauthorized();
        if (!canOnProject(caller, 'update_issue', subject) || issue.type !== 'incident')
          throw plainError(403, 'Not allowed!');
        const said = checked(params, 'Metric image could not be saved');
        const { file } = params;
        if (imageType(await readFile(file.path)) === null)
          throw plainError(400, 'File format is not supported: upload an image');
        const { key, size } = await objects.putFile(file.path, { size: file.size, sha256: file.sha256 });
        try {
          return await transaction(db, async (tx) => {
            const row = await queries.insertMetricImage(
              tx,
              {
                ...{ issue_id: issue.id, file_name: safeFileName(file.filename), object_key: key, size },
                ...{ url: said.url ?? null, url_text: said.url_text ?? null },
              },
              mostImages,
            );
            if (!row) throw plainError(400, `An incident has at most ${mostImages} metric images`);
            await changed(tx, issue);
            return metricImageJson(row);
          });
        } catch (error) {
          await objects.remove(key);
          throw error;
        }
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List metric images of an incident',
      params: Type.Object(one),
      responses: { 200: ListOf(MetricImage) },
      handler: async ({ params, subject, caller }) => {
        const issue = await findIssue(db, subject, caller, params.issue_iid);
        return (await queries.metricImagesOf(db, issue.id)).map(metricImageJson);
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${base}/:metric_image_id`,
      summary: 'Update the link of a metric image',
      params: Type.Object({ ...single, ...about }),
      responses: { 200: MetricImage },
      handler: async ({ params, subject, caller }) => {
        const { issue, image } = await find(subject, caller, params);
        const said = checked(params, 'Metric image could not be updated');
        return await transaction(db, async (tx) => {
          const row = await queries.updateMetricImage(tx, image.id, said);
          if (!row) throw plainError(404, 'Metric image not found');
          await changed(tx, issue);
          return metricImageJson(row);
        });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/:metric_image_id`,
      summary: 'Delete a metric image',
      params: Type.Object(single),
      conditional: true,
      responses: { 204: Empty },
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const { issue, image } = await find(subject, caller, params);
        unmodifiedSince(image.created_at);
        await transaction(db, async (tx) => {
          if (!(await queries.deleteMetricImage(tx, image.id))) throw plainError(404, 'Metric image not found');
          await changed(tx, issue);
        });
      },
    }),
  ];
}
