/** One component of a version: lines to copy, and its inputs. */
import { Badge, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { CatalogComponent } from '../../lib/catalog.ts';
import { toSegment } from '../../lib/urls.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import ui from '../../ui/ui.module.css';
import classes from './catalog.module.css';
import { snippetOf } from './snippet.ts';

/** A value as a configuration would write it. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function Inputs({ name, inputs }: Pick<CatalogComponent, 'name' | 'inputs'>) {
  if (inputs.length === 0) return <Text c="var(--mr-dim)">No inputs.</Text>;
  return (
    <section className={classes.scroll} tabIndex={0} aria-label={`Inputs of ${name}`}>
      <table className={ui.table}>
        <thead>
          <tr>
            <th>Input</th>
            <th>Type</th>
            <th>Default</th>
            <th>Options</th>
            <th>Description</th>
          </tr>
        </thead>
        <tbody>
          {inputs.map((input) => (
            <tr key={input.name}>
              <td>
                <code>{input.name}</code>{' '}
                {input.required ? (
                  <Badge variant="light" miw="max-content">
                    Required
                  </Badge>
                ) : null}
              </td>
              <td>{input.type}</td>
              <td>{input.default === null ? null : <code>{shown(input.default)}</code>}</td>
              <td>{input.options?.map(shown).join(', ') ?? input.regex}</td>
              <td>{input.description}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
