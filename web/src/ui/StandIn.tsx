/**
 * The plain field that stands in the place of one with choices until that is loaded: it hands over what was typed and pressed
 * meanwhile.
 */
import { ComboboxChevron, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** What the plain field has as well. */
export type Look = Pick<
  TextInputProps,
  | 'aria-label'
  | 'className'
  | 'description'
  | 'disabled'
  | 'error'
  | 'flex'
  | 'label'
  | 'maw'
  | 'placeholder'
  | 'required'
  | 'size'
  | 'w'
>;

export interface Shown {
  readonly look: Look;
  /** What is chosen, in words. */
  readonly text: string;
  /** Text can be typed. */
  readonly open: boolean;
  /** The text is of several values; what is typed comes after them. */
  readonly several?: boolean;
  /** Beside the text. */
  readonly left?: ReactNode;
  readonly chevron: boolean;
  /** Keys that take what was typed as a choice, so that the text begins anew. */
  readonly taking: readonly string[];
  /** Only the library shows this as it should be: it comes at once. */
  readonly incomplete: boolean;
}

/** What somebody did while the library was on its way. */
type Act =
  | { readonly kind: 'press' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'key'; readonly key: string; readonly code: string };

function repeat(input: HTMLInputElement, act: Act): void {
  if (act.kind === 'press') input.click();
  else if (act.kind === 'key')
    input.dispatchEvent(
      new KeyboardEvent('keydown', { key: act.key, code: act.code, bubbles: true, cancelable: true }),
    );
  else {
    // Past React's own setter, so that it takes this for typing.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, act.text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

/**
 * In order, and each done before the next: a key acts on what the text before it has led to. Nothing comes between.
 * Whoever has `left` the field keeps what was typed, and stays where they are.
 */
function handOver(input: HTMLInputElement, acts: readonly Act[], left: boolean): void {
  const elsewhere = document.activeElement;
  input.focus({ preventScroll: true });
  for (const act of acts) flushSync(() => repeat(input, act));
  if (!left) return;
  if (elsewhere instanceof HTMLElement && elsewhere !== document.body) elsewhere.focus({ preventScroll: true });
  else input.blur();
}

/** A plain field, from when it is shown until the library's has taken over. */
export interface Stand {
  readonly field: RefObject<HTMLInputElement | null>;
  /** Null until somebody turns to the field. */
  readonly acts: RefObject<Act[] | null>;
  readonly left: RefObject<boolean>;
  /** The form was sent meanwhile; by which button, if by one. */
  readonly sent: RefObject<{ readonly by: HTMLElement | null } | null>;
}

export const newStand = (): Stand => ({
  field: { current: null },
  acts: { current: null },
  left: { current: false },
  sent: { current: null },
});

interface StandInProps extends Shown {
  readonly stand: Stand;
  fetchEarly(): void;
  want(): void;
}

export function StandIn(props: StandInProps): ReactNode {
  const { look, text, open, several = false, left, chevron, taking, stand, fetchEarly, want } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const pressing = useRef(false);
  useEffect(() => {
    const form = stand.field.current?.form;
    if (!form) return;
    // A form is sent with what was typed here, which it does not know yet.
    const wait = (event: SubmitEvent) => {
      if (!stand.acts.current?.some(({ kind }) => kind === 'text')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      stand.sent.current = { by: event.submitter };
    };
    form.addEventListener('submit', wait, true);
    return () => form.removeEventListener('submit', wait, true);
  }, [stand]);
  const turned = (): Act[] => {
    stand.acts.current ??= [];
    want();
    return stand.acts.current;
  };
  return (
    <TextInput
      {...look}
      ref={stand.field}
      data-hands-over
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      autoComplete="off"
      pointer={!open}
      readOnly={!open}
      value={typed ?? text}
      leftSection={left}
      rightSection={chevron ? <ComboboxChevron size={look.size} error={look.error} /> : undefined}
      rightSectionPointerEvents="none"
      onPointerEnter={fetchEarly}
      // A press is answered when it is over: the field that it began on must not be gone by then.
      onPointerDown={() => {
        pressing.current = true;
        fetchEarly();
      }}
      onFocus={() => {
        if (several) setTyped((before) => before ?? '');
        if (!pressing.current) turned();
      }}
      onBlur={() => {
        pressing.current = false;
        if (several) setTyped((before) => before || null);
      }}
      onClick={() => {
        pressing.current = false;
        turned().push({ kind: 'press' });
      }}
      onChange={({ currentTarget }) => {
        const done = turned();
        if (done.at(-1)?.kind === 'text') done.pop();
        done.push({ kind: 'text', text: currentTarget.value });
        setTyped(currentTarget.value);
      }}
      onKeyDown={(event) => {
        const { key, code, nativeEvent } = event;
        if (nativeEvent.isComposing) return;
        const takes = several && key === 'Backspace' ? typed === '' : taking.includes(key) && !!typed?.trim();
        if (!takes && key !== 'Enter' && key !== 'ArrowDown' && (open || key !== ' ')) return;
        event.preventDefault();
        turned().push({ kind: 'key', key, code });
        if (takes) setTyped('');
      }}
    />
  );
}

/**
 * Shows in the place of these fields what is loaded when somebody turns to one of them. `real` is the field that one of
 * them stood for.
 */
export function useArrival<C>(
  begun: () => C | null,
  load: () => Promise<C>,
  stands: readonly Stand[],
  real: (stand: Stand) => HTMLInputElement | null | undefined,
): { readonly arrived: C | null; fetchEarly(): void; want(): void } {
  const [arrived, setArrived] = useState(begun);
  const [, settle] = useState(0);
  // Before anything else that somebody does: the field that they turned to is gone, and a key on its successor, which knows
  // nothing yet, would send the form.
  useLayoutEffect(() => {
    if (arrived === null) return;
    for (const stand of stands) {
      const done = stand.acts.current;
      stand.acts.current = null;
      if (done !== null)
        queueMicrotask(() => {
          // After the effects of the fields themselves, and after all that they change.
          flushSync(() => settle((count) => count + 1));
          const field = real(stand);
          if (field) handOver(field, done, stand.left.current);
          const { current: sent } = stand.sent;
          stand.sent.current = null;
          // When others that came at the same time have what was typed, too.
          if (sent !== null) queueMicrotask(() => field?.form?.requestSubmit(sent.by));
        });
    }
  });
  return {
    arrived,
    fetchEarly: () => void load().catch(() => undefined),
    want: () =>
      void load().then(
        (loaded) => {
          for (const { field, acts, left } of stands) {
            // One that has been replaced already.
            if (!field.current?.isConnected) continue;
            left.current = document.activeElement !== field.current;
            // Who went on without having typed wants nothing more of it.
            if (left.current && !acts.current?.some(({ kind }) => kind === 'text')) acts.current = null;
          }
          setArrived(() => loaded);
        },
        // The page's boundary says that it could not be loaded.
        (error: unknown) =>
          setArrived(() => {
            throw error;
          }),
      ),
  };
}
