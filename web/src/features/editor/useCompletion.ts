/** The list of completions of a text area: opened by what is typed, moved through and chosen by keys or the pointer. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useState } from 'react';
import type { Candidate, EditorPlace } from './candidates.ts';
import { placeBelow, replaceText } from './caret.ts';
import type { CommandTarget } from './commands.ts';
import { stillOffered, type Trigger, triggerAt } from './completion.ts';

interface Opened {
  readonly trigger: Trigger;
  readonly left: number;
  readonly top: number;
}

/** Names that the list does not cover. */
const width = 260;

/** What is offered, and how it is found, comes with the first sign that asks for it. */
const candidates = (place: EditorPlace, target: CommandTarget | undefined, trigger: Trigger | null) =>
  queryOptions({
    queryKey: ['completions', place, target, trigger?.kind, trigger?.query],
    queryFn: async () => (trigger ? (await import('./candidates.ts')).candidatesOf(place, target, trigger) : []),
    enabled: trigger !== null,
    staleTime: 30_000,
    retry: false,
  });

export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  place: EditorPlace,
  target: CommandTarget | undefined,
) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const [active, setActive] = useState(0);
  const trigger = opened?.trigger ?? null;
  const { data = [], isPlaceholderData } = useQuery({
    ...candidates(place, target, trigger),
    placeholderData: (before, query) => (query?.queryKey[3] === trigger?.kind ? before : undefined),
  });
  // What was found for less is offered until there is more, as far as it is still meant: keys are faster than answers.
  const found = trigger && isPlaceholderData ? stillOffered(data, trigger.query) : data;
  const offered = opened ? found : [];
  const at = Math.min(active, Math.max(0, offered.length - 1));

  /** After each change of the text or the caret by the person. */
  const follow = () => {
    const area = field.current;
    if (!area) return;
    const next = area.selectionStart === area.selectionEnd ? triggerAt(area.value, area.selectionStart) : null;
    if (next?.start !== trigger?.start || next?.query !== trigger?.query) setActive(0);
    if (!next) setOpened(null);
    else {
      const { left, top } = placeBelow(area, next.start);
      setOpened({ trigger: next, top, left: Math.max(0, Math.min(left, area.clientWidth - width)) });
    }
  };
  const close = () => setOpened(null);
  const choose = (candidate: Candidate | undefined) => {
    const area = field.current;
    if (!area || !opened || !candidate) return;
    // A name in quotes that was begun is closed by what is inserted.
    const end = area.selectionStart + (area.value[area.selectionStart] === '"' ? 1 : 0);
    // A quick action that ends in the sign of its argument opens the next completion.
    const argument = candidate.insert.startsWith('/') && /[ ~@%#:&]$/.test(candidate.insert);
    const insert = argument ? candidate.insert : `${candidate.insert} `;
    replaceText(area, opened.trigger.start, end, insert);
  };
  /** Whether the key was used here. */
  const press = (event: KeyboardEvent): boolean => {
    if (offered.length === 0 || event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing)
      return false;
    if (event.key === 'ArrowDown') setActive((at + 1) % offered.length);
    else if (event.key === 'ArrowUp') setActive((at - 1 + offered.length) % offered.length);
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) choose(offered[at]);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { opened, offered, active: at, follow, close, choose, press };
}
