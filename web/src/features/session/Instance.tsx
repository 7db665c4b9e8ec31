/** How the instance presents itself where people sign in: logo, name and what it is. */
import type { Registration } from '../../lib/registration.ts';
import { MarkdownOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import classes from './session.module.css';

/** The heading of a page before the sign-in: `words` where the instance has no name. */
export const headingOf = (words: string, { title }: Registration['instance'], joint: string) =>
  title === '' ? words : `${words} ${joint} ${title}`;

export function InstanceLogo({ of: { logo } }: { of: Registration['instance'] }) {
  return logo === null ? null : <img src={logo} alt="" className={classes.logo} />;
}

export function InstanceDescription({ of }: { of: Registration['instance'] }) {
  return of.description_html === '' ? null : (
    <div className={classes.about}>
      <MarkdownOnDemand html={of.description_html} />
    </div>
  );
}
