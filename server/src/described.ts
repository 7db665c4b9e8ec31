/** The routes without an instance: features composed with dependencies that are never used, for generated documents. */
import { composeFeatures } from './compose.ts';
import type { FeatureKernels } from './composition.ts';
import { openApiDocument } from './kernel/http/openapi/document.ts';
import type { Examples } from './kernel/http/openapi/operations.ts';
import type { Route } from './kernel/http/route.ts';
import { compatibleVersion } from './kernel/names.ts';

/** Stands for anything: its properties and results are itself. Declaring routes looks at nothing behind it. */
function nothing(): never {
  const target = () => undefined;
  const stand: unknown = new Proxy(target, {
    get: (_target, key) => {
      if (key === 'then') return undefined;
      return key === Symbol.toPrimitive ? () => '' : stand;
    },
    apply: () => stand,
  });
  return stand as never;
}

/** Every declared route of the product. */
export function declaredRoutes(): readonly Route[] {
  const kernels: FeatureKernels = nothing();
  return composeFeatures(kernels).features.flatMap(({ routes }) => routes);
}

/** The OpenAPI document of all routes. */
export const openApi = (examples: Examples = {}) =>
  openApiDocument(declaredRoutes(), { version: compatibleVersion, examples });
