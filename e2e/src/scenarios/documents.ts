/** Documents of repositories in a real browser: what Markdown becomes, and what it must never do. Slow: diagrams are drawn. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { counted, holds, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'scriptorium/quill';
const id = encodeURIComponent(project);
const fence = '```';

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="24" onload="top.stolen=1"><script>top.stolen=1</script><rect width="80" height="24" fill="teal"/></svg>';

/** The first characters of an id of a commit: digits alone would be a number. */
const short = (sha: string, length: number) => sha.slice(0, Math.max(length, sha.search(/[a-f]/) + 1));

const readme = (sha: string) => `# Quill & ink

<p align="center"><img src="art/logo.svg" alt="Logo" width="80"></p>

See [the guide](docs/guide.md#Sharpen-it), [below](#second-part) and [the folder](docs/). :tada: :no_such_thing:

## Second part

- [x] a feather
- [ ] a knife
- [~] a typewriter

> [!WARNING]
> Ink *stains*.

> [!tip] Sharpen often
> Every page.

| Ink | Days |
| --- | ---: |
| Oak | 12 |

Written by @root in ${short(sha, 10)} for !1, not by @nobody-there in 0123456789a for !99 or mail@root.
Elsewhere: ${project}!1 and ${project}@${short(sha, 8)}.[^why]

[^why]: Because *quills* wear.

It costs $5 or $6; the area is $\`\\pi r^2\`$ and $a_1 + b$.

${fence}math
\\frac{1}{2} \\sum_{n=1}^{9} n
${fence}

${fence}ts
export const sharp: boolean = true;
${fence}

${fence}mermaid
graph TD
  A[Feather] -->|cut| B[Quill]
${fence}

${fence}mermaid
graph TD
  this is --- no [ diagram
${fence}

<details><summary>More</summary>

H<sub>2</sub>O and <kbd>Ctrl</kbd>

</details>
`;

/** Each of these would act in a page that trusts its documents. */
const attacks = [
  '<script>top.stolen = 1</script>',
  '<img src=x onerror="top.stolen=1">',
  '<img src="http://127.0.0.1:9/pixel.png" srcset="http://127.0.0.1:9/2x.png 2x">',
  '![pixel](http://127.0.0.1:9/markdown.png)',
  '<a href="javascript:top.stolen=1">a</a> [b](javascript:top.stolen=1) [c](jAvAsCrIpT&colon;top.stolen=1)',
  '<a href="java&#10;script:top.stolen=1">d</a> [e](data:text/html,<script>top.stolen=1</script>) [f](vbscript:x)',
  '<iframe src="javascript:top.stolen=1"></iframe><iframe srcdoc="<script>top.stolen=1</script>"></iframe>',
  '<svg onload="top.stolen=1"><script>top.stolen=1</script><use href="data:image/svg+xml,x"/></svg>',
  '<svg><style><img src=x onerror="top.stolen=1"></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=top.stolen=1&gt;">',
  '<math><a xlink:href="javascript:top.stolen=1">g</a><maction actiontype="statusline" href="javascript:1">h</maction></math>',
  '<style>body { display: none } @import "http://127.0.0.1:9/x.css";</style>',
  '<div style="position: fixed; inset: 0; background: url(http://127.0.0.1:9/s)">cover</div>',
  '<div class="mantine-Modal-overlay mantine-Overlay-root cover">class</div>',
  '<form action="http://127.0.0.1:9/"><input name="password" type="password" autofocus><button>Sign in</button></form>',
  '<input type="image" src="http://127.0.0.1:9/i.png"><select><option>o</option></select><textarea>t</textarea>',
  '<a id="root" name="cookie">clobber</a><img id="location" name="body"><div id="constructor"></div>',
  '<object data="javascript:top.stolen=1"></object><embed src="javascript:top.stolen=1"><base href="http://127.0.0.1:9/">',
  '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/"><link rel="stylesheet" href="http://127.0.0.1:9/l.css">',
  '<video src="http://127.0.0.1:9/v" autoplay onplay="top.stolen=1"></video><audio src="http://127.0.0.1:9/a"></audio>',
  '<div popover id="p">popover</div><div contenteditable tabindex="5" accesskey="x" draggable="true">edit</div>',
  '<template><script>top.stolen=1</script></template><noscript><p title="</noscript><img src=x onerror=top.stolen=1>">',
  '<details open ontoggle="top.stolen=1"><summary>s</summary></details><body onload="top.stolen=1">',
  '$\\href{javascript:top.stolen=1}{x}$ $\\includegraphics{http://127.0.0.1:9/m.png}$ $`\\unicode{<img src=x onerror=top.stolen=1>}`$',
  `${fence}mermaid\n%%{init: {"securityLevel": "loose", "htmlLabels": true}}%%\ngraph TD\n  A["<img src=x onerror='parent.stolen=1;top.stolen=1'>"] --> B\n  click A "javascript:top.stolen=1"\n${fence}`,
  `${'>'.repeat(3000)} deep`,
  `[^loop] [^loop2]\n\n[^loop]: see [^loop2]\n\n[^loop2]: see [^loop]`,
];

