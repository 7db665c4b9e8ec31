/** The last step of rendering: nothing but what is listed here reaches a page. */
import DOMPurify, { type Config } from 'dompurify';

const tags =
  'a abbr b bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead time tr tt ul var wbr';
const attributes =
  'align alt checked cite class colspan datetime dir disabled height href hreflang id lang name open reversed rowspan scope span src start title type valign width';

const configuration: Config & { RETURN_DOM_FRAGMENT: true } = {
  RETURN_DOM_FRAGMENT: true,
  ALLOWED_TAGS: tags.split(' '),
  ALLOWED_ATTR: attributes.split(' '),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  // Ids and names of documents begin with `user-content-`: none can stand for a property of the page.
  SANITIZE_NAMED_PROPS: true,
  ALLOWED_URI_REGEXP: /^(?:(?:https?|ftp|mailto|tel|xmpp|irc|ircs):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
};

/** Classes are words of ours; any other could give text the look and place of a part of the page. */
const classes = /^(language-[\w+#.-]{1,40}|formula|notes)$/;

const purify = DOMPurify();
purify.addHook('uponSanitizeAttribute', (_node, data) => {
  if (data.attrName !== 'class') return;
  data.attrValue = data.attrValue
    .split(/\s+/)
    .filter((word) => classes.test(word))
    .join(' ');
  if (data.attrValue === '') data.keepAttr = false;
});
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'INPUT') return;
  // Only the boxes of task lists, which nobody can change here.
  node.setAttribute('type', 'checkbox');
  node.setAttribute('disabled', '');
});

export const sanitised = (html: string): DocumentFragment => purify.sanitize(html, configuration);
