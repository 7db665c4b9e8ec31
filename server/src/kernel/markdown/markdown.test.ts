/** Rendering by the thread, its budget, and what is put in for each reader. */
import { inflateSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { anonymous } from '../authz/subjects.ts';
import { defaultSettings } from '../settings/index.ts';
import { createMarkdown, type ReferenceKind } from './index.ts';
import { createRenderPool } from './pool.ts';

const log = pino({ level: 'silent' });
const externalUrl = 'https://millrace.example';
const users: ReferenceKind = {
  kind: 'user',
  within: 'instance',
  find: async (values) =>
    new Map(
      values.flatMap((name) => (name === 'ada' ? [[name, { path: '/ada', title: 'Ada "L" <x>' }] as const] : [])),
    ),
};
const asked: string[] = [];
const requests: ReferenceKind = {
  kind: 'merge_request',
  within: 'project',
  find: async (values) => {
    asked.push(...values);
    return new Map();
  },
};
const settings = { ...defaultSettings };
const markdown = createMarkdown({
  settings: { read: async () => settings },
  externalUrl,
  images: { addresses: async () => (url) => (url.includes('long') ? null : `/-/images/s/${url.length}`) },
  parents: () => ({ project: async () => null, group: async () => null }),
  log,
});
markdown.knows([users, requests]);
afterAll(() => markdown.close());
const html = (text: string, more = {}) => markdown.html(text, { caller: anonymous, base: null, ...more });

it('links name what exists, images from elsewhere come through the proxy', async () => {
  expect(await html('Hello @ada and @nobody!')).toBe(
    '<p>Hello <a href="/ada" title="Ada &quot;L&quot; &lt;x&gt;" class="gfm gfm-user" data-reference-type="user">@ada</a> and @nobody!</p>\n',
  );
  expect(await html('@ada', { absolute: true })).toContain(`href="${externalUrl}/ada"`);
  expect(await html('@ada', { flavour: 'plain' })).toBe('<p>@ada</p>\n');
  expect(await html('[![b](https://x.example/b.svg "t")](https://x.example)')).toBe(
    '<p><a href="https://x.example" rel="nofollow noopener noreferrer"><img src="/-/images/s/23" alt="b" title="t" loading="lazy" data-canonical-src="https://x.example/b.svg"></a></p>\n',
  );
  expect(await html('![](https://x.example/b.svg)', { absolute: true })).toContain(
    `src="${externalUrl}/-/images/s/23"`,
  );
  expect(await html('![b](https://x.example/long.svg)')).toBe(
    '<p><a href="https://x.example/long.svg" rel="nofollow noopener noreferrer">b</a></p>\n',
  );
  expect(await html('')).toBe('');
});

it('security 17: nothing is looked for in a project that the reader may not see', async () => {
  expect(await html('hidden/project!1')).toBe('<p>hidden/project!1</p>\n');
  expect(asked).toEqual([]);
});

it('diagrams of PlantUML and Kroki are pictures of the servers that the settings name, and code without them', async () => {
  const uml = '```plantuml\nBob -> Alice : hello\n```';
  const source = /data-canonical-src="([^"]+)"/;
  const shown = async (text: string) => source.exec(await html(text))?.[1] ?? null;
  const block = (language: string) => `\`\`\`${language}\na\n\`\`\``;
  expect(await html(uml)).toBe('<pre><code class="language-plantuml">Bob -&gt; Alice : hello\n</code></pre>\n');
  Object.assign(settings, { umlrenderer_enabled: true, umlrenderer_url: 'https://plantuml.example/' });
  // The example of the documentation of PlantUML.
  expect(await shown(uml)).toBe('https://plantuml.example/png/SyfFKj2rKt3CoKnELR1Io4ZDoSa70000');
  expect(await html(uml)).toContain('<img src="/-/images/s/');
  expect(await shown(block('dot'))).toBeNull();
  Object.assign(settings, { diagramrenderer_enabled: true, diagramrenderer_url: 'https://kroki.example' });
  const dot = (await shown(block('dot'))) ?? '';
  expect(dot).toMatch(/^https:\/\/kroki\.example\/dot\/svg\//);
  expect(inflateSync(Buffer.from(dot.split('/').at(-1) ?? '', 'base64url')).toString()).toBe('a');
  expect(await shown(uml)).toContain('plantuml.example');
  expect(await shown(block('bpmn'))).toBeNull();
  Object.assign(settings, { diagramrenderer_formats: { bpmn: true, blockdiag: true }, umlrenderer_enabled: false });
  expect(await shown(block('bpmn'))).toContain('kroki.example/bpmn/svg/');
  expect(await shown(block('seqdiag'))).toContain('kroki.example/seqdiag/svg/');
  expect(await shown(uml)).toContain('kroki.example/plantuml/svg/');
  // Mermaid is drawn by the page, and what is too long for an address stays code.
  expect(await shown(block('mermaid'))).toBeNull();
  const long = Array.from({ length: 3000 }, (_, index) => Math.imul(index, 2654435761).toString(36)).join('');
  expect(await html(`\`\`\`dot\n${long}\n\`\`\``)).toContain('<pre><code class="language-dot">');
});

it('security 10: a document that takes too long is shown as it is written, and the next one is rendered', async () => {
  const pool = createRenderPool(log, 300);
  const options = { base: null, externalUrl, absolute: false, flavour: 'full' } as const;
  const slow = `${'*a _b '.repeat(60_000)}`;
  const begun = performance.now();
  const both = await Promise.all([
    pool.render({ ...options, text: slow }),
    pool.render({ ...options, text: '**fine**' }),
  ]);
  expect(both).toEqual([null, ['<p><strong>fine</strong></p>\n']]);
  expect(performance.now() - begun).toBeLessThan(20_000);
  await pool.close();
  expect(await html(`# ${'x'.repeat(600_000)}<b>`)).toMatch(/^<pre># x+&lt;b&gt;<\/pre>$/);
  expect(await html(`${'>'.repeat(5000)} deep <b>`)).toMatch(/deep /);
});
