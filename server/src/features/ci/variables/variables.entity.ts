/** CI/CD variables as the API shows them. */
import type { Static } from 'typebox';
import type { CiVariable } from '../../../kernel/db/rows.ts';
import { Entity, Flag, Nullable, Text } from '../../../kernel/http/entity.ts';

export const VariableEntity = Entity('Variable', {
  variable_type: Text({ description: '`env_var` or `file`' }),
  key: Text(),
  value: Nullable(Text({ description: 'Null when the variable is hidden' })),
  hidden: Flag({ description: 'Whether its value can never be read again' }),
  protected: Flag({ description: 'Whether it is protected' }),
  masked: Flag({ description: 'Whether its value is hidden in logs' }),
  raw: Flag({ description: 'Whether `$` in the value stays as it is' }),
  environment_scope: Text({ description: 'Environments that the variable is for' }),
  description: Nullable(Text()),
});

/** `value` is the opened text; what is hidden is never shown again. */
export function variableJson(row: CiVariable, value: string): Static<typeof VariableEntity> {
  return {
    variable_type: row.variable_type,
    key: row.key,
    value: row.hidden ? null : value,
    hidden: row.hidden,
    protected: row.protected,
    masked: row.masked,
    raw: row.raw,
    environment_scope: row.environment_scope,
    description: row.description,
  };
}
