/** What documents may say beyond GitHub's Markdown, before it is sanitised. */
import { describe, expect, test } from 'vitest';
import { markdownToHtml, slugOf } from './document.ts';

const html = (text: string) => markdownToHtml(text, 'full');

describe('documents', () => {
  test('headings have the words of their address, each its own', () => {
    expect(slugOf('What’s *new* in 2.0?')).toBe('whats-new-in-20');
    const page = html('# Same\n\n## Same\n\n## `code` & <b>more</b>');
    expect(page).toContain('<h1 id="same">');
    expect(page).toContain('<h2 id="same-1">');
    expect(page).toContain('<h2 id="code--more">');
    expect(html('# "><script>')).not.toContain('id="">');
  });

  test('two tildes strike out, one does not', () => {
    expect(html('~~gone~~ one~1 and two~2 ~x~')).toBe('<p><del>gone</del> one~1 and two~2 ~x~</p>\n');
  });

  test('a table of contents links to all headings, once', () => {
    const page = html('[[_TOC_]]\n\n# A\n\n### B & C\n\n## D\n\n# E\n\n[TOC]\n');
    expect(page).toContain(
      '<ul class="section-nav"><li><a href="#a">A</a><ul><li><a href="#b--c">B &amp; C</a></li></ul><ul><li><a href="#d">D</a></li></ul></li><li><a href="#e">E</a></li></ul>',
    );
    expect(page.match(/section-nav/g)).toHaveLength(1);
    expect(html('[TOC] here')).toContain('[TOC] here');
  });

  test('footnotes are numbered in the order of the text, with a way back for each reference; unknown ones stay text', () => {
    const page = html('One[^b], two[^a], one[^b], none[^c].\n\n[^a]: A\n[^b]: B *x*\n');
    expect(page.match(/href="#fn-\w"/g)).toEqual(['href="#fn-b"', 'href="#fn-a"', 'href="#fn-b"']);
    expect(page).toContain('<sup class="footnote-ref"><a href="#fn-b" id="fnref-b" data-footnote-ref>1</a></sup>');
    expect(page).toContain(
      '<section class="footnotes" data-footnotes><ol>\n<li id="fn-b"><p>B <em>x</em> <a href="#fnref-b"',
    );
    expect(page).toContain(
      '<a href="#fnref-b-2" class="footnote-backref" data-footnote-backref aria-label="Back to reference 1-2">↩<sup>2</sup></a></p>',
    );
    expect(page).toContain('none[^c]');
    // Footnotes that refer to each other end.
    expect(html('[^1]\n\n[^1]: see [^2]\n\n[^2]: see [^1]').match(/<li /g)).toHaveLength(2);
    expect(html('x[^1]\n\n[^1]: first\n\n    second\n\nafter')).toMatch(/<p>first<\/p>\n<p>second .*<\/li>/s);
  });

  test('formulas are marked, prices are not', () => {
    const inline = (text: string) => `<code class="code math js-render-math" data-math-style="inline">${text}</code>`;
    const display = '<pre class="code math js-render-math" data-math-style="display"><code>x</code></pre>';
    expect(html('$a<b$')).toContain(inline('a&lt;b'));
    expect(html('$`x`$ and $$y$$')).toBe(`<p>${inline('x')} and ${inline('y')}</p>\n`);
    expect(html('$$\nx\n$$')).toContain(display);
    expect(html('```math\nx\n```')).toContain(display);
    for (const text of ['costs $5 and $6', 'a $ b $ c', '\\$x\\$', '`$x$`', '$5 to 6$7'])
      expect(html(text)).not.toContain('math');
  });

  test('alerts have their kind and title', () => {
    expect(html('> [!NOTE]\n> Read *this*.\n>\n> And this.\n\nAfter')).toBe(
      '<div class="markdown-alert markdown-alert-note">\n<p class="markdown-alert-title">Note</p>\n<p>Read <em>this</em>.</p>\n<p>And this.</p>\n</div>\n<p>After</p>\n',
    );
    expect(html('> [!warning] Data <loss>\n> Gone.')).toContain(
      '<div class="markdown-alert markdown-alert-warning">\n<p class="markdown-alert-title">Data &lt;loss&gt;</p>\n<p>Gone.</p>',
    );
    for (const kind of ['tip', 'important', 'caution'])
      expect(html(`> [!${kind}]\n> x`)).toContain(`markdown-alert-${kind}`);
    for (const text of ['> [!nothing]\n> x', '> text [!NOTE]', '[!NOTE]\n\n> x'])
      expect([text, html(text)]).toEqual([text, expect.not.stringContaining('alert')]);
    expect(html('>>> [!tip] Long\na\n\n> b\n>>>\n\nc')).toMatch(
      /alert-tip">\n<p class="markdown-alert-title">Long<\/p>\n<p>a<\/p>\n<blockquote>\n<p>b<\/p>\n<\/blockquote>\n<\/div>\n<p>c/,
    );
    expect(html('>>>\na\n\nb\n>>>')).toBe('<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>\n');
    expect(html(`- a\n\n  > [!NOTE]\n  > in a list\n`)).toContain('markdown-alert-note');
  });

  test('task lists are marked, also what is not to be done', () => {
    const page = html('- [x] done\n- [ ] **open**\n  - [ ] below\n- [~] never *this*\n- none\n');
    expect(page).toContain(
      '<ul class="task-list">\n<li class="task-list-item"><input type="checkbox" class="task-list-item-checkbox" disabled checked> done</li>',
    );
    expect(page).toMatch(/disabled> <strong>open<\/strong>\s*<ul class="task-list">/);
    expect(page).toContain(
      '<li class="inapplicable task-list-item"><input type="checkbox" class="task-list-item-checkbox" data-inapplicable disabled> <s class="inapplicable">never <em>this</em></s></li>',
    );
    expect(page).toContain('<li>none</li>');
    expect(html('2. [x] a')).toContain('<ol class="task-list" start="2">');
    expect(html('- a')).toBe('<ul>\n<li>a</li>\n</ul>\n');
  });

  test('emoji that are known, and metadata before the text', () => {
    expect(html(':tada: :constructor: 10:30:20')).toContain('🎉 :constructor: 10:30:20');
    expect(html(':jigsaw: :flag_de: :wave_tone3: :v_tone1: :rocket_tone1: :man_technologist_tone5:')).toContain(
      '🧩 🇩🇪 👋🏽 ✌🏻 :rocket_tone1: 👨🏿‍💻',
    );
    expect(html('---\ntitle: A <b>\n---\n# B')).toBe(
      '<pre><code class="language-yaml">title: A &lt;b&gt;\n</code></pre>\n<h1 id="b">B</h1>\n',
    );
  });

  test('titles have emoji and nothing else', () => {
    expect(markdownToHtml('# **A** <b> :tada:', 'line')).toBe('# **A** &lt;b&gt; 🎉');
  });

  test('plain Markdown has none of that', () => {
    expect(markdownToHtml('# A :tada: $x$\n\n> [!NOTE]\n> b', 'plain')).toBe(
      '<h1>A :tada: $x$</h1>\n<blockquote>\n<p>[!NOTE]\nb</p>\n</blockquote>\n',
    );
  });

  test('what is long ends in time', () => {
    const begun = process.cpuUsage();
    for (const text of [
      '$'.repeat(20_000),
      '[^'.repeat(10_000),
      ':a'.repeat(20_000),
      '$`'.repeat(10_000),
      '$$\n'.repeat(10_000),
      '>>>\n'.repeat(5000),
      '> [!note]\n'.repeat(2000),
      `${'> '.repeat(100)}[!note]\n`.repeat(10),
      `${'[TOC]\n\n'.repeat(200)}${'# a\n'.repeat(200)}`,
    ])
      html(text);
    expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(5);
  });
});
