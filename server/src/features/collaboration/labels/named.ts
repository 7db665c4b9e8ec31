/** Labels by the names that people give to what carries them. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Place } from '../../namespaces/index.ts';
import { ensureLabel, labelsOfTitles } from './labels.queries.ts';

/** The colour of a label of which nobody said more than its name. */
const usualColor = '#6699CC';

const titlesAmong = (titles: readonly string[]) =>
  [...new Set(titles.map((title) => title.trim()))].filter(
    (title) => title !== '' && title.length <= 255 && !title.includes(','),
  );

/**
 * Ids of the labels of a project or group of these titles, those of the groups above included. Those that are missing are made where
 * `maker` is given, and left out otherwise, as is what cannot be the title of a label.
 */
export async function labelsNamed(
  tx: Db,
  place: Place,
  titles: readonly string[],
  maker: AuditOrigin | null,
): Promise<number[]> {
  const wanted = titlesAmong(titles);
  if (wanted.length === 0) return [];
  const known = await labelsOfTitles(tx, place, wanted);
  const ids: number[] = [];
  for (const title of wanted) {
    const found = known.get(title);
    if (found !== undefined) ids.push(found);
    else if (maker) {
      const { label, made } = await ensureLabel(tx, place, { title, color: usualColor });
      ids.push(label.id);
      if (made)
        await recordAudit(tx, {
          ...maker,
          entity: entityOfPlace(place),
          event: `${place.kind}_label_created`,
          details: { color: label.color },
          target: { type: 'Label', id: label.id, details: label.title },
        });
    }
  }
  return ids;
}

/** The same where nothing has to be made for it; null where one is missing that `labelsNamed` would make. */
export async function labelsThere(
  db: Db,
  place: Place,
  titles: readonly string[],
  maker: AuditOrigin | null,
): Promise<number[] | null> {
  const wanted = titlesAmong(titles);
  if (wanted.length === 0) return [];
  const known = await labelsOfTitles(db, place, wanted);
  return maker && known.size < wanted.length ? null : wanted.flatMap((title) => known.get(title) ?? []);
}
