/** What all forms share: sending, the API's reasons by field, and `Ctrl Enter`. */
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, KeyboardEvent } from 'react';
import { ApiError } from '../lib/api.ts';

interface Sending {
  readonly pending: boolean;
  readonly done: boolean;
  /** The whole refusal; null while there is none. */
  readonly error: Error | null;
  /** The reasons of one field. */
  reason(field: string): string | undefined;
  readonly form: {
    onSubmit(event: FormEvent): void;
    onKeyDown(event: KeyboardEvent<HTMLFormElement>): void;
  };
}

/** Sends what `send` does when the form is submitted. */
export function useForm(send: () => Promise<unknown>): Sending {
  const mutation = useMutation({ mutationFn: send });
  const fields = mutation.error instanceof ApiError ? mutation.error.fields : {};
  return {
    pending: mutation.isPending,
    done: mutation.isSuccess,
    error: mutation.error,
    reason: (field) => fields[field]?.join(', '),
    form: {
      onSubmit(event) {
        event.preventDefault();
        if (!mutation.isPending) mutation.mutate();
      },
      onKeyDown(event) {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      },
    },
  };
}
