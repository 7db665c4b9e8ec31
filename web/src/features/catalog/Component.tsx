/** One component of a version: lines to copy, and its inputs. */
import { Badge, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { CatalogComponent } from '../../lib/catalog.ts';
import { toSegment } from '../../lib/urls.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import classes from './catalog.module.css';
import { snippetOf } from './snippet.ts';

/** A value as a configuration would write it. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function Inputs({ name, inputs }: Pick<CatalogComponent, 'name' | 'inputs'>) {
  if (inputs.length === 0) return <Text c="var(--mr-dim)">No inputs.</Text>;
  return (
    <section className={classes.scroll} tabIndex={0} aria-label={`Inputs of ${name}`}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Input</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>Default</Table.Th>
            <Table.Th>Options</Table.Th>
            <Table.Th>Description</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {inputs.map((input) => (
            <Table.Tr key={input.name}>
              <Table.Td>
                <code>{input.name}</code>{' '}
                {input.required ? (
                  <Badge variant="light" miw="max-content">
                    Required
                  </Badge>
                ) : null}
              </Table.Td>
              <Table.Td>{input.type}</Table.Td>
              <Table.Td>{input.default === null ? null : <code>{shown(input.default)}</code>}</Table.Td>
              <Table.Td>{input.options?.map(shown).join(', ') ?? input.regex}</Table.Td>
              <Table.Td>{input.description}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

export function Component({ component, path, commit }: { component: CatalogComponent; path: string; commit: string }) {
  const snippet = snippetOf(component);
  return (
    <section className={classes.component} aria-label={component.name}>
      <h3>
        <Link to="/p/$path/blob/$" params={{ path: toSegment(path), _splat: `${commit}/${component.path}` }}>
          {component.name}
        </Link>
      </h3>
      <div className={classes.snippet}>
        <pre tabIndex={0}>{snippet}</pre>
        <span className={classes.copy}>
          <CopyButton value={snippet} label={`Copy the lines that include ${component.name}`} />
        </span>
      </div>
      <Inputs name={component.name} inputs={component.inputs} />
    </section>
  );
}
