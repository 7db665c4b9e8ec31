/** What is left of HTML that would act. */
import { describe, expect, it } from 'vitest';
import { documentAddresses } from '../addresses.ts';
import { isAllowedAttribute } from './allowed.ts';
import { type Piece, sanitise } from './sanitise.ts';
import { htmlTokens } from './tokens.ts';

const addresses = documentAddresses({
  base: { kind: 'repository', project: 'a/b', ref: 'main', folder: '' },
  externalUrl: 'https://millrace.example',
  absolute: false,
});
const pieces = (html: string, references = true) => sanitise(html, { addresses, references });
const shown = (piece: Piece) =>
  typeof piece === 'string' ? piece : 'image' in piece ? `{image ${piece.image}}` : `{${piece.reference.text}}`;
const clean = (html: string, references = true) => pieces(html, references).map(shown).join('');

describe('HTML of documents', () => {
  it.each([
    ['<p align="center">a<br>b</p>', '<p align="center">a<br>b</p>'],
    [
      '<h2 id="x">X</h2>',
      '<h2 id="user-content-x">X<a class="anchor" href="#x" aria-hidden="true" tabindex="-1"></a></h2>',
    ],
    ['<a href="docs/a.md">a</a>', '<a href="/a/b/-/blob/main/docs/a.md">a</a>'],
    ['<a href=https://x.example/>a</a>', '<a href="https://x.example/" rel="nofollow noopener noreferrer">a</a>'],
    ['<img src="a.png" width=80>', '<img src="/a/b/-/raw/main/a.png" alt="" width="80" loading="lazy">'],
    ['<input type="checkbox" checked="">', '<input type="checkbox" disabled checked="">'],
    ['<details open><summary>s</summary>t</details>', '<details open=""><summary>s</summary>t</details>'],
    ['<unknown>text</unknown> &amp; &lt; &copy; &#38; &#x3c;', 'text &amp; &lt; &copy; &amp; &lt;'],
    ['<b>open <i>both', '<b>open <i>both</i></b>'],
    ['</div></b>a<b>x</i></b>', 'a<b>x</b>'],
    ['a < b > c <', 'a &lt; b &gt; c &lt;'],
    ['<a', '&lt;a'],
    ['<!-- <b>x</b> -->y<!doctype html><?php ?>', 'y'],
  ])('%s', (html, expected) => {
    expect(clean(html)).toBe(expected);
  });

  it.each([
    '<script>alert(1)</script>',
    '<SCRIPT >alert(1)</SCRIPT>',
    '<script>alert(1)',
    '<style>body{}</style><iframe src=x></iframe><textarea></textarea><noscript><b>x</b></noscript>',
    '<svg onload=alert(1)><math><mglyph></svg>',
    '<form action=x><button></button><select></select></form>',
    '<input type=image src=x><input><object data=x></object><embed src=x><base href=x><meta><link href=x>',
    '<template><script>alert(1)</script></template>',
  ])('security 9: nothing is left of %s', (html) => {
    expect(clean(html)).toBe('');
  });

  it('security 9: attributes that act, addresses that run and names of the page are left out', () => {
    const begin = (attributes: string) => clean(`<a ${attributes}>t</a>`);
    for (const attributes of [
      ...['onclick=alert(1)', 'style="position:fixed"', 'tabindex=5', 'srcset="x"', 'target=_top', 'xlink:href="x"'],
      ...['href="javascript:alert(1)"', 'href=" jAvAsCrIpT:alert(1)"', 'href="java&#10;script:alert(1)"'],
      ...['href="javascript&colon;alert(1)"', 'href="java\tscript:alert(1)"', 'href="&#1;javascript:alert(1)"'],
      ...['href="data:text/html,x"', 'href="vbscript:x"', 'href="blob:x"', 'class="mantine-Modal-root"'],
    ])
      expect([attributes, begin(attributes)]).toEqual([attributes, '<a>t</a>']);
    // What a browser does not know either is a path.
    expect(begin('href="javascript&unknown;alert(1)"')).toBe(
      '<a href="/a/b/-/blob/main/javascript%26unknown%3Balert(1)">t</a>',
    );
    expect(begin('id=cookie name="location"')).toBe('<a id="user-content-cookie" name="user-content-location">t</a>');
    expect(begin(`title='"><script>'`)).toBe('<a title="&quot;&gt;&lt;script&gt;">t</a>');
    expect(clean('<code class="language-ts cover code">x</code>')).toBe('<code class="language-ts code">x</code>');
    const proposed = '<code class="language-suggestion:-0+0">x</code>';
    expect(clean(proposed)).toBe(proposed);
    expect(clean('<img src="data:image/svg+xml;base64,AA" alt="drawing">')).toBe('drawing');
    expect(isAllowedAttribute('a', 'srcdoc') || isAllowedAttribute('img', 'onerror')).toBe(false);
  });

  it('security 9: whatever is written, each tag that comes out is listed and closed', () => {
    const parts = ['<', '>', '</', '"', "'", '=', ' ', 'a', 'b', 'img', 'script', 'svg', 'src', 'href', 'onerror'];
    parts.push('javascript:', '<!--', '-->', '&lt;', '&#x3c;', '/', '\n', '\0', 'title', 'p', '<b>', '</b>');
    let seed = 20_240_601;
    const next = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed;
    };
    for (let round = 0; round < 3000; round += 1) {
      const html = Array.from({ length: 1 + (next() % 30) }, () => parts[next() % parts.length]).join('');
      const out = clean(html, false);
      const rest = out.replaceAll(
        /<\/?(?:a|b|p|img|i)(?: (?:href|src|alt|title|rel|loading|class|id|aria-hidden|tabindex)="[^"<>]*")*>/g,
        '',
      );
      expect([html, rest]).toEqual([html, expect.not.stringMatching(/[<>"]/)]);
      expect([html, out]).toEqual([html, expect.not.stringMatching(/(?:href|src)="\s*javascript/)]);
    }
  });

  it('words that name something are found in texts, neither in code nor in links', () => {
    expect(clean('<p>see !1 &amp; @root</p><code>!2</code><a href="#x">!3</a><pre>!4</pre>!5')).toBe(
      '<p>see {!1} &amp; {@root}</p><code>!2</code><a href="#x">!3</a><pre>!4</pre>{!5}',
    );
    expect(clean('!1', false)).toBe('!1');
  });

  it('images from elsewhere are left to the server, which says whether they are in a link', () => {
    const badge = { image: 'https://x.example/b.svg', alt: 'build', attributes: ' height="20"' };
    const html = '<img height=20 src=https://x.example/b.svg alt=build onerror=alert(1)>';
    expect(pieces(html)).toEqual([{ ...badge, inLink: false }]);
    expect(pieces(`<a href="#x">${html}</a>`)).toEqual(['<a href="#x">', { ...badge, inLink: true }, '</a>']);
  });

  it('what is long or deep ends in time', () => {
    const begun = process.cpuUsage();
    for (const html of [
      ...['<a ', '<a b="', "<a b='>", '<!--', '<script', '</a', '<b>', '&', '&#', ' ', '<a b c ', '< ', '<p x="y">'],
    ])
      clean(html.repeat(Math.floor(500_000 / html.length)));
    clean(`<a href="${' '.repeat(400_000)}x">`);
    expect([...htmlTokens(`<a ${'b '.repeat(100_000)}>`)]).toHaveLength(1);
    expect(clean('<b>'.repeat(1000)).match(/<b>/g)).toHaveLength(100);
    expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(5);
  });
});
