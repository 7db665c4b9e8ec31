/** Markdown to a fragment of the document: rendered, sanitised, then its addresses are made those of this place. */
import { type DocumentBase, linkAddress, pictureAddress } from './addresses.ts';
import { sanitised } from './sanitise.ts';
import { markdownToHtml } from './syntax.ts';

export type { DocumentBase };

/** More text than this is shown as it is: rendering has a budget. */
const maximumLength = 512 * 1024;

/** What is before ids in documents. */
export const idPrefix = 'user-content-';

function plain(text: string): DocumentFragment {
  const whole = document.createElement('pre');
  whole.textContent = text;
  const fragment = document.createDocumentFragment();
  fragment.append(whole);
  return fragment;
}

/** A picture that the document asks from elsewhere would tell that server who reads: a link stands for it. */
function instead(picture: HTMLImageElement, source: string): Node {
  const text = picture.alt || source;
  if (picture.closest('a') || !/^(https?:)?\/\//i.test(source)) return document.createTextNode(text);
  const link = document.createElement('a');
  link.setAttribute('href', source);
  link.textContent = text;
  return link;
}

function settle(fragment: DocumentFragment, base: DocumentBase | null): void {
  for (const picture of fragment.querySelectorAll('img')) {
    const source = picture.getAttribute('src') ?? '';
    const address = pictureAddress(source, base);
    if (address === null) picture.replaceWith(instead(picture, source));
    else {
      picture.setAttribute('src', address);
      picture.setAttribute('loading', 'lazy');
      if (!picture.hasAttribute('alt')) picture.setAttribute('alt', '');
    }
  }
  for (const link of fragment.querySelectorAll('a[href]')) {
    const address = linkAddress(link.getAttribute('href') ?? '', base);
    link.setAttribute('href', address);
    if (new URL(address, location.href).origin !== location.origin)
      link.setAttribute('rel', 'nofollow noopener noreferrer');
  }
  for (const box of fragment.querySelectorAll('input')) box.setAttribute('aria-label', 'Task');
  // What may be wider than the page is scrolled by keyboard, too.
  for (const wide of fragment.querySelectorAll('pre, table')) wide.setAttribute('tabindex', '0');
  for (const heading of fragment.querySelectorAll('h1[id], h2[id], h3[id], h4[id], h5[id], h6[id]')) {
    const anchor = document.createElement('a');
    anchor.setAttribute('href', `#${heading.id.slice(idPrefix.length)}`);
    // Those who hear the page would hear each heading twice.
    anchor.setAttribute('aria-hidden', 'true');
    anchor.setAttribute('tabindex', '-1');
    anchor.dataset.anchor = '';
    heading.append(anchor);
  }
}

export function renderMarkdown(text: string, base: DocumentBase | null): DocumentFragment {
  if (text.length > maximumLength) return plain(text);
  let html: string;
  try {
    html = markdownToHtml(text);
  } catch {
    // Nested deeper than anybody writes by hand.
    return plain(text);
  }
  const fragment = sanitised(html);
  settle(fragment, base);
  return fragment;
}
