/** `/uploads/-/system/issuable_metric_image/file/:id/:file`: metric images for who sees their issue. */
import type { FastifyInstance } from 'fastify';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { authenticate, type CredentialResolver } from '../../../kernel/http/credentials.ts';
import { noSuchRoute } from '../../../kernel/http/errors.ts';
import { readAll } from '../../../kernel/http/params/body.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { imageType, inertImageHeaders } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { mayReadIssue } from '../issues/access.ts';
import { issueById } from '../issues/issues.queries.ts';
import { findMetricImage } from './metric-images.queries.ts';

export function mountMetricImages(
  server: FastifyInstance,
  deps: {
    readonly db: Db;
    readonly resolver: CredentialResolver;
    readonly parents: Pick<ParentLoader, 'project'>;
    readonly objects: Pick<ObjectStore, 'get' | 'exists'>;
  },
): void {
  const { db, objects } = deps;
  server.get<{ Params: { id: string; file: string } }>(
    '/uploads/-/system/issuable_metric_image/file/:id/:file',
    async (request, reply) => {
      const { id, file } = request.params;
      const found = await authenticate(deps.resolver, request, {}, ['token', 'session']);
      const reads = found?.scopes === null || found?.scopes.has('api') || found?.scopes.has('read_api');
      const caller = { ...(found && reads ? found : anonymous), address: request.ip };
      const image = /^\d{1,15}$/.test(id) ? await findMetricImage(db, Number(id)) : undefined;
      const issue = image && (await issueById(db, image.issue_id));
      const subject = issue && (await deps.parents.project(String(issue.project_id), caller));
      // The name is compared, never used as a path.
      const seen = issue && subject && image.file_name === file && (await mayReadIssue(db, subject, caller, issue));
      if (!seen || !(await objects.exists(image.object_key))) throw noSuchRoute();
      const bytes = await readAll(objects.get(image.object_key), 'metric image', image.size);
      const type = imageType(bytes);
      if (type === null) throw noSuchRoute();
      return reply
        .headers({ ...inertImageHeaders, 'Content-Type': type, 'Cache-Control': 'private, max-age=300' })
        .send(bytes);
    },
  );
}
