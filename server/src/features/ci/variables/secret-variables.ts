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

/** Opens the rows that the audience may see, weakest first. */
export async function secretVariables(
  deps: Pick<CiDependencies, 'secrets'>,
  db: Db,
  subject: Pick<ProjectSubject, 'project' | 'namespace'>,
  audience: VariableAudience,
): Promise<JobVariable[]> {
  const rows = await variablesFor(db, subject.project.id, subject.namespace.traversal_ids);
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
