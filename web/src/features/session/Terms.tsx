/** The terms of the instance, and that somebody accepts them. */
import { Checkbox, Stack } from '@mantine/core';
import { MarkdownOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import classes from './session.module.css';

interface TermsProps {
  readonly html: string;
  readonly accepted: boolean;
  readonly error?: string | undefined;
  accept(accepted: boolean): void;
}

export function Terms({ html, accepted, error, accept }: TermsProps) {
  return (
    <Stack gap="xs">
      <section className={classes.terms} aria-label="Terms" tabIndex={0}>
        <MarkdownOnDemand html={html} />
      </section>
      <Checkbox
        label="I accept the terms"
        checked={accepted}
        onChange={(event) => accept(event.currentTarget.checked)}
        error={error}
      />
    </Stack>
  );
}
