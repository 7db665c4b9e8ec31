/** The lines that include a component. */
import type { CatalogComponent } from '../../lib/catalog.ts';

/** A value as YAML has it on one line: JSON is YAML. */
const yaml = (value: unknown): string => JSON.stringify(value);

/** With the inputs that must be given; the host is a variable, so that the lines hold on mirrors too. */
export function snippetOf({ include, inputs }: Pick<CatalogComponent, 'include' | 'inputs'>): string {
  const lines = ['include:', `  - component: $CI_SERVER_FQDN/${include.slice(include.indexOf('/') + 1)}`];
  const required = inputs.filter((input) => input.required);
  if (required.length > 0) lines.push('    inputs:');
  for (const { name, options, type } of required) {
    const example = options?.[0] ?? { number: 0, boolean: false, array: [] }[type] ?? '';
    lines.push(`      ${/^[\w-]+$/.test(name) ? name : yaml(name)}: ${yaml(example)}`);
  }
  return lines.join('\n');
}
