/** Markdown to a fragment of the document: rendered, then sanitised, in this order. */
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { type DocumentBase, linkAddress, pictureAddress } from './addresses.ts';

export type { DocumentBase };

/** More text than this is shown as it is: rendering has a budget. */
const maximumLength = 512 * 1024;

const purify = DOMPurify();
purify.addHook('afterSanitizeAttributes', (node) => {
  // A picture that raw HTML asks from elsewhere would tell that server who reads.
  if (node.tagName === 'IMG' && !/^(\/api\/v4\/projects\/|data:image\/)/.test(node.getAttribute('src') ?? ''))
    node.removeAttribute('src');
  if (node.tagName === 'IMG' && !node.hasAttribute('alt')) node.setAttribute('alt', '');
  if (node.tagName === 'A' && /^(https?:)?\/\//i.test(node.getAttribute('href') ?? ''))
    node.setAttribute('rel', 'nofollow noopener noreferrer');
  if (node.tagName === 'INPUT') node.setAttribute('aria-label', 'Task');
  if (node.tagName === 'PRE' || node.tagName === 'TABLE') node.setAttribute('tabindex', '0');
});

export function renderMarkdown(text: string, base: DocumentBase | null): DocumentFragment {
  if (text.length > maximumLength) {
    const plain = document.createElement('pre');
    plain.textContent = text;
    const fragment = document.createDocumentFragment();
    fragment.append(plain);
    return fragment;
  }
  const marked = new Marked({
    gfm: true,
    walkTokens(token) {
      if (token.type === 'link') token.href = linkAddress(token.href, base);
      if (token.type === 'image') {
        const address = pictureAddress(token.href, base);
        if (address !== null) token.href = address;
        else
          Object.assign(token, {
            type: 'link',
            tokens: [{ type: 'text', raw: token.text, text: token.text || token.href }],
          });
      }
    },
  });
  return purify.sanitize(marked.parse(text, { async: false }), {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'button', 'textarea', 'select', 'audio', 'video', 'source', 'track', 'picture'],
    FORBID_ATTR: ['style', 'id', 'name', 'srcset', 'background', 'autofocus'],
  });
}
