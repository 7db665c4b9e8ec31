/** Variables that people stored for a project, its groups and the instance, as one job may see them. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { CiVariable } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { type JobVariable, variable } from './job-variables.ts';
import { scopeCovers } from './masking.ts';
import { sealed } from './sealing.ts';
import { variablesFor } from './variables.queries.ts';

export interface VariableAudience {
  /** Whether the full ref is protected: others never see protected variables. */
  readonly refProtected: boolean;
  readonly environment: string | null;
}

type Subject = Pick<ProjectSubject, 'project' | 'namespace'>;

const rowsFor = (db: Db, { project, namespace }: Subject) => variablesFor(db, project.id, namespace.traversal_ids);

/** The variables that the audience may see, weakest first. */
export async function secretVariables(
  deps: Pick<CiDependencies, 'secrets'>,
  db: Db,
  subject: Subject,
  audience: VariableAudience,
): Promise<JobVariable[]> {
  return opened(deps, await rowsFor(db, subject), audience);
}

export interface SecretVariables {
  /** Of jobs without an environment. */
  readonly general: readonly JobVariable[];
  /** Of jobs of an environment; null where they are the same. */
  readonly of: (environment: string) => readonly JobVariable[] | null;
}

/** The same for all jobs of a pipeline that is not made yet. */
export async function secretVariablesByEnvironment(
  deps: Pick<CiDependencies, 'secrets'>,
  db: Db,
  subject: Subject,
  refProtected: boolean,
): Promise<SecretVariables> {
  const rows = await rowsFor(db, subject);
  const general = opened(deps, rows, { refProtected, environment: null });
  return {
    general,
    of: (environment) => {
      const covers = ({ environment_scope: scope }: CiVariable) => scopeCovers(scope, environment);
      const more = rows.some((row) => covers(row) && !scopeCovers(row.environment_scope, null));
      return more ? opened(deps, rows, { refProtected, environment }) : null;
    },
  };
}

/** Opens the rows that the audience may see. */
function opened(
  deps: Pick<CiDependencies, 'secrets'>,
  rows: readonly CiVariable[],
  audience: VariableAudience,
): JobVariable[] {
  const visible = rows.filter(
    (row: CiVariable) =>
      (!row.protected || audience.refProtected) && scopeCovers(row.environment_scope, audience.environment),
  );
  return visible.map((row) =>
    variable(row.key, deps.secrets.open(row.value_encrypted, sealed.variable), {
      public: false,
      masked: row.masked,
      file: row.variable_type === 'file',
      raw: row.raw,
    }),
  );
}
