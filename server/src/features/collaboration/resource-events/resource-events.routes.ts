/** The API of the history of things: events of labels, milestone, iteration, state and weight, each a list and a single one. */
import Type from 'typebox';
import type { ResourceEvent } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, userReference } from '../../identity/index.ts';
import { labelBasicJson } from '../labels/labels.entity.ts';
import { labelsById } from '../labels/labels.queries.ts';
import { milestoneJson } from '../milestones/milestones.entity.ts';
import { milestonesById } from '../milestones/milestones.queries.ts';
import { declarations, type FollowedKind, type NoteRouteDependencies, noteableType, valuesOf } from '../notes/index.ts';
import {
  ResourceLabelEvent,
  ResourceMilestoneEvent,
  ResourceStateEvent,
  ResourceWeightEvent,
  resourceIterationEvent,
} from './resource-events.entity.ts';
import { listResourceEvents, type ResourceEventKind, resourceEventOf } from './resource-events.queries.ts';

const entities = {
  label: ResourceLabelEvent,
  milestone: ResourceMilestoneEvent,
  state: ResourceStateEvent,
  weight: ResourceWeightEvent,
} as const;

const present = (ids: readonly (number | null)[]) => [...new Set(ids)].filter((id) => id !== null);

export function resourceEventRoutes({ db, externalUrl }: NoteRouteDependencies, kind: FollowedKind): Route[] {
  const { base, parent, read, place } = declarations(kind);
  const { iterations } = kind.followed;
  const entityOf = (name: ResourceEventKind) => {
    if (name !== 'iteration') return entities[name];
    if (!iterations) throw new Error(`${kind.type} has a history of iterations, but none to show`);
    return resourceIterationEvent(iterations.entity);
  };

  async function shown(rows: readonly ResourceEvent[]) {
    const [people, labels, milestones, planned] = await Promise.all([
      findReferences(db, present(rows.map((row) => row.user_id))),
      labelsById(db, present(rows.map((row) => row.label_id))),
      milestonesById(db, present(rows.map((row) => row.milestone_id))),
      iterations?.many(present(rows.map((row) => row.iteration_id))),
    ]);
    return rows.map((row) => {
      const user = row.user_id === null ? undefined : people.get(row.user_id);
      const common = {
        id: row.id,
        user: user ? userReference(user, externalUrl) : null,
        created_at: row.created_at,
        resource_type: noteableType(row),
        resource_id: row.noteable_id,
      };
      if (row.kind === 'label') {
        const label = labels.find(({ id }) => id === row.label_id);
        return { ...common, label: label ? labelBasicJson(label) : null, action: row.action };
      }
      if (row.kind === 'milestone') {
        const milestone = milestones.find(({ id }) => id === row.milestone_id);
        return { ...common, milestone: milestone ? milestoneJson(milestone, externalUrl) : null, action: row.action };
      }
      if (row.kind === 'iteration')
        return { ...common, iteration: planned?.get(row.iteration_id ?? 0) ?? null, action: row.action };
      if (row.kind === 'weight') return { ...common, issue_id: row.noteable_id, weight: row.weight };
      const { source_commit, source_merge_request_id, state } = row;
      return { ...common, source_commit, source_merge_request_id, state };
    });
  }

  return kind.followed.events.flatMap((name: ResourceEventKind) => {
    const declared = { credentials: ['token', 'session'], tag: 'Resource events', access: read } as const;
    const path = `${base}/resource_${name}_events`;
    const entity = entityOf(name);
    return [
      route({
        ...declared,
        method: 'GET',
        path,
        summary: `List ${name} events of ${kind.noun}`,
        pagination: 'offset',
        params: Type.Object(parent),
        responses: { 200: ListOf(entity) },
        handler: async (context) => {
          const { noteable } = await place(context);
          const { rows, total } = await listResourceEvents(db, name, noteable, context.page);
          const paged = offsetPage(context.page, rows, total);
          return withItems(paged, await shown(paged.items));
        },
      }),
      route({
        ...declared,
        method: 'GET',
        path: `${path}/:event_id`,
        summary: `Get a ${name} event of ${kind.noun}`,
        params: Type.Object({ ...parent, event_id: Int({ description: 'Id of the event' }) }),
        responses: { 200: entity },
        handler: async (context) => {
          const { noteable } = await place(context);
          const { event_id: id } = valuesOf<{ event_id: number }>(context);
          const found = await resourceEventOf(db, name, noteable, id);
          if (!found) throw notFound();
          return (await shown([found]))[0];
        },
      }),
    ];
  });
}
