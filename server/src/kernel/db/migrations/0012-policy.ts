/** Memberships that wait, the depth of groups, and a hierarchy that can move without touching an index. */
import type { Migration } from './index.ts';

const memberships = `
-- Someone who is waiting has no level yet.
alter table grants add column state text not null default 'active' check (state in ('active', 'awaiting'));
create index grants_expiry on grants (expires_at) where expires_at is not null;
create index namespaces_ip_ranges on namespaces (id) where ip_restriction_ranges is not null;
`;

// full_path, full_name and traversal_ids are the only columns that change for what is below a moved group. None of them
// is in an index and half of each page is kept free, so that each row is rewritten in its place (see adr/0007).
const hierarchy = `
alter table namespaces add constraint namespaces_depth check (cardinality(traversal_ids) <= 21);
alter table namespaces set (fillfactor = 45);
create unique index namespaces_place_key on namespaces (coalesce(parent_id, 0), lower(path));
drop index namespaces_full_path_key;
drop index namespaces_traversal;
drop index namespaces_search;
create index namespaces_search on namespaces using gin (name gin_trgm_ops, path gin_trgm_ops) where kind = 'group';

-- The namespace that has a full path now, found segment by segment.
create function namespace_at(full_path text) returns bigint language plpgsql stable strict parallel safe as $$
declare
  segment text;
  found_id bigint := 0;
begin
  foreach segment in array string_to_array(lower(full_path), '/') loop
    select id into found_id from namespaces where coalesce(parent_id, 0) = found_id and lower(path) = segment;
    if found_id is null then return null; end if;
  end loop;
  return nullif(found_id, 0);
end $$;

-- A namespace and everything below it.
create function namespaces_below(root bigint) returns setof bigint language sql stable parallel safe rows 50 as $$
  with recursive below (id) as (
    select root union all select n.id from below join namespaces n on n.parent_id = below.id
  ) select id from below
$$;
`;

export const policy: Migration = { name: '0012-policy', statements: [memberships, hierarchy] };
