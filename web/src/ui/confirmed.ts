/** What is asked about before it is done, as most removals are. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

export interface Confirmed<T> {
  /** What is asked about; null while nothing is. */
  readonly asked: T | null;
  ask(of: T): void;
  /** Does it without asking. */
  act(of: T): void;
  /** Why it was refused; the dialog says it as long as it is open. */
  readonly error: Error | null;
  /** For the dialog that asks. */
  readonly dialog: {
    readonly opened: boolean;
    readonly pending: boolean;
    readonly error: Error | null;
    close(): void;
    confirm(): void;
  };
}

/**
 * Asks before `act`. The dialog stays until `shown` has brought what is there then: what could be begun on the page
 * before would be about something that is gone.
 */
export function useConfirmed<T>(act: (of: T) => Promise<unknown>, shown?: (of: T) => Promise<unknown>): Confirmed<T> {
  const [asked, setAsked] = useState<T | null>(null);
  const doing = useMutation({
    mutationFn: async (of: T) => {
      await act(of);
      await shown?.(of);
      // Meanwhile it may be closed, and something else asked about.
      setAsked((now) => (now === of ? null : now));
    },
  });
  return {
    asked,
    ask(of) {
      doing.reset();
      setAsked(of);
    },
    act: (of) => doing.mutate(of),
    error: doing.error,
    dialog: {
      opened: asked !== null,
      pending: doing.isPending,
      error: doing.error,
      close: () => setAsked(null),
      confirm: () => asked !== null && doing.mutate(asked),
    },
  };
}
