/** What a component asks for, read from its file alone. */
import { CompileFailure, collectProblems, type Located, located } from '../diagnostics.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import { mergeBudget } from '../yaml/tree.ts';
import { declaredInputs, type InputDeclaration } from './declarations.ts';
import { parseFile } from './file.ts';

export type ComponentInputs =
  | { readonly ok: true; readonly inputs: readonly InputDeclaration[] }
  | { readonly ok: false; readonly errors: readonly Located[] };

/** The inputs that the header of a component declares, or what is wrong with the file. */
export function componentInputs(path: string, content: string, limits: Limits = DEFAULT_LIMITS): ComponentInputs {
  const problems = collectProblems();
  const context = { limits, problems, budget: mergeBudget(limits) };
  try {
    const file = parseFile(path, content, context);
    if (file.include)
      return {
        ok: false,
        errors: [located(file.include.mark, 'header:spec:include cannot be used in a component')],
      };
    if (file.root === null) return { ok: false, errors: [located({ file: path, line: 1, column: 1 }, 'is empty')] };
    const inputs = declaredInputs(file, new Map(), { problems: collectProblems(), limits });
    return problems.errors.length > 0 ? { ok: false, errors: problems.errors } : { ok: true, inputs };
  } catch (error) {
    if (!(error instanceof CompileFailure)) throw error;
    return { ok: false, errors: [error.located] };
  }
}
