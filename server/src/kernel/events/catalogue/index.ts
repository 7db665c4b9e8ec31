/** Every kind of fact that the product records. Tests check what is stored against it. */
import type { FactDefinition } from '../fact.ts';
import { adminFacts } from './admin.ts';
import { ciFacts } from './ci.ts';
import { collaborationFacts } from './collaboration.ts';
import { deliveryFacts } from './delivery.ts';
import { identityFacts } from './identity.ts';
import { namespaceFacts } from './namespaces.ts';
import { planningFacts } from './planning.ts';
import { repositoryFacts } from './repository.ts';
import { reviewFacts } from './review.ts';
import { securityFacts } from './security.ts';

export * from './admin.ts';
export * from './ci.ts';
export * from './collaboration.ts';
export * from './delivery.ts';
export * from './identity.ts';
export * from './namespaces.ts';
export * from './planning.ts';
export * from './repository.ts';
export * from './review.ts';
export * from './security.ts';

const definitions: readonly FactDefinition[] = [
  ...identityFacts,
  ...namespaceFacts,
  ...collaborationFacts,
  ...repositoryFacts,
  ...ciFacts,
  ...reviewFacts,
  ...planningFacts,
  ...deliveryFacts,
  ...securityFacts,
  ...adminFacts,
];

/** By kind. */
export const catalogue: ReadonlyMap<string, FactDefinition> = new Map(definitions.map((each) => [each.kind, each]));
