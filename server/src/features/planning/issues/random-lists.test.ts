/** Random lists of filters give what a plain filter in memory gives, over generated issues. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { sampledSeed, wholeSweeps } from '../../../../test/sampling.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Issue } from '../../../kernel/db/rows.ts';

const seed = Number(process.env.ISSUES_SEED ?? sampledSeed());
let state = seed;
/** A number below a bound; the same for the same seed. */
function random(bound: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * bound);
}
const oneOf = <T>(values: readonly T[]): T => values[random(values.length)] as T;
const chance = (percent: number) => random(100) < percent;

interface Made extends Issue {
  readonly labels: readonly string[];
  readonly assignees: readonly number[];
  readonly milestone: string | null;
}
let app: TestApp;
let owner: BuiltToken;
let people: readonly BuiltToken[];
let groupId: number;
let issues: readonly Made[];
/** All of them in whole sweeps, as `.ci/run` and `npm run test:long` take them. */
const [size, rounds] = wholeSweeps() ? [2000, 60] : [300, 20];
const words = ['login', 'page', 'slow', 'crash', 'button'];
const labelNames = ['bug', 'ui', 'api'];
const milestoneNames = ['v1', 'v2'];

beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  const group = await buildGroup(app, { owner: owner.user });
  groupId = group.id;
  people = [owner, await buildToken(app), await buildToken(app)];
  for (const { user } of people.slice(1)) await buildMember(app, { user, of: group, level: Level.guest });
  const projects = [await buildProject(app, { namespace: group }), await buildProject(app, { namespace: group })];
  const labels = await app.db
    .insertInto('labels')
    .values(labelNames.map((title) => ({ namespace_id: group.id, title, color: '#112233' })))
    .returningAll()
    .execute();
  const milestones = await app.db
    .insertInto('milestones')
    .values([
      ...milestoneNames.map((title, at) => ({ namespace_id: group.id, project_id: null, title, iid: at + 1 })),
      ...projects.map(({ id }) => ({ namespace_id: null, project_id: id, title: 'own', iid: 1 })),
    ])
    .returningAll()
    .execute();
  const rows = await app.db
    .insertInto('issues')
    .values(
      Array.from({ length: size }, (_, at) => ({
        project_id: (projects[at % 2] as { id: number }).id,
        iid: at + 1,
        author_id: oneOf(people).user.id,
        title: `${oneOf(words)} ${oneOf(words)}`,
        description: chance(50) ? oneOf(words) : null,
        state: oneOf(['opened', 'closed'] as const),
        type: oneOf(['issue', 'incident', 'test_case'] as const),
        health_status: oneOf([null, 'on_track', 'at_risk'] as const),
        confidential: chance(20),
        milestone_id: chance(50)
          ? oneOf(milestones.filter(({ project_id }) => (project_id ?? projects[at % 2]?.id) === projects[at % 2]?.id))
              .id
          : null,
        weight: chance(50) ? random(4) : null,
        due_date: chance(50) ? `2030-01-${String(random(28) + 1).padStart(2, '0')}` : null,
        created_at: new Date(Date.UTC(2020, 0, 1 + random(300))),
        updated_at: new Date(Date.UTC(2021, 0, 1 + random(300))),
      })),
    )
    .returningAll()
    .execute();
  const labelled = rows.flatMap((row) =>
    labels.filter(() => chance(30)).map(({ id }) => ({ issue_id: row.id, label_id: id })),
  );
  const assigned = rows.flatMap((row) =>
    people.filter(() => chance(25)).map(({ user }) => ({ issue_id: row.id, user_id: user.id })),
  );
  await app.db.insertInto('issue_labels').values(labelled).execute();
  await app.db.insertInto('issue_assignees').values(assigned).execute();
  const titleOf = new Map(labels.map(({ id, title }) => [id, title]));
  const labelsBy = Map.groupBy(labelled, ({ issue_id }) => issue_id);
  const assigneesBy = Map.groupBy(assigned, ({ issue_id }) => issue_id);
  issues = rows.map((row) => ({
    ...row,
    labels: (labelsBy.get(row.id) ?? []).map(({ label_id }) => titleOf.get(label_id) ?? ''),
    assignees: (assigneesBy.get(row.id) ?? []).map(({ user_id }) => user_id),
    milestone: milestones.find(({ id }) => id === row.milestone_id)?.title ?? null,
  }));
});
afterAll(() => app.close());

type Query = Record<string, string>;
type Test = (issue: Made) => boolean;
const nothing = /^none$/i;
const anything = /^any$/i;

