/** Rules of stored variables: validation, encryption, one per key and environment scope. */
import { type Db, isUniqueViolation } from '../../../kernel/db/index.ts';
import type { CiVariable } from '../../../kernel/db/rows.ts';
import { conflict, invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import type { CiDependencies } from '../deps.ts';
import { variableProblems } from './masking.ts';
import { sealed } from './sealing.ts';
import {
  countVariables,
  findVariables,
  insertVariable,
  updateVariable,
  type VariableColumns,
  type VariableOwner,
} from './variables.queries.ts';

/** Variables that one project or group may have. */
const maxVariables = 8000;

export interface VariableInput {
  readonly key: string;
  readonly value: string;
  readonly variable_type?: 'env_var' | 'file' | undefined;
  readonly protected?: boolean | undefined;
  readonly masked?: boolean | undefined;
  readonly masked_and_hidden?: boolean | undefined;
  readonly raw?: boolean | undefined;
  readonly environment_scope?: string | undefined;
  readonly description?: string | null | undefined;
}

export function variablesService(deps: Pick<CiDependencies, 'secrets'>) {
  function columnsOf(input: VariableInput, before?: CiVariable): VariableColumns {
    const values = {
      key: input.key,
      value: input.value,
      masked: input.masked_and_hidden || (input.masked ?? before?.masked ?? false),
      raw: input.raw ?? before?.raw ?? false,
      environment_scope: input.environment_scope ?? before?.environment_scope ?? '*',
      description: input.description === undefined ? (before?.description ?? null) : input.description,
    };
    const problems = variableProblems(values);
    if (Object.keys(problems).length > 0) throw invalidRecord(problems);
    const { value, ...rest } = values;
    return {
      ...rest,
      value_encrypted: deps.secrets.seal(value, sealed.variable),
      variable_type: input.variable_type ?? before?.variable_type ?? 'env_var',
      protected: input.protected ?? before?.protected ?? false,
      hidden: before?.hidden ?? input.masked_and_hidden ?? false,
    };
  }

  const taken = (key: string) => invalidRecord({ key: [`(${key}) has already been taken`] });

  return {
    valueOf: (row: CiVariable): string => deps.secrets.open(row.value_encrypted, sealed.variable),

    /** The one of the key; 409 when there are several and the scope does not say which. */
    async find(db: Db, owner: VariableOwner, key: string, scope: string | undefined): Promise<CiVariable> {
      const all = await findVariables(db, owner, key);
      const found = scope === undefined ? all : all.filter((row) => row.environment_scope === scope);
      if (found.length > 1)
        throw conflict("There are multiple variables with provided parameters. Please use 'filter[environment_scope]'");
      const [row] = found;
      if (!row) throw notFound('Variable');
      return row;
    },

    async create(db: Db, owner: VariableOwner, input: VariableInput): Promise<CiVariable> {
      const columns = columnsOf(input);
      if ((await countVariables(db, owner)) >= maxVariables)
        throw invalidRecord({ base: [`Maximum number of CI variables (max_variables is ${maxVariables}) exceeded`] });
      const row = await insertVariable(db, owner, columns);
      if (!row) throw taken(columns.key);
      return row;
    },

    async update(db: Db, row: CiVariable, input: Partial<VariableInput>): Promise<CiVariable> {
      const value = input.value ?? deps.secrets.open(row.value_encrypted, sealed.variable);
      const columns = columnsOf({ ...input, key: row.key, value }, row);
      // Only the index knows of what others write at the same time.
      const changed = await updateVariable(db, row.id, columns).catch((error: unknown) => {
        throw isUniqueViolation(error, 'ci_variables_key') ? taken(row.key) : error;
      });
      if (!changed) throw notFound('Variable');
      return changed;
    },
  };
}
