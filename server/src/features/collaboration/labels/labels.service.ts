/** Making, changing and removing labels. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { Label } from '../../../kernel/db/rows.ts';
import { invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import type { Place } from '../../namespaces/index.ts';
import { type Labeled, replaceLabels } from '../inherited-labels.ts';
import { colorOf } from './colors.ts';
import {
  deleteLabel,
  findLabel,
  insertLabel,
  type LabelValues,
  ofTitleBelow,
  promoteLabel,
  setPriority,
  updateLabel,
} from './labels.queries.ts';

export interface GivenLabel {
  readonly title?: string | undefined;
  readonly color?: string | undefined;
  readonly description?: string | null | undefined;
  readonly archived?: boolean | undefined;
  readonly priority?: number | null | undefined;
}

const exists = () => plainError(409, 'Label already exists');

/** What is kept of what was given. Throws the API's 400. */
function valuesOf(given: GivenLabel): LabelValues {
  const values: { -readonly [K in keyof LabelValues]: LabelValues[K] } = {};
  if (given.title !== undefined) {
    values.title = given.title.trim();
    if (values.title === '') throw invalidRecord({ title: ["can't be blank"] });
    // Lists of labels are separated by commas.
    if (values.title.includes(',')) throw invalidRecord({ title: ['is invalid'] });
  }
  if (given.color !== undefined) {
    const color = colorOf(given.color.trim());
    if (color === null) throw invalidRecord({ color: ['must be a valid color code'] });
    values.color = color;
  }
  if (given.description !== undefined) values.description = given.description === '' ? null : given.description;
  if (given.archived !== undefined) values.archived = given.archived;
  return values;
}

export function labelService(db: Db, labeled: readonly Labeled[]) {
  const inTransaction = <T>(work: (tx: Db) => Promise<T>): Promise<T> =>
    transaction(db, work).catch((error: unknown) => {
      const known = ['labels_namespace_title_key', 'labels_project_title_key'];
      throw known.some((name) => isUniqueViolation(error, name)) ? exists() : error;
    });

  const audited = (tx: Db, place: Place, origin: AuditOrigin, label: Label, event: string) =>
    recordAudit(tx, {
      ...origin,
      entity: entityOfPlace(place),
      event: `${place.kind}_label_${event}`,
      details: { color: label.color },
      target: { type: 'Label', id: label.id, details: label.title },
    });

  return {
    create: (
      place: Place,
      given: GivenLabel & { readonly title: string; readonly color: string },
      origin: AuditOrigin,
    ): Promise<Label> => {
      const values = { ...valuesOf(given), title: given.title.trim(), color: colorOf(given.color.trim()) ?? '' };
      return inTransaction(async (tx) => {
        const known = await findLabel(tx, place, { ancestors: true }, { title: values.title }, null);
        if (known) throw exists();
        const label = await insertLabel(tx, place, values);
        if (place.kind === 'project' && given.priority != null)
          await setPriority(tx, label.id, place.project.id, given.priority);
        await audited(tx, place, origin, label, 'created');
        return label;
      });
    },

    update: (place: Place, label: Label, given: GivenLabel, origin: AuditOrigin): Promise<void> => {
      const values = valuesOf(given);
      return inTransaction(async (tx) => {
        if (place.kind === 'project' && given.priority !== undefined)
          await setPriority(tx, label.id, place.project.id, given.priority);
        if (Object.keys(values).length === 0) return;
        const changed = await updateLabel(tx, label.id, values);
        if (!changed) throw notFound('Label');
        await audited(tx, place, origin, changed, 'updated');
      });
    },

    remove: (place: Place, label: Label, origin: AuditOrigin): Promise<void> =>
      inTransaction(async (tx) => {
        if (!(await deleteLabel(tx, label.id))) throw notFound('Label');
        await audited(tx, place, origin, label, 'destroyed');
      }),

    promote: (place: Place & { readonly kind: 'project' }, label: Label, origin: AuditOrigin): Promise<void> =>
      inTransaction(async (tx) => {
        const known = await findLabel(tx, place, { ancestors: true }, { title: label.title }, null);
        if (place.namespace.kind !== 'group' || label.project_id === null || (known && known.id !== label.id))
          throw plainError(400, 'Failed to promote project label to group label');
        const others = await ofTitleBelow(tx, label, place.namespace.id);
        await replaceLabels(labeled, tx, { from: others, to: label.id });
        const changed = await promoteLabel(tx, label, place.namespace.id, others);
        if (!changed) throw notFound('Label');
        await audited(tx, place, origin, changed, 'promoted');
      }),
  };
}
