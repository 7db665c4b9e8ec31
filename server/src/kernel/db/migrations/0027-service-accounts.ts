/** Service accounts whose group or project is gone: they are nobody's, and can do nothing until they are removed. */
import type { Migration } from './index.ts';

// With the row itself gone they would look like accounts of the instance.
const homeless = `
alter table service_account_places
  drop constraint service_account_places_check,
  drop constraint service_account_places_namespace_id_fkey,
  drop constraint service_account_places_project_id_fkey,
  add constraint service_account_places_one check (num_nonnulls(namespace_id, project_id) <= 1),
  add constraint service_account_places_namespace_id_fkey
    foreign key (namespace_id) references namespaces (id) on delete set null,
  add constraint service_account_places_project_id_fkey
    foreign key (project_id) references projects (id) on delete set null;
create index service_account_places_homeless on service_account_places (user_id)
  where namespace_id is null and project_id is null;

create function service_account_homeless() returns trigger language plpgsql as $$
begin
  update users set state = 'blocked' where id = new.user_id;
  return null;
end $$;
create trigger service_account_places_homeless after update on service_account_places for each row
  when (new.namespace_id is null and new.project_id is null) execute function service_account_homeless();
`;

export const serviceAccountsMigration: Migration = { name: '0027-service-accounts', statements: [homeless] };
