/** Large pieces of a growing log are objects: the database would write every byte twice, and hold it in its memory. */
import type { Migration } from './index.ts';

const chunks = `
alter table job_trace_chunks
  alter column data drop not null,
  add column object_key text,
  add column object_bytes integer,
  add constraint job_trace_chunks_place check (num_nonnulls(data, object_key) = 1),
  add constraint job_trace_chunks_bytes check ((object_key is null) = (object_bytes is null));
`;

/** Rows go when their log is archived, erased or sent again, and with their job: their objects must not stay behind. */
const removal = `
create function forget_log_piece() returns trigger language plpgsql as $$
begin
  insert into object_deletions (object_key) values (old.object_key) on conflict do nothing;
  return null;
end $$;
create trigger job_trace_chunks_object after delete or update of object_key on job_trace_chunks for each row
  when (old.object_key is not null) execute function forget_log_piece();
`;

export const logPieceObjectsMigration: Migration = { name: '0991-log-piece-objects', statements: [chunks, removal] };
