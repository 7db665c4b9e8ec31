/** What a document may contain: everything that is not listed here is left out. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

export const allowedElements = words(
  'a abbr b bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt ul var wbr',
);
export const voidElements = words('br hr img input wbr');

const everywhere = words('class dir id lang title');
const attributesOf: Readonly<Record<string, ReadonlySet<string>>> = {
  a: words('href hreflang name data-footnote-ref data-footnote-backref aria-label'),
  blockquote: words('cite'),
  code: words('data-math-style'),
  del: words('cite datetime'),
  details: words('open'),
  img: words('alt height src width'),
  input: words('checked data-inapplicable'),
  ins: words('cite datetime'),
  li: words('value'),
  ol: words('reversed start type'),
  pre: words('data-math-style'),
  q: words('cite'),
  section: words('data-footnotes'),
  table: words('width'),
  td: words('align colspan height rowspan valign width'),
  th: words('align colspan height rowspan scope valign width'),
  time: words('datetime'),
  tr: words('align valign'),
  ul: words('type'),
};
/** Those that align their contents by an attribute, as documents of other forges do. */
const aligned = words('div h1 h2 h3 h4 h5 h6 hr img p table caption tbody thead tfoot');

export const isAllowedAttribute = (element: string, name: string): boolean =>
  everywhere.has(name) || attributesOf[element]?.has(name) === true || (name === 'align' && aligned.has(element));

/** Classes of our own renderer; any other could give text the look and place of a part of the page. */
const classPattern =
  /^(?:language-[\w+#.:-]{1,40}|code|math|js-render-math|footnotes|footnote-ref|footnote-backref|task-list|task-list-item|task-list-item-checkbox|inapplicable|section-nav|markdown-alert|markdown-alert-title|markdown-alert-(?:note|tip|important|caution|warning))$/;

export const allowedClasses = (value: string): string =>
  value
    .split(/\s+/)
    .filter((word) => classPattern.test(word))
    .join(' ');

const schemes = words('http https ftp mailto tel xmpp irc ircs');

/** An address as browsers read it, with the scheme of one that is listed or none; null for any other. */
export function harmlessAddress(value: string): string | null {
  // Browsers drop these before they read the scheme.
  const address = value.replaceAll(/\p{Cc}/gu, '').trim();
  const scheme = /^([^/?#:]*):/.exec(address)?.[1];
  return scheme === undefined || schemes.has(scheme.toLowerCase()) ? address : null;
}

/** An image that is part of the document itself. SVG is none: it is a document. */
export const isImageData = (value: string): boolean =>
  /^data:image\/(?:png|gif|jpeg|webp);base64,[\w+/=]+$/i.test(value);
