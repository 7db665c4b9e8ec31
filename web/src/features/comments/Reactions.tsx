/** Reactions below a text: how many of each and by whom, one's own to take back, and others to add. */
import { UnstyledButton } from '@mantine/core';
import { IconMoodPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Discussed } from '../../lib/comments.ts';
import { allEmoji, isReactable, offered, type Reaction, react, takeBack } from '../../lib/reactions.ts';
import { sessionQuery } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import classes from './reactions.module.css';
import { usePlace } from './usePlace.ts';

interface Props {
  readonly of: Discussed;
  /** Id of the comment; null for the thing itself. */
  readonly note: number | null;
  readonly reactions: readonly Reaction[];
  readonly mayReact: boolean;
  again(): Promise<unknown>;
}

const known = new Map(offered);
/** People of one reaction who are named. */
const mostNames = 10;

const names = (reactions: readonly Reaction[]): string => {
  const named = reactions.slice(0, mostNames).map(({ user }) => user.name);
  const more = reactions.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
};

export default function Reactions({ of, note, reactions, mayReact, again }: Props) {
  const { path } = usePlace();
  const { data: session } = useQuery(sessionQuery);
  const [choosing, setChoosing] = useState(false);
  const add = useReturnedFocus(choosing);
  const others = reactions.some(({ name }) => !known.has(name));
  const { data: all } = useQuery({ ...allEmoji(), enabled: others });
  const toggling = useMutation({
    mutationFn: async (name: string) => {
      if (!isReactable(of)) return;
      const own = reactions.find((each) => each.name === name && each.user.id === session?.user?.id);
      if (own) await takeBack(path, of, note, own.id);
      else await react(path, of, note, name);
      await again();
      setChoosing(false);
    },
  });
  if (reactions.length === 0 && !mayReact) return null;
  return (
    <div className={classes.row}>
      {[...Map.groupBy(reactions, ({ name }) => name)].map(([name, given]) => (
        <UnstyledButton
          key={name}
          className={classes.reaction}
          aria-label={`${name.replaceAll('_', ' ')}, ${given.length}: ${names(given)}`}
          aria-pressed={given.some(({ user }) => user.id === session?.user?.id)}
          title={names(given)}
          disabled={!mayReact || toggling.isPending}
          onClick={() => toggling.mutate(name)}
        >
          <span aria-hidden>{known.get(name) ?? all?.get(name) ?? `:${name}:`}</span> {given.length}
        </UnstyledButton>
      ))}
      {!mayReact ? null : choosing ? (
        <span className={classes.row} role="group" aria-label="Add reaction">
          {offered.map(([name, character], at) => (
            <UnstyledButton
              key={name}
              className={classes.reaction}
              autoFocus={at === 0}
              aria-label={name.replaceAll('_', ' ')}
              disabled={toggling.isPending}
              onClick={() => toggling.mutate(name)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') setChoosing(false);
              }}
            >
              {character}
            </UnstyledButton>
          ))}
        </span>
      ) : (
        <UnstyledButton
          ref={add}
          className={classes.reaction}
          aria-label="Add reaction"
          title="Add reaction"
          onClick={() => setChoosing(true)}
        >
          <IconMoodPlus size={16} aria-hidden />
        </UnstyledButton>
      )}
      <FormError error={toggling.error} />
    </div>
  );
}
