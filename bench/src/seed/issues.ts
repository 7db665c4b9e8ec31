/** Writes issues with their labels, milestones, assignees and reactions, in sets of rows. */
import type pg from 'pg';
import { reserve, type Seeded } from './write.ts';

export interface IssueSizes extends Seeded {
  readonly users: number;
  readonly projects: number;
  readonly issues: number;
}

/** Of each project that has issues. */
const labelsEach = 20;
const milestonesEach = 5;
const atOnce = 50_000;

/**
 * A tenth of the issues are in the first project, the others in every twentieth. Indexes for search are built after the
 * rows, which is several times as fast as keeping them.
 */
export async function writeIssues(client: pg.Client, sizes: IssueSizes, say: (text: string) => void): Promise<void> {
  const { user, users, project, projects, issues } = sizes;
  const inFirst = Math.ceil(issues / 10);
  const places = Math.max(1, Math.floor(projects / 20));
  await client.query('begin');
  // The n-th issue: its project, and its number there.
  await client.query(
    `create temporary table seeded_places on commit drop as
     select n as at, case when n < $1 then $2::bigint else $2::bigint + 20 * (1 + (n - $1) % $3) end as project_id,
       case when n < $1 then n + 1 else 1 + (n - $1) / $3 end as iid
     from generate_series(0, $4::int - 1) n`,
    [inFirst, project, places, issues],
  );
  await client.query(`delete from seeded_places p where not exists (select from projects r where r.id = p.project_id)`);
  await client.query('create index on seeded_places (at)');
  await client.query(
    `create temporary table seeded_homes on commit drop as select distinct project_id from seeded_places`,
  );
  await client.query(
    `insert into labels (project_id, title, color) select project_id, 'label ' || n, '#4488cc'
     from seeded_homes cross join generate_series(1, $1::int) n on conflict do nothing`,
    [labelsEach],
  );
  await client.query(
    `insert into milestones (project_id, iid, title, due_date) select project_id, n, 'milestone ' || n, current_date + n * 14
     from seeded_homes cross join generate_series(1, $1::int) n on conflict do nothing`,
    [milestonesEach],
  );
  // Three labels of the first project and of some others have priorities.
  await client.query(
    `insert into label_priorities (label_id, project_id, priority)
     select l.id, l.project_id, right(l.title, 1)::int - 1 from labels l join seeded_homes h on h.project_id = l.project_id
     where l.title in ('label 1', 'label 2', 'label 3') and (l.project_id - $1::bigint) % 100 = 0 on conflict do nothing`,
    [project],
  );
  const { rows: search } = await client.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes where tablename = 'issues' and indexdef like '%gin%'`,
  );
  for (const { name } of search) await client.query(`drop index ${name}`);
  const first = await reserve(client, 'issues', issues);
  for (let done = 0; done < issues; done += atOnce) {
    await client.query(
      `insert into issues (id, project_id, iid, author_id, title, description, state, confidential, milestone_id, weight,
         due_date, relative_position, closed_at, created_at, updated_at)
       select $1 + at, project_id, iid, $2::bigint + at * 7919::bigint % $3, 'The ' || (array['pump', 'valve', 'gauge', 'sluice', 'mill',
           'gate', 'wheel', 'basin'])[1 + at % 8] || ' of ' || md5(at::text), 'It ' || md5((at * 3)::text) || ' because '
           || md5((at * 7)::text) || case when at % 1000 = 17 then ' of a heron' else '' end,
         case when at % 3 = 0 then 'closed' else 'opened' end, at % 50 = 0,
         case when at % 4 = 0 then (select m.id from milestones m where m.project_id = p.project_id and m.iid = 1 + at % $4) end,
         case when at % 5 = 0 then at % 13 end, case when at % 6 = 0 then current_date + (at % 200 - 100) end,
         case when at % 2 = 0 then at * 1024::bigint end, case when at % 3 = 0 then now() end,
         now() - at * interval '31 seconds', now() - (at * 104729::bigint % 31536000) * interval '1 second'
       from seeded_places p where at >= $5 and at < $6`,
      [first, user, users, milestonesEach, done, done + atOnce],
    );
  }
  await client.query(
    `insert into issue_labels (issue_id, label_id)
     select $1 + p.at, l.id from seeded_places p cross join generate_series(0, 1) n
     join labels l on l.project_id = p.project_id and l.title = 'label ' || (1 + (p.at * (n * 6 + 1) + n) % $2)
     where p.at % 3 <> 2 on conflict do nothing`,
    [first, labelsEach],
  );
  await client.query(
    `insert into issue_assignees (issue_id, user_id) select $1 + at, $2::bigint + at * 31::bigint % $3
     from seeded_places where at % 2 = 0 on conflict do nothing`,
    [first, user, users],
  );
  await client.query(
    `insert into award_emoji (user_id, noteable_type, noteable_id, name)
     select $2::bigint + n, 'issue', $1 + at, 'thumbsup' from seeded_places cross join generate_series(0, at % 3) n
     where at % 10 = 0 on conflict do nothing`,
    [first, user],
  );
  await client.query(
    `insert into project_counters (project_id, kind, value) select project_id, 'issue', max(iid) from seeded_places
     group by project_id on conflict (project_id, kind) do update set value = greatest(project_counters.value, excluded.value)`,
  );
  for (const { definition } of search) await client.query(definition);
  await client.query('commit');
  say(`${issues} issues, ${inFirst} of them in project ${project}`);
  await client.query(
    'vacuum (analyze) issues, issue_labels, issue_assignees, labels, label_priorities, milestones, award_emoji',
  );
}
