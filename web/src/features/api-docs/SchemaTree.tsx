/** A schema as rows of names; what is inside a name opens when it is asked for. */
import { type ReactNode, useState } from 'react';
import classes from './api-docs.module.css';
import { type ApiDocument, resolve, type Schema, typeWords } from './document.ts';
import { Rich } from './Rich.tsx';

interface TreeProps {
  readonly document: ApiDocument;
  readonly schema: Schema;
  /** In answers most names are always there: those that are not are marked, instead of those that are required. */
  readonly answer?: boolean | undefined;
}

/** What has names inside: the object itself, the items of a list, the object among alternatives. */
function inner(document: ApiDocument, given: Schema): Schema | undefined {
  const schema = resolve(document, given);
  if (schema.properties) return schema;
  if (schema.items) return inner(document, schema.items);
  for (const option of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) {
    const found = inner(document, option);
    if (found) return found;
  }
  return typeof schema.additionalProperties === 'object' ? inner(document, schema.additionalProperties) : undefined;
}

const limits = ({ enum: words, default: fallback, minimum, maximum, maxLength }: Schema): string[] => [
  ...(words ? [`One of ${words.map((word) => `\`${String(word)}\``).join(', ')}.`] : []),
  ...(fallback === undefined ? [] : [`Default \`${JSON.stringify(fallback)}\`.`]),
  ...(minimum === undefined ? [] : [`At least ${minimum}.`]),
  ...(maximum === undefined ? [] : [`At most ${maximum}.`]),
  ...(maxLength === undefined ? [] : [`At most ${maxLength} characters.`]),
];

interface NameRowProps extends TreeProps {
  readonly name: string;
  readonly required?: boolean | undefined;
  readonly deprecated?: boolean | undefined;
  readonly description?: string | undefined;
  /** Instead of whether it is required: where a parameter goes. */
  readonly place?: string | undefined;
}

export function NameRow(props: NameRowProps) {
  const { document, schema, answer, name, required, deprecated, description, place } = props;
  const [open, setOpen] = useState(false);
  const below = inner(document, schema);
  const said = description ?? schema.description;
  const items = schema.items && !schema.enum ? limits(schema.items) : [];
  return (
    <li className={classes.name}>
      <div className={classes.nameHead}>
        <code className={classes.nameText}>{name}</code>
        <span className={classes.type}>{typeWords(schema)}</span>
        {place ? <span className={classes.type}>in {place}</span> : null}
        {required && !answer ? (
          <span className={classes.flag} data-strong>
            required
          </span>
        ) : null}
        {answer && !required ? <span className={classes.flag}>optional</span> : null}
        {(deprecated ?? schema.deprecated) ? <span className={classes.flag}>deprecated</span> : null}
        {below ? (
          <button type="button" className={classes.more} aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide' : 'Show'} fields of {name}
          </button>
        ) : null}
      </div>
      {said || limits(schema).length + items.length > 0 ? (
        <p className={classes.said}>
          <Rich text={[said ? `${said}.` : '', ...limits(schema), ...items].filter(Boolean).join(' ')} />
        </p>
      ) : null}
      {open && below ? <SchemaTree document={document} schema={below} answer={answer} /> : null}
    </li>
  );
}

export function Names({ children, label }: { children: ReactNode; label: string }) {
  return (
    <ul className={classes.names} aria-label={label}>
      {children}
    </ul>
  );
}

export function SchemaTree({ document, schema, answer }: TreeProps) {
  const shown = inner(document, schema);
  if (!shown?.properties) return <p className={classes.said}>{typeWords(schema)}</p>;
  const required = new Set(shown.required ?? []);
  return (
    <Names label="Fields">
      {Object.entries(shown.properties).map(([name, property]) => (
        <NameRow
          key={name}
          document={document}
          schema={property}
          answer={answer}
          name={name}
          required={required.has(name)}
        />
      ))}
    </Names>
  );
}
