/** Quick actions on what people plan with issues: dates, weight, iteration, epic, health, severity, confidentiality. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { type Command, dayIn, guarded, type Outcome, type Wish } from '../../collaboration/quick-actions/index.ts';
import { epicAbove } from '../epics/epics.queries.ts';
import { iterationAbove, iterationNamed } from '../iterations/above.queries.ts';
import { issueAt } from './commanded.ts';

const healthStatuses = ['on_track', 'needs_attention', 'at_risk'] as const;
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

export const planCommands = (db: Db): readonly Command[] => [
  guarded('plan', ['due'], async (_on, argument) => {
    const due_date = dayIn(argument);
    return due_date === null ? null : set({ due_date }, `Set the due date to ${due_date}.`);
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
    const [, id, quoted, title] = /^\*iteration:(?:(\d{1,15})|"([^"]+)"|(.+))$/.exec(argument) ?? [];
    const name = quoted ?? title;
    const found =
      id !== undefined
        ? await iterationAbove(db, subject, Number(id))
        : name === undefined
          ? undefined
          : await iterationNamed(db, subject, name);
    return found ? set({ iteration_id: found.id }, 'Set the iteration.') : null;
  }),
  clearing(db, ['remove_iteration'], 'iteration_id', { iteration_id: null }, 'Removed the iteration.'),
  guarded('plan', ['epic'], async ({ place, caller }, argument) => {
    const { subject } = await issueAt(db, place);
    const [, path, iid] = /^([\w./-]*)&(\d{1,9})$/.exec(argument) ?? [];
    if (!iid || (path && path !== subject.namespace.full_path)) return null;
    const found = await epicAbove(db, subject, caller, { iid: Number(iid) });
    return found ? set({ epic_id: found.id }, `Added this issue to epic &${found.iid}.`) : null;
  }),
  clearing(db, ['remove_epic'], 'epic_id', { epic_id: null }, 'Removed this issue from its epic.'),
  guarded('plan', ['health_status'], async (_on, argument) => {
    const health_status = healthStatuses.find((each) => each === argument.toLowerCase().replaceAll(' ', '_'));
    return health_status ? set({ health_status }, `Set health status to ${health_status}.`) : null;
  }),
  clearing(db, ['clear_health_status'], 'health_status', { health_status: null }, 'Cleared health status.'),
  guarded('plan', ['severity'], async ({ place }, argument) => {
    const { row } = await issueAt(db, place);
    const name = argument.toLowerCase();
    const severity = Object.hasOwn(severities, name) ? severities[name] : undefined;
    return severity && row.type === 'incident' ? set({ severity }, `Set the severity to ${severity}.`) : null;
  }),
];
