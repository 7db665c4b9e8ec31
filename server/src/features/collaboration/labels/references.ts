/** Labels that texts name, shown in their colour: `~bug`, `~"good first issue"`, `~priority::high`, `~12`. */
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { textColorOn } from './colors.ts';
import { labelsWritten } from './labels.queries.ts';

/** The scope and what is in it; one part for a label without a scope. */
function partsOf(title: string): string[] {
  const at = title.lastIndexOf('::');
  return at <= 0 || at + 2 === title.length ? [title] : [title.slice(0, at), title.slice(at + 2)];
}

export const labelReferences = (db: Db): ReferenceKind => ({
  kind: 'label',
  within: 'either',
  async find(values, { caller, place }) {
    const sees =
      place.kind === 'project'
        ? canOnProject(caller, 'read_label', place)
        : canOnGroup(caller, 'read_group_label', place);
    if (!sees) return new Map();
    const found = await labelsWritten(db, place, values, caller);
    const issues =
      place.kind === 'project'
        ? `/${place.namespace.full_path}/${place.project.path}/-/issues`
        : `/groups/${place.group.full_path}/-/issues`;
    return new Map(
      [...found].map(([value, { id, title, description, color }]) => [
        value,
        {
          path: `${issues}?label_name[]=${encodeURIComponent(title)}`,
          title: description ?? title,
          lasting: `~${id}`,
          label: { color, textColor: textColorOn(color), parts: partsOf(title) },
        },
      ]),
    );
  },
});
