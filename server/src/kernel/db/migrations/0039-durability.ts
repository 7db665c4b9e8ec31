/** Settled writes of repositories can be forgotten; repositories know when they were last maintained. */
import type { Migration } from './index.ts';

export const durability: Migration = {
  name: '0039-durability',
  statements: [
    `alter table repository_intents drop column quarantine;
create index repository_intents_settled on repository_intents (settled_at) where state <> 'open';
alter table projects
  add column maintained_generation bigint not null default 0,
  add column maintained_at timestamptz(3) not null default now(),
  add column repacked_at timestamptz(3) not null default now();
create index projects_to_maintain on projects (maintained_at) where refs_generation <> maintained_generation;`,
  ],
};
