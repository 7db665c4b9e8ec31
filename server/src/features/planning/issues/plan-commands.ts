/** Quick actions on what people plan with issues: dates, weight, iteration, epic, health, severity, confidentiality. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue, Iteration } from '../../../kernel/db/rows.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import {
  type Command,
  dayIn,
  guarded,
  labelsIn,
  noDay,
  type Outcome,
  type Wish,
} from '../../collaboration/quick-actions/index.ts';
import { labelColumns } from '../boards/boards.queries.ts';
import { epicAbove, epicToJoin } from '../epics/epics.queries.ts';
import { epicNamed } from '../epics/naming.ts';
import { iterationAbove, iterationNamed, iterationOfCadence } from '../iterations/above.queries.ts';
import { issueAt } from './commanded.ts';
import { issueTypes } from './issues.entity.ts';

/** By their names, and by the short ones of pages. */
const severities: Readonly<Record<string, Issue['severity']>> = {
  ...{ unknown: 'unknown', low: 'low', medium: 'medium', high: 'high', critical: 'critical' },
  ...{ s1: 'critical', s2: 'high', s3: 'medium', s4: 'low' },
};

/** A wish that the answer reports as it is. */
const set = (wish: Wish, summary: string): Outcome => ({ changes: { ...wish }, wish, summary });

/** Takes a value away that the issue has. */
const clearing = (db: Db, names: Command['names'], column: keyof Issue, wish: Wish, summary: string): Command =>
  guarded('plan', names, async ({ place }) => {
    const { row } = await issueAt(db, place);
    return row[column] === null ? null : set(wish, summary);
  });

/** `*iteration:"Sprint 1"`, by title or id, or `[cadence:"Sprints"] --next`, where the cadence may be left out. */
async function iterationIn(db: Db, subject: ProjectSubject, argument: string): Promise<Iteration | undefined> {
  const [, id, quoted, title] = /^\*iteration:(?:(\d{1,15})|"([^"]+)"|(.+))$/.exec(argument) ?? [];
  if (id !== undefined) return await iterationAbove(db, subject, Number(id));
  const name = quoted ?? title;
  if (name !== undefined) return await iterationNamed(db, subject, name);
  const cadenced = /^(?:\[cadence:(?:(\d{1,15})|"([^"]+)"|([^\]]+))\])?\s*(?:--(current|next))?$/.exec(argument);
  if (!cadenced || argument === '') return undefined;
  const [, cadenceId, ...named] = cadenced;
  const cadence = named[0] ?? named[1];
  const which = named[2] === 'next' ? 'next' : 'current';
  return await iterationOfCadence(
    db,
    subject,
    cadenceId ? { id: Number(cadenceId) } : cadence ? { title: cadence } : null,
    which,
  );
}

/** A type as people write it: `Test case`. */
const typeIn = (argument: string) => issueTypes.find((type) => type === argument.toLowerCase().replaceAll(' ', '_'));

export interface PlanCommandDependencies {
  readonly db: Db;
  readonly parents: Pick<ParentLoader, 'group'>;
}

/** Gives an issue another type, of those that are allowed. */
export const retyped =
  (db: Db, allowed: readonly Issue['type'][], summary: string): Command['run'] =>
  async ({ place }, argument) => {
    const issue_type = argument === '' && allowed.length === 1 ? allowed[0] : typeIn(argument);
    const { row } = await issueAt(db, place);
    return issue_type && allowed.includes(issue_type) && row.type !== issue_type ? set({ issue_type }, summary) : null;
  };

export const planCommands = ({ db, parents }: PlanCommandDependencies): readonly Command[] => [
  guarded('plan', ['due'], async (_on, argument) => {
    const due_date = dayIn(argument);
    return due_date === null ? noDay : set({ due_date }, `Set the due date to ${due_date}.`);
  }),
  clearing(db, ['remove_due_date'], 'due_date', { due_date: null }, 'Removed the due date.'),
  guarded('plan', ['weight'], async (_on, argument) =>
    /^\d{1,9}$/.test(argument) ? set({ weight: Number(argument) }, `Set weight to ${Number(argument)}.`) : null,
  ),
  clearing(db, ['clear_weight'], 'weight', { weight: null }, 'Cleared weight.'),
  guarded('plan', ['confidential'], async ({ place }) => {
    const { row } = await issueAt(db, place);
    return row.confidential ? null : set({ confidential: true }, 'Made this issue confidential.');
  }),
  guarded('plan', ['iteration'], async ({ place }, argument) => {
    const { subject } = await issueAt(db, place);
    const found = await iterationIn(db, subject, argument);
    return found ? set({ iteration_id: found.id }, 'Set the iteration.') : null;
  }),
  clearing(db, ['remove_iteration'], 'iteration_id', { iteration_id: null }, 'Removed the iteration.'),
  guarded('plan', ['epic', 'set_parent'], async ({ place, caller }, argument) => {
    const { subject } = await issueAt(db, place);
    const named = await epicNamed({ db, parents }, caller, subject.namespace.id, argument);
    if (!named) return null;
    const { id } = named.row;
    const found = (await epicAbove(db, subject, caller, { id })) ?? (await epicToJoin(db, caller, id));
    return found ? set({ epic_id: id }, `Added this issue to epic ${argument.trim()}.`) : null;
  }),
  clearing(db, ['remove_epic', 'remove_parent'], 'epic_id', { epic_id: null }, 'Removed this issue from its epic.'),
  guarded('plan', ['promote_to_incident'], retyped(db, ['incident'], 'Promoted this issue to an incident.')),
  guarded('plan', ['type'], retyped(db, issueTypes, 'Changed the type of this issue.')),
  guarded('plan', ['board_move'], async ({ place: { subject }, current, wish }, argument) => {
    const columns = subject.kind === 'project' ? await labelColumns(db, subject.project.id) : null;
    const [label, another] = await labelsIn(db, subject, argument);
    if (!columns || !label || another || !columns.includes(label.id)) return null;
    const others = current.labels.filter(({ id }) => id !== label.id && columns.includes(id));
    return {
      changes: { add_label_ids: [label.id], remove_label_ids: others.map(({ id }) => id) },
      wish: {
        add_labels: [...(wish.add_labels ?? []), label.title],
        remove_labels: [...(wish.remove_labels ?? []), ...others.map(({ title }) => title)],
      },
      summary: `Moved this issue to the column ~"${label.title}" of the board.`,
    };
  }),
  guarded('plan', ['severity'], async ({ place }, argument) => {
    const { row } = await issueAt(db, place);
    const name = argument.toLowerCase();
    const severity = Object.hasOwn(severities, name) ? severities[name] : undefined;
    if (row.type !== 'incident') return null;
    return severity
      ? set({ severity }, `Set the severity to ${severity}.`)
      : 'No severity matches the provided parameter.';
  }),
];
