/** HTML of the server as a fragment of the page. The server has sanitised it; the browser, which shows it, does so again. */
import { sanitised } from './sanitise.ts';

export { idPrefix } from './sanitise.ts';

export function documentFragment(html: string): DocumentFragment {
  const fragment = sanitised(html);
  for (const box of fragment.querySelectorAll('input')) box.setAttribute('aria-label', 'Task');
  // What may be wider than the page is scrolled by keyboard, too.
  for (const wide of fragment.querySelectorAll('pre, table')) wide.setAttribute('tabindex', '0');
  for (const anchor of fragment.querySelectorAll<HTMLElement>('a.anchor')) {
    anchor.setAttribute('aria-hidden', 'true');
    anchor.setAttribute('tabindex', '-1');
  }
  return fragment;
}
