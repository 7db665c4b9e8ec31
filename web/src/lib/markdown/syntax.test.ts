/** What documents may say beyond GitHub's Markdown, before it is sanitised. */
import { describe, expect, test } from 'vitest';
import { markdownToHtml, slugOf } from './syntax.ts';

describe('documents', () => {
  test('headings have the words of their address, each its own', () => {
    expect(slugOf('What’s *new* in 2.0?')).toBe('whats-new-in-20');
    const html = markdownToHtml('# Same\n\n## Same\n\n## `code` & <b>more</b>');
    expect(html).toContain('<h1 id="same">');
    expect(html).toContain('<h2 id="same-1">');
    expect(html).toContain('<h2 id="code--more">');
    expect(markdownToHtml('# "><script>')).not.toContain('id="">');
  });

  test('notes are numbered as they are asked for; unknown ones stay text', () => {
    const html = markdownToHtml('One[^b], two[^a], one[^b], none[^c].\n\n[^a]: A\n[^b]: B *x*\n');
    expect(html.match(/href="#fn-\d"/g)).toEqual(['href="#fn-1"', 'href="#fn-2"', 'href="#fn-1"']);
    expect(html).toMatch(/<li id="fn-1"><p>B <em>x<\/em> <a href="#fnref-1"/);
    expect(html).toContain('none[^c]');
    // Notes that ask for each other end.
    expect(markdownToHtml('[^1]\n\n[^1]: see [^2]\n\n[^2]: see [^1]').match(/<li /g)).toHaveLength(2);
  });

  test('formulas are marked, prices are not', () => {
    expect(markdownToHtml('$a<b$')).toContain('<code class="formula">a&lt;b</code>');
    expect(markdownToHtml('$`x`$')).toContain('<code class="formula">x</code>');
    expect(markdownToHtml('$$\nx\n$$')).toContain('<pre><code class="language-math">x</code></pre>');
    for (const text of ['costs $5 and $6', 'a $ b $ c', '\\$x\\$', '`$x$`', '$5 to 6$7'])
      expect(markdownToHtml(text)).not.toContain('formula');
  });

  test('emoji that are known', () => {
    expect(markdownToHtml(':tada: :constructor: 10:30:20')).toContain('🎉 :constructor: 10:30:20');
  });

  test('what is nested deeper than a stack, or long, ends in time', () => {
    const begun = process.cpuUsage();
    for (const text of [
      '$'.repeat(50_000),
      '[^'.repeat(20_000),
      ':a'.repeat(50_000),
      '$`'.repeat(20_000),
      '$$\n'.repeat(20_000),
    ])
      markdownToHtml(text);
    expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(5);
  });
});
