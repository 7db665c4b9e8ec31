/** What all forms share: sending, the reasons of a refusal by field, and `Ctrl Enter`. */
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useRef } from 'react';
import { ApiError, fieldSentences } from '../lib/api.ts';

interface Sending {
  readonly pending: boolean;
  readonly done: boolean;
  /** Why it was refused, without what the fields say themselves; null when nothing is left to say. */
  readonly error: Error | null;
  /** The reasons of one field. Whoever asks for them shows them. */
  reason(field: string): string | undefined;
  readonly form: {
    onSubmit(event: FormEvent): void;
    onKeyDown(event: KeyboardEvent<HTMLFormElement>): void;
  };
}

/** The last part of `project_namespace.name`: the API names some fields with their way. */
const lastPart = (name: string) => name.split('.').at(-1) ?? name;

/** What of a refusal no field of the form says. */
function remaining(error: Error | null, shown: ReadonlySet<string>): Error | null {
  if (!(error instanceof ApiError)) return error;
  const fields = Object.entries(error.fields);
  const rest = fields.filter(([name]) => !shown.has(lastPart(name)));
  if (rest.length === fields.length) return error;
  return rest.length === 0 ? null : new Error(fieldSentences(Object.fromEntries(rest)).join(' '));
}

/** Sends what `send` does when the form is submitted. */
export function useForm(send: () => Promise<unknown>): Sending {
  const mutation = useMutation({ mutationFn: send });
  // Fields ask for their reasons whenever the form is drawn, long before one is refused; those are not said twice.
  const shown = useRef(new Set<string>());
  const fields = mutation.error instanceof ApiError ? mutation.error.fields : {};
  return {
    pending: mutation.isPending,
    done: mutation.isSuccess,
    error: remaining(mutation.error, shown.current),
    reason(field) {
      shown.current.add(field);
      const reasons = fieldSentences(
        Object.fromEntries(Object.entries(fields).filter(([name]) => lastPart(name) === field)),
      );
      return reasons.length === 0 ? undefined : [...new Set(reasons)].join(' ');
    },
    form: {
      onSubmit(event) {
        event.preventDefault();
        if (mutation.isPending) return;
        // What the form shows while it is sent is what it shows then.
        shown.current.clear();
        mutation.mutate();
      },
      onKeyDown(event) {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      },
    },
  };
}
