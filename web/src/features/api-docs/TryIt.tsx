/** Sends the operation as whoever is signed in, and shows all that came back. */
import { Button, Group, NativeSelect, Stack, Textarea, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sendRaw } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { Command } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import classes from './api-docs.module.css';
import type { Entry, Parameter } from './document.ts';
import { buildRequest, curlCommand, jsonProblem, keyOf, missing, type Values } from './request.ts';

interface Received {
  readonly status: string;
  readonly ok: boolean;
  readonly headers: string;
  readonly body: string;
  readonly milliseconds: number;
}

/** Bytes of an answer that are shown. */
const most = 200_000;

async function send(entry: Entry, values: Values, body: string): Promise<Received> {
  const request = buildRequest(entry, values, body);
  const begin = performance.now();
  const response = await sendRaw(request);
  const text = await response.text();
  const shown = response.headers.get('content-type')?.startsWith('application/json') ? pretty(text) : text;
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    ok: response.ok,
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: shown.length > most ? `${shown.slice(0, most)}\n… ${shown.length - most} more characters` : shown,
    milliseconds: Math.round(performance.now() - begin),
  };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

interface FieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly lacking: boolean;
}

function Field({ parameter, value, change, lacking }: FieldProps) {
  const words = parameter.schema.enum ?? (parameter.schema.type === 'boolean' ? [true, false] : undefined);
  const common = {
    label: parameter.name,
    required: parameter.required ?? false,
    value,
    error: lacking ? 'is missing' : undefined,
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  };
  if (words) return <NativeSelect {...common} data={['', ...words.filter((word) => word !== null).map(String)]} />;
  if (parameter.name.endsWith('[]'))
    return <Textarea {...common} description="One on each line" autosize minRows={1} />;
  if (parameter.style === 'deepObject')
    return <Textarea {...common} description="key=value, one on each line" autosize minRows={1} />;
  return <TextInput {...common} />;
}

/** What the form starts with: the values of the example where they are needed. */
function initial({ operation }: Entry): Values {
  return Object.fromEntries(
    (operation.parameters ?? [])
      .filter(({ required, example }) => required && example !== undefined)
      .map((parameter) => [keyOf(parameter), [parameter.example].flat().map(String).join('\n')]),
  );
}

function exampleBody({ operation }: Entry): string {
  const example = operation.requestBody?.content['application/json']?.example;
  return example === undefined ? '' : JSON.stringify(example, null, 2);
}

export function TryIt({ entry }: { entry: Entry }) {
  const { data: session } = useQuery(sessionQuery);
  const [values, setValues] = useState<Values>(() => initial(entry));
  const [body, setBody] = useState(() => exampleBody(entry));
  const [tried, setTried] = useState(false);
  const sending = useMutation({ mutationFn: () => send(entry, values, body) });
  const takesJson = entry.operation.requestBody?.content['application/json'] !== undefined;
  const takesOther = entry.operation.requestBody !== undefined && !takesJson;
  const lacking = missing(entry, values);
  const problem = takesJson ? jsonProblem(body) : null;
  const parameters = entry.operation.parameters ?? [];
  const who = session?.user ? `as @${session.user.username}` : 'without being signed in';
  return (
    <section aria-labelledby="try">
      <Title order={3} id="try" mb="xs">
        Try it
      </Title>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (lacking.length === 0 && problem === null) sending.mutate();
        }}
      >
        <Stack gap="sm">
          {parameters.length > 0 ? (
            <div className={classes.fields}>
              {parameters.map((parameter) => (
                <Field
                  key={keyOf(parameter)}
                  parameter={parameter}
                  value={values[keyOf(parameter)] ?? ''}
                  change={(value) => setValues({ ...values, [keyOf(parameter)]: value })}
                  lacking={tried && lacking.includes(parameter.name)}
                />
              ))}
            </div>
          ) : null}
          {takesJson ? (
            <Textarea
              label="Body"
              description="JSON"
              autosize
              minRows={3}
              maxRows={20}
              value={body}
              error={tried ? problem : undefined}
              onChange={(event) => setBody(event.currentTarget.value)}
              classNames={{ input: classes.code ?? '' }}
            />
          ) : null}
          {takesOther ? (
            <p className={classes.said}>The request body is a file: send it from the command line.</p>
          ) : null}
          <Group>
            <Button type="submit" loading={sending.isPending} color={entry.method === 'DELETE' ? 'red' : undefined}>
              Send {entry.method}
            </Button>
            <span className={classes.said}>
              Sent {who}
              {entry.method === 'GET' ? '.' : ': it changes real data.'}
            </span>
          </Group>
        </Stack>
      </form>
      <Command text={curlCommand(buildRequest(entry, values, body), location.origin)} label="Copy the curl command" />
      <FormError error={sending.error} />
      {sending.data ? <Answered answer={sending.data} /> : null}
    </section>
  );
}

function Answered({ answer }: { answer: Received }) {
  return (
    <section aria-label="Response" className={classes.answer}>
      <p role="status" className={classes.status} data-ok={answer.ok || undefined}>
        <strong>{answer.status}</strong> in {answer.milliseconds} ms
      </p>
      <Title order={4} size="sm">
        Headers
      </Title>
      <pre className={classes.block} tabIndex={0}>
        {answer.headers}
      </pre>
      <Title order={4} size="sm">
        Body
      </Title>
      <pre className={classes.block} tabIndex={0}>
        {answer.body === '' ? '(empty)' : answer.body}
      </pre>
    </section>
  );
}
