/** One operation: what it does, who may, what it takes, what it answers, and a form to send it. */
import { Title } from '@mantine/core';
import classes from './api-docs.module.css';
import { type ApiDocument, type Entry, nameOf, resolveAnswer, typeWords } from './document.ts';
import { Method } from './Method.tsx';
import { Rich } from './Rich.tsx';
import { NameRow, Names, SchemaTree } from './SchemaTree.tsx';
import { TryIt } from './TryIt.tsx';

interface Props {
  readonly document: ApiDocument;
  readonly entry: Entry;
}

const credentialWords: Readonly<Record<string, string>> = {
  access_token: 'access token',
  session_cookie: 'session',
  job_token: 'job token',
};

/** `access token (api or read_api), session`. */
function credentials({ operation }: Entry): string {
  const scopes = new Map<string, string[]>();
  for (const requirement of operation.security ?? [])
    for (const [scheme, needed] of Object.entries(requirement))
      scopes.set(scheme, [...(scopes.get(scheme) ?? []), ...needed]);
  return [...scopes]
    .map(([scheme, list]) => `${credentialWords[scheme] ?? scheme}${list.length > 0 ? ` (${list.join(' or ')})` : ''}`)
    .join(', ');
}

function Responses({ document, entry }: Props) {
  return (
    <section aria-labelledby="answers">
      <Title order={3} id="answers">
        Responses
      </Title>
      {Object.entries(entry.operation.responses).map(([status, given]) => {
        const answer = resolveAnswer(document, given);
        const success = status.startsWith('2') || status.startsWith('3');
        return (
          <details key={status} className={classes.response} open={success}>
            <summary>
              <strong>{status}</strong> {answer.description}
            </summary>
            {Object.entries(answer.content ?? {}).map(([type, media]) => {
              const example = media.example ?? Object.values(media.examples ?? {})[0]?.value;
              return (
                <div key={type}>
                  <p className={classes.said}>
                    <code>{type}</code> {media.schema ? typeWords(media.schema) : ''}
                  </p>
                  {example === undefined ? null : (
                    <pre className={classes.block} tabIndex={0}>
                      {JSON.stringify(example, null, 2)}
                    </pre>
                  )}
                  {media.schema && type === 'application/json' && success ? (
                    <details>
                      <summary>Fields</summary>
                      <SchemaTree document={document} schema={media.schema} answer />
                    </details>
                  ) : null}
                </div>
              );
            })}
            {answer.headers ? <p className={classes.said}>Headers: {Object.keys(answer.headers).join(', ')}</p> : null}
          </details>
        );
      })}
    </section>
  );
}

export function OperationView({ document, entry }: Props) {
  const { operation } = entry;
  const parameters = operation.parameters ?? [];
  const body = operation.requestBody;
  const bodySchema = body && Object.values(body.content)[0]?.schema;
  const proved = credentials(entry);
  return (
    <article className={classes.operation} aria-labelledby="operation">
      <Title order={2} id="operation" tabIndex={-1} className={classes.heading}>
        {operation.summary}
      </Title>
      <p className={classes.address}>
        <Method method={entry.method} /> <code>/api/v4{entry.path}</code>{' '}
        {operation.deprecated ? <span className={classes.flag}>deprecated</span> : null}
      </p>
      <p>
        <Rich text={operation.description ?? ''} />
        {proved === '' ? '' : ` Proved by: ${proved}.`}
      </p>
      {parameters.length > 0 ? (
        <section aria-labelledby="parameters">
          <Title order={3} id="parameters">
            Parameters
          </Title>
          <Names label="Parameters">
            {parameters.map((parameter) => (
              <NameRow
                key={`${parameter.in} ${parameter.name}`}
                document={document}
                schema={parameter.schema}
                name={parameter.name}
                required={parameter.required}
                deprecated={parameter.deprecated}
                description={parameter.description}
                place={parameter.in}
              />
            ))}
          </Names>
        </section>
      ) : null}
      {body && bodySchema ? (
        <section aria-labelledby="body">
          <Title order={3} id="body">
            Body
          </Title>
          <p className={classes.said}>
            {Object.keys(body.content).join(', ')}. <Rich text={body.description ?? ''} />
          </p>
          <SchemaTree document={document} schema={bodySchema} />
        </section>
      ) : null}
      <TryIt key={entry.id} entry={entry} />
      <Responses document={document} entry={entry} />
      <p className={classes.said}>
        <code>{nameOf(entry.id)}</code>
      </p>
    </article>
  );
}
