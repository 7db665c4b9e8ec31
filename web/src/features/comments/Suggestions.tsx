/** What a comment proposes in place of lines: shown as a change, applied alone or with others in one commit. */
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '../../lib/api.ts';
import { applySuggestions } from '../../lib/reviews.ts';
import { FormError } from '../../ui/FormError.tsx';
import classes from './comments.module.css';

type Suggestion = Schemas['Suggestion'];

/** The suggestions that are chosen to be applied together. */
export interface SuggestionBatch {
  readonly ids: ReadonlySet<number>;
  toggle(id: number): void;
  clear(): void;
}

interface Props {
  readonly suggestions: readonly Suggestion[];
  readonly batch: SuggestionBatch;
  readonly mayApply: boolean;
  again(): Promise<unknown>;
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

export default function Suggestions({ suggestions, batch, mayApply, again }: Props) {
  const applying = useMutation({
    mutationFn: (ids: readonly number[]) => applySuggestions(ids),
    onSuccess: () => batch.clear(),
    onSettled: again,
  });
  return (
    <>
      {suggestions.map((each) => (
        <section key={each.id} aria-label="Suggestion" className={classes.suggestion}>
          <pre>
            {linesOf(each.from_content).map((line, at) => (
              <span key={`-${at}:${line}`} data-kind="removed">{`- ${line}\n`}</span>
            ))}
            {linesOf(each.to_content).map((line, at) => (
              <span key={`+${at}:${line}`} data-kind="added">{`+ ${line}\n`}</span>
            ))}
          </pre>
          <Group gap="xs" p={8}>
            {each.applied ? <span>Applied</span> : null}
            {!each.applied && !each.applicable ? <span>Outdated: the lines have changed</span> : null}
            {each.applicable && mayApply ? (
              <>
                <Button size="compact-sm" loading={applying.isPending} onClick={() => applying.mutate([each.id])}>
                  Apply suggestion
                </Button>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-pressed={batch.ids.has(each.id)}
                  onClick={() => batch.toggle(each.id)}
                >
                  {batch.ids.has(each.id) ? 'Remove from batch' : 'Add to batch'}
                </Button>
                {batch.ids.has(each.id) && batch.ids.size > 1 ? (
                  <Button
                    size="compact-sm"
                    variant="default"
                    loading={applying.isPending}
                    onClick={() => applying.mutate([...batch.ids])}
                  >
                    Apply {batch.ids.size} suggestions
                  </Button>
                ) : null}
              </>
            ) : null}
          </Group>
          <FormError error={applying.error} />
        </section>
      ))}
    </>
  );
}
