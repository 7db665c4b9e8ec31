/** The last step before a document is shown: nothing but what is listed here reaches a page. */
import DOMPurify, { type Config } from 'dompurify';

/** What is before ids in documents. */
export const idPrefix = 'user-content-';

const tags =
  'a abbr b bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt ul var wbr';
const attributes =
  'align alt aria-label checked cite class colspan data-inapplicable data-math-style datetime dir disabled height href hreflang id lang loading name open rel reversed rowspan scope span src start style title type valign value width';

const configuration: Config & { RETURN_DOM_FRAGMENT: true } = {
  RETURN_DOM_FRAGMENT: true,
  ALLOWED_TAGS: tags.split(' '),
  ALLOWED_ATTR: attributes.split(' '),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:(?:https?|ftp|mailto|tel|xmpp|irc|ircs):|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
};

/** Classes of the renderer; any other could give text the look and place of a part of the page. */
const classes =
  /^(?:language-[\w+#.:-]{1,40}|anchor|code|math|js-render-math|footnotes|footnote-ref|footnote-backref|task-list|task-list-item|task-list-item-checkbox|inapplicable|section-nav|gfm|gfm-[\w-]{1,40}|markdown-alert|markdown-alert-title|markdown-alert-(?:note|tip|important|caution|warning))$/;

const purify = DOMPurify();
/** The colour of a label, as the server writes it; no other style reaches a page. */
const labelStyle = /^(?:background-color: #[0-9a-f]{6}; color: #[0-9a-f]{6}|border-color: #[0-9a-f]{6})$/i;

purify.addHook('uponSanitizeAttribute', (_node, data) => {
  if (data.attrName === 'style' && !labelStyle.test(data.attrValue)) data.keepAttr = false;
  // None can stand for a property of the page.
  if ((data.attrName === 'id' || data.attrName === 'name') && !data.attrValue.startsWith(idPrefix))
    data.keepAttr = false;
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
