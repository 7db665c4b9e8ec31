/** Takes the writer's lock of a repository and answers what a dead writer left open, in one round trip. */
import type { Migration } from './index.ts';

// Volatile: the query after the wait sees what was committed while it waited.
const lock = `
create function lock_repository(key bigint, project bigint) returns setof repository_intents
language plpgsql volatile as $$
begin
  perform pg_advisory_lock(key);
  return query select * from repository_intents where project_id = project and state = 'open' order by id;
end
$$;
`;

export const lockRepositoryMigration: Migration = { name: '0962-lock-repository', statements: [lock] };