async function populated(call: Api): Promise<void> {
  const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Scriptorium', path: 'scriptorium' });
  await call.expect(201, 'POST', '/projects', { name: 'Quill', namespace_id: group.id, initialize_with_readme: true });
  const commit = (branch: string, actions: object[], start?: string) =>
    call.expect<{ id: string }>(201, 'POST', `/projects/${id}/repository/commits`, {
      ...{ branch, commit_message: 'Write', actions },
      ...(start ? { start_branch: start } : {}),
    });
  const file = (file_path: string, content: string) => ({ action: 'create', file_path, content });
  const first = await commit('main', [
    file('docs/guide.md', '# Guide\n\n## Sharpen it\n\n[Up](../README.md)\n'),
    file('art/logo.svg', drawing),
    file('plain/README.rst', 'Title\n=====\n\n<b>text</b>\n'),
    file('long.md', `$$\n${'a + '.repeat(600)}a\n$$\n\nThe end.\n`),
    ...attacks.map((text, at) => file(`attacks/${at}.md`, `${text}\n\nThe end.\n`)),
  ]);
  await commit('change', [file('new.txt', 'new\n')], 'main');
  const request = { source_branch: 'change', target_branch: 'main', title: 'A new nib' };
  await call.expect(201, 'POST', `/projects/${id}/merge_requests`, request);
  await commit('main', [{ action: 'update', file_path: 'README.md', content: readme(first.id) }]);
}

