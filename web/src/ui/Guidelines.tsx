/** What administrators tell those who do one thing, on its page; nothing where they tell nothing. */
import { useQuery } from '@tanstack/react-query';
import { configuration, type InstanceConfiguration } from '../lib/instance.ts';
import { MarkdownOnDemand } from './MarkdownOnDemand.tsx';
import classes from './ui.module.css';

export function Guidelines({ of }: { readonly of: keyof InstanceConfiguration['guidelines'] }) {
  const { data } = useQuery(configuration());
  const html = data?.guidelines[of];
  if (!html) return null;
  return (
    <section aria-label="Guidelines" className={classes.guidelines}>
      <MarkdownOnDemand html={html} />
    </section>
  );
}
