/** Formulas of documents as MathML. The library is fetched by the first page that has one. */
import DOMPurify from 'dompurify';

const mostFormulas = 200;
const mostLetters = 2_000;

export async function drawFormulas(root: HTMLElement, signal: AbortSignal): Promise<void> {
  const found = [...root.querySelectorAll<HTMLElement>('code.formula, pre > code.language-math')]
    .filter((code) => code.textContent.length <= mostLetters)
    .slice(0, mostFormulas);
  if (found.length === 0) return;
  const { default: temml } = await import('temml');
  if (signal.aborted) return;
  for (const code of found) {
    const displayed = code.parentElement?.tagName === 'PRE';
    let markup: string;
    try {
      // Neither links nor pictures, no macro that grows without end, no rule wider than the page.
      const limits = { trust: false, maxExpand: 200, maxSize: [20, 20] as [number, number] };
      markup = temml.renderToString(code.textContent, { displayMode: displayed, throwOnError: true, ...limits });
    } catch {
      // What is no formula stays as it is written.
      continue;
    }
    const drawn = DOMPurify.sanitize(markup, {
      RETURN_DOM_FRAGMENT: true,
      USE_PROFILES: { mathMl: true },
      ALLOW_DATA_ATTR: false,
      FORBID_ATTR: ['class', 'id', 'href', 'xlink:href', 'actiontype'],
    });
    const place = displayed ? code.parentElement : code;
    place?.replaceWith(drawn);
  }
}