async function rendering(suite: Suite, page: Page, problems: () => string[]): Promise<void> {
  const body = page.getByRole('region', { name: 'README.md' });
  await suite.step('a README has its pictures, anchors, notes, formulas, colours and a diagram', async () => {
    await page.goto(`/${project}`);
    await body.getByRole('heading', { name: 'Quill & ink', exact: true }).waitFor();
    const hrefs = async (name: string) => await body.getByRole('link', { name, exact: true }).getAttribute('href');
    assert.equal(await hrefs('the guide'), `/${project}/-/blob/main/docs/guide.md#Sharpen-it`);
    assert.equal(await hrefs('the folder'), `/${project}/-/tree/main/docs`);
    const logo = body.getByRole('img', { name: 'Logo' });
    await holds(page, 'document.querySelector(\'img[alt="Logo"]\').naturalWidth === 80');
    assert.equal(await logo.getAttribute('src'), `/${project}/-/raw/main/art/logo.svg`);
    await counted(body.getByText('🎉 :no_such_thing:'), 1);
    await counted(body.getByRole('checkbox', { checked: true, disabled: true }), 1);
    await counted(body.locator('s').getByText('a typewriter'), 1);
    await counted(body.getByText('Warning', { exact: true }), 1);
    await counted(body.getByText('Sharpen often', { exact: true }), 1);
    const border = (kind: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('.markdown-alert-${kind}')).borderLeftColor`);
    assert.notEqual(await border('warning'), await border('tip'));
    assert.equal(await body.locator('sup a').getAttribute('href'), '#fn-why');
    await body.locator('math msup').first().waitFor();
    await body.locator('math[display="block"] mfrac').waitFor();
    await counted(body.getByText('It costs $5 or $6; the area is'), 1);
    await body.locator('code.language-ts span').first().waitFor();
    await body.getByText('More', { exact: true }).click();
    await body.locator('kbd').waitFor();
    const diagram = page.frameLocator('iframe[title="Diagram"]').first();
    await body.locator('iframe[title="Diagram"]').first().scrollIntoViewIfNeeded();
    await diagram.getByText('Feather').waitFor();
    await body.locator('iframe[data-waiting]').first().waitFor({ state: 'detached' });
    await body.getByText('The diagram cannot be drawn').waitFor();
    await look(page, 'readme-diagram');
  });
  await suite.step('names of requests, commits and people lead there when they exist', async () => {
    for (const [name, address] of [
      ['!1', `/${project}/-/merge_requests/1`],
      ['@root', '/root'],
      [`${project}!1`, `/${project}/-/merge_requests/1`],
    ] as const)
      assert.equal(await body.getByRole('link', { name, exact: true }).getAttribute('href'), address);
    const commits = body.locator(`a[href^="/${project}/-/commit/"][title="Write"]`);
    await commits.nth(1).waitFor();
    await counted(commits, 2);
    assert.equal(await body.getByRole('link', { name: /nobody|!99|0123456789a/ }).count(), 0);
    await counted(body.locator('a[href="mailto:mail@root"], a:has-text("@root")'), 1);
    await look(page, 'readme');
    // What was looked for and is not there is no fault of the page.
    const found = problems().filter((text) => !text.includes('404'));
    assert.deepEqual(found, []);
  });
  await suite.step('anchors of headings open where they point', async () => {
    await body.getByRole('link', { name: 'below', exact: true }).click();
    await page.waitForURL(/#second-part$/);
    await counted(page.locator('#user-content-second-part'), 1);
    await page.goto(`/${project}/-/blob/main/docs/guide.md#sharpen-it`);
    await page.getByRole('heading', { name: 'Sharpen it', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Up', exact: true }).click();
    await page.waitForURL(/blob\/main\/README\.md$/);
    await page.goto(`/${project}/-/tree/main/plain`);
    await page.getByRole('region', { name: 'README.rst' }).getByText('<b>text</b>').waitFor();
  });
}

/** What must not be in a document, by the names of elements and attributes. */
const forbidden = String.raw`(root) => {
  const found = [];
  const tags = /^(script|style|form|button|select|textarea|object|embed|base|meta|link|video|audio|svg|template)$/;
  for (const element of root.querySelectorAll('*')) {
    const tag = element.localName;
    const ours = element.closest('figure, math') !== null;
    if (tags.test(tag)) found.push(tag);
    if (tag === 'iframe' && element.getAttribute('sandbox') !== 'allow-scripts') found.push('iframe');
    if (tag === 'input' && element.getAttribute('type') !== 'checkbox') found.push('input');
    for (const { name, value } of element.attributes) {
      const told = tag + ' ' + name + '=' + value;
      if (/^on|^(srcset|popover|contenteditable|accesskey|formaction|action|xlink:href)$/.test(name)) found.push(told);
      if (name === 'style' && !ours) found.push(told);
      if ((name === 'id' || name === 'name') && !value.startsWith('user-content-')) found.push(told);
      if (/^(href|src)$/.test(name) && /^\s*(java\s*script|vbscript|data:text)/i.test(value)) found.push(told);
      if (name === 'class' && !ours && /mantine|cover/.test(value)) found.push(told);
      if (name === 'tabindex' && Number(value) > 0) found.push(told);
    }
  }
  return found;
}`;

/** What a script in the frame of a diagram could do. */
const frameCan = `async () => {
  const can = [];
  const attempt = async (name, run) => {
    try {
      await run();
      can.push(name);
    } catch {
      // As it must be.
    }
  };
  await attempt('read the page', () => parent.document.title);
  await attempt('store', () => localStorage.length);
  await attempt('read cookies', () => document.cookie);
  await attempt('fetch', () => fetch('/api/v4/version'));
  return can;
}`;

async function defence(suite: Suite, page: Page): Promise<void> {
  await suite.step('no document acts: nothing runs, nothing is fetched, nothing covers the page', async () => {
    const acted: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('127.0.0.1:9/')) acted.push(request.url());
    });
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => acted.push(`dialog ${dialog.message()}`)));
    for (const at of attacks.keys()) {
      await page.goto(`/${project}/-/blob/main/attacks/${at}.md`);
      const body = page.locator('[class*=readmeBody] > div');
      await body.waitFor({ state: 'attached' });
      if (attacks[at]?.includes('mermaid')) {
        await body.locator('iframe[title="Diagram"]').waitFor({ state: 'attached' });
        await body.locator('iframe[data-waiting]').waitFor({ state: 'detached' });
        const frame = await (await body.locator('iframe').elementHandle())?.contentFrame();
        assert.deepEqual(await frame?.evaluate(`(${frameCan})()`), []);
      }
      assert.deepEqual(
        await page.evaluate(`(${forbidden})(document.querySelector('[class*=readmeBody] > div'))`),
        [],
        attacks[at],
      );
      assert.equal(await page.evaluate('window.stolen'), undefined, attacks[at]);
      assert.deepEqual(acted, [], attacks[at]);
    }
  });
}

