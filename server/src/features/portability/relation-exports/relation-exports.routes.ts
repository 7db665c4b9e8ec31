/** Routes of exports of relations: start, status, download. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Subject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { attachment } from '../../../kernel/http/attachment.ts';
import { Entity, ListOf, Text } from '../../../kernel/http/entity.ts';
import { invalidParameters, plainError } from '../../../kernel/http/errors.ts';
import { Bool, Int32, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Binary, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { groupId, projectId } from '../../namespaces/index.ts';
import { archiveAnswer } from '../project-archives/downloads.ts';
import { RelationExport, relationExportJson } from './relation-exports.entity.ts';
import {
  type BatchRow,
  batchesOf,
  type ExportedPlace,
  findBatch,
  listRelationExports,
} from './relation-exports.queries.ts';
import type { RelationExports } from './relation-exports.service.ts';

const places = [
  {
    noun: 'project',
    base: '/projects/:id/export_relations',
    id: projectId,
    access: { on: 'project', ability: 'export_project' },
  },
  {
    noun: 'group',
    base: '/groups/:id/export_relations',
    id: groupId,
    access: { on: 'group', ability: 'export_group' },
  },
] as const;
const common = { credentials: ['token', 'session'], tag: 'Exports and imports' } as const;
const Accepted = Entity('RelationsExportAccepted', { message: Text() });
const relation = Str({ minLength: 1, maxLength: 255, description: 'Name of the relation, for instance `labels`' });

export function relationExportRoutes(
  { db, objects }: { readonly db: Db; readonly objects: Pick<ObjectStore, 'get' | 'exists' | 'signedUrl'> },
  service: RelationExports,
): Route[] {
  const placeOf = (subject: Subject): ExportedPlace => ({
    kind: subject.kind,
    id: subject.kind === 'project' ? subject.project.id : subject.group.id,
  });
  async function find(subject: Subject, name: string) {
    const [row] = await listRelationExports(db, placeOf(subject), name);
    if (!row) throw plainError(404, 'Export not found');
    return row;
  }

  /** The file that is asked for, whole or one of several. */
  async function fileOf(subject: Subject, name: string, batch: number | null): Promise<BatchRow> {
    const row = await find(subject, name);
    if (batch === null && row.batched) throw plainError(400, 'Export is batched');
    if (batch !== null && !row.batched) throw plainError(400, 'Export is not batched');
    const found = await findBatch(db, row.id, batch ?? 1);
    if (batch !== null && !found) throw plainError(404, 'Batch not found');
    const there = found?.object_key != null && (await objects.exists(found.object_key));
    if (!found || !there) throw plainError(404, batch === null ? 'Export file not found' : 'Batch file not found');
    return found;
  }

  return places.flatMap(({ noun, base, id, access }) => [
    route({
      ...common,
      access,
      method: 'POST',
      path: base,
      summary: `Export the relations of a ${noun}, in the background`,
      params: Type.Object({
        ...id,
        batched: Optional(Bool({ default: false, description: 'In files of at most 1000 objects' })),
      }),
      responses: { 202: Accepted },
      handler: async (context) => {
        await service.start(context.subject, context.params.batched ?? false, originOf(context));
        return { message: '202 Accepted' };
      },
    }),
    route({
      ...common,
      access,
      method: 'GET',
      path: `${base}/status`,
      summary: `Get the status of the relation exports of a ${noun}`,
      params: Type.Object({ ...id, relation: Optional(relation) }),
      responses: { 200: ListOf(RelationExport) },
      handler: async ({ subject, params }) => {
        const rows =
          params.relation === undefined
            ? await listRelationExports(db, placeOf(subject))
            : [await find(subject, params.relation)];
        const batches = await batchesOf(
          db,
          rows.filter(({ batched }) => batched).map(({ id }) => id),
        );
        return rows.map((row) => relationExportJson(row, batches.get(row.id) ?? []));
      },
    }),
    route({
      ...common,
      access,
      method: 'GET',
      path: `${base}/download`,
      summary: `Download an exported relation of a ${noun}: newline-delimited JSON, compressed`,
      params: Type.Object({
        ...id,
        relation,
        batched: Optional(Bool({ description: 'Whether one of several files is asked for' })),
        batch_number: Optional(Int32({ minimum: 1, description: 'Which of several files' })),
      }),
      responses: { 200: Binary, 302: Empty },
      media: ['application/gzip'],
      handler: async ({ subject, params, request }) => {
        const { batched = false, batch_number: number } = params;
        if (batched && number === undefined)
          throw invalidParameters(['batched, batch_number provide all or none of parameters']);
        const batch = await fileOf(subject, params.relation, batched ? (number ?? null) : null);
        const { object_key: key } = batch;
        if (key === null) throw plainError(404, 'Export file not found');
        const filename = `${params.relation}.ndjson.gz`;
        return await archiveAnswer(objects, request, { key, size: batch.size ?? 0, filename }, attachment(filename));
      },
    }),
  ]);
}
