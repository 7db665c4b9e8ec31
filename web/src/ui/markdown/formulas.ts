/** Formulas of documents as MathML. The library is fetched by the first page that has one. */
import DOMPurify from 'dompurify';
import { type DocumentOwner, formulasLimited } from '../../lib/markdown/formula-limits.ts';

const mostFormulas = 200;
const mostLetters = 2_000;
/** No macro that grows without end, no rule wider than the page. */
const bounds = { maxExpand: 200, maxSize: [20, 20] as [number, number] };
/** Where authors are trusted; a macro that calls itself still ends. */
const boundless = { maxExpand: 100_000 };

export async function drawFormulas(root: HTMLElement, owner: DocumentOwner | null, signal: AbortSignal): Promise<void> {
  const all = [...root.querySelectorAll<HTMLElement>('[data-math-style]')];
  if (all.length === 0) return;
  const limited = await formulasLimited(owner);
  const found = limited
    ? all.filter((formula) => formula.textContent.length <= mostLetters).slice(0, mostFormulas)
    : all;
  if (found.length === 0 || signal.aborted) return;
  const { default: temml } = await import('temml');
  if (signal.aborted) return;
  for (const formula of found) {
    const displayed = formula.dataset.mathStyle === 'display';
    let markup: string;
    try {
      // Neither links nor pictures, whoever is trusted.
      const options = { displayMode: displayed, throwOnError: true, trust: false, ...(limited ? bounds : boundless) };
      markup = temml.renderToString(formula.textContent, options);
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
    formula.replaceWith(drawn);
  }
}