/** A filter that has a negation too, with what it means. */
function negatable(): [name: string, value: string, test: Test] {
  const worded = (value: string, has: Test, is: Test): Test =>
    nothing.test(value) ? (issue) => !has(issue) : anything.test(value) ? has : is;
  switch (random(7)) {
    case 0: {
      const value = oneOf(['None', 'any', ...people.map(({ user }) => String(user.id))]);
      return [
        'assignee_id',
        value,
        worded(
          value,
          ({ assignees }) => assignees.length > 0,
          ({ assignees }) => assignees.includes(Number(value)),
        ),
      ];
    }
    case 1: {
      const { user } = oneOf(people);
      return ['assignee_username', user.username, ({ assignees }) => assignees.includes(user.id)];
    }
    case 2: {
      const { user } = oneOf(people);
      return chance(50)
        ? ['author_id', String(user.id), ({ author_id }) => author_id === user.id]
        : ['author_username', user.username, ({ author_id }) => author_id === user.id];
    }
    case 3: {
      const value = oneOf(['None', 'Any', ...labelNames]);
      return [
        'labels',
        value,
        worded(
          value,
          ({ labels }) => labels.length > 0,
          ({ labels }) => labels.includes(value),
        ),
      ];
    }
    case 4: {
      const value = oneOf(['None', 'Any', ...milestoneNames, 'own']);
      return [
        'milestone',
        value,
        worded(
          value,
          ({ milestone }) => milestone !== null,
          ({ milestone }) => milestone === value,
        ),
      ];
    }
    case 5: {
      const value = oneOf(['None', 'Any', '0', '1', '2', '9']);
      return [
        'weight',
        value,
        worded(
          value,
          ({ weight }) => weight !== null,
          ({ weight }) => weight === Number(value),
        ),
      ];
    }
    default: {
      const value = oneOf(['issue', 'incident']);
      return ['issue_type', value, ({ type }) => type === value];
    }
  }
}

function plain(): [name: string, value: string, test: Test] {
  switch (random(7)) {
    case 0: {
      const value = oneOf(['opened', 'closed'] as const);
      return ['state', value, (issue) => issue.state === value];
    }
    case 1:
      return ['confidential', 'true', ({ confidential }) => confidential];
    case 2: {
      const value = new Date(Date.UTC(2020, 0, 1 + random(300)));
      return chance(50)
        ? ['created_after', value.toISOString(), ({ created_at }) => created_at >= value]
        : ['created_before', value.toISOString(), ({ created_at }) => created_at <= value];
    }
    case 3: {
      const value = new Date(Date.UTC(2021, 0, 1 + random(300)));
      return chance(50)
        ? ['updated_after', value.toISOString(), ({ updated_at }) => updated_at >= value]
        : ['updated_before', value.toISOString(), ({ updated_at }) => updated_at <= value];
    }
    case 4:
      return chance(50)
        ? ['due_date', '0', ({ due_date }) => due_date === null]
        : ['due_date', 'any', ({ due_date }) => due_date !== null];
    case 5: {
      const value = oneOf(['None', 'Any', 'on_track', 'at_risk']);
      return [
        'health_status',
        value,
        ({ health_status }) =>
          value === 'None'
            ? health_status === null
            : value === 'Any'
              ? health_status !== null
              : health_status === value,
      ];
    }
    default: {
      const searched = oneOf([oneOf(words), `${oneOf(words)} ${oneOf(words)}`]);
      return [
        'search',
        searched,
        ({ title, description }) =>
          searched.split(' ').every((word) => `${title}\n${description ?? ''}`.includes(word)),
      ];
    }
  }
}

/** Parameters that exclude each other. */
const partner: Readonly<Record<string, string>> = {
  author_id: 'author_username',
  author_username: 'author_id',
  assignee_id: 'assignee_username',
  assignee_username: 'assignee_id',
};

it(`${size} issues, ${rounds} lists (ISSUES_SEED=${seed})`, async () => {
  for (let round = 0; round < rounds; round++) {
    const query: Query = {};
    const tests: Test[] = [];
    for (let count = random(5); count > 0; count--) {
      const negated = chance(30);
      const [name, value, test] = negated || chance(50) ? negatable() : plain();
      const wrap = (key: string) => (negated ? `not[${key}]` : key);
      if (wrap(name) in query || wrap(partner[name] ?? '') in query) continue;
      query[wrap(name)] = value;
      tests.push(negated ? (issue) => !test(issue) : test);
    }
    const caller = oneOf(people);
    if (caller !== owner)
      tests.push(
        ({ confidential, author_id, assignees }) =>
          !confidential || author_id === caller.user.id || assignees.includes(caller.user.id),
      );
    const expected = issues.filter((issue) => tests.every((test) => test(issue)));
    const order = oneOf(['created_at', 'updated_at', 'weight', 'due_date'] as const);
    const found = await app.api<{ id: number }[]>('GET', `/groups/${groupId}/issues`, {
      token: caller.secret,
      query: { ...query, order_by: order, sort: 'asc', per_page: '100' },
    });
    const statement = JSON.stringify(query);
    expect([found.status, statement]).toEqual([200, statement]);
    expect([statement, found.headers.get('x-total')]).toEqual([statement, String(expected.length)]);
    const sorted = [...expected].sort((one, two) => {
      const [a, b] = [one[order], two[order]];
      if (a === null || b === null) return a === b ? one.id - two.id : a === null ? 1 : -1;
      return a < b ? -1 : a > b ? 1 : one.id - two.id;
    });
    expect([statement, found.body.map(({ id }) => id)]).toEqual([statement, sorted.slice(0, 100).map(({ id }) => id)]);
  }
});