async function formulas(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step(
    'long formulas stay as they are written until the group or the instance trusts its authors',
    async () => {
      const body = page.locator('[class*=readmeBody] > div');
      const drawn = async (expected: boolean) => {
        await page.goto(`/${project}/-/blob/main/long.md`);
        await body.getByText('The end.').waitFor();
        await body.locator(expected ? 'math[display="block"]' : 'pre[data-math-style="display"]').waitFor();
        // What is drawn comes later; both are never there.
        await page.waitForLoadState('networkidle');
        await counted(body.locator('math'), expected ? 1 : 0);
      };
      const group = (json: object) => call.expect(200, 'PUT', '/groups/scriptorium', json);
      await drawn(false);
      await group({ math_rendering_limits_enabled: false });
      await drawn(true);
      await call.expect(200, 'PUT', '/application/settings', { lock_math_rendering_limits_enabled: true });
      await drawn(false);
      await call.expect(200, 'PUT', '/application/settings', { lock_math_rendering_limits_enabled: false });
      await group({ math_rendering_limits_enabled: true });
      await drawn(false);
    },
  );
}

export async function documentsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await populated(call);
    await withBrowser(async (browser) => {
      for (const dark of [false, true]) {
        const person = await openWindow(browser, instance.url, { dark, ...(dark ? { width: 390 } : {}) });
        await signIn(person.page, { login: 'root', password: rootPassword });
        if (dark)
          await suite.step('a README is readable in dark mode on a telephone', async () => {
            await person.page.goto(`/${project}`);
            const frame = person.page.locator('iframe[title="Diagram"]').first();
            // Diagrams are drawn where they are looked at; what stands for one until then goes away at any moment.
            await person.page.locator('math[display="block"]').first().scrollIntoViewIfNeeded();
            await person.page.frameLocator('iframe[title="Diagram"]').first().getByText('Feather').waitFor();
            await frame.scrollIntoViewIfNeeded();
            await look(person.page, 'readme-dark-390');
            assert.equal(await person.page.evaluate('document.documentElement.scrollWidth'), 390);
          });
        else {
          await rendering(suite, person.page, person.problems);
          await defence(suite, person.page);
          await formulas(suite, person.page, call);
        }
        await person.close();
      }
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
