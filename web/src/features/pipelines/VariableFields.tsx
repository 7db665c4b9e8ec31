/** The variables of a new pipeline or a schedule: those that the configuration describes as fields, others as rows. */
import type { Schemas } from '../../lib/api.ts';
import type { DeclaredInput } from '../../lib/data.ts';
import { InputFields } from './InputFields.tsx';
import { type VariableRow, VariableRows } from './VariableRows.tsx';

type Variable = NonNullable<Schemas['LintResult']['variables']>[number];

/** A variable that says what it is for is asked for like an input. */
const asInput = ({ key, value, description, options }: Variable): DeclaredInput => ({
  ...{ name: key, type: 'string', required: false, default: value, regex: null },
  description,
  options,
});

/** The rows with another value for one key; without it where the configuration gives this value anyway. */
function withValue(rows: readonly VariableRow[], { key, value }: Pick<Variable, 'key' | 'value'>, given: string) {
  const at = Math.max(0, ...rows.map((row) => row.at)) + 1;
  const others = rows.filter((row) => row.key !== key);
  return given === value ? others : [...others, { at, key, value: given }];
}

interface Props {
  readonly described: readonly Variable[];
  /** All that have a value, those that are described too. */
  readonly rows: readonly VariableRow[];
  change(rows: readonly VariableRow[]): void;
}

export function VariableFields({ described, rows, change }: Props) {
  const known = new Map(described.map((variable) => [variable.key, variable]));
  const shown = rows.filter(({ key }) => known.has(key));
  const others = rows.filter(({ key }) => !known.has(key));
  return (
    <>
      <InputFields
        inputs={described.map(asInput)}
        given={Object.fromEntries(shown.map(({ key, value }) => [key, value]))}
        change={(key, value) => {
          const variable = known.get(key);
          if (variable) change(withValue(rows, variable, value));
        }}
      />
      <VariableRows rows={others} change={(edited) => change([...shown, ...edited])} />
    </>
  );
}
