/** Facts about vulnerabilities. */
import Type from 'typebox';
import { defineFacts, payload } from '../fact.ts';

/** A vulnerability is made of a finding, or gets another state. */
export const vulnerabilityFacts = defineFacts(
  'vulnerability',
  ['created', 'updated'],
  payload({ vulnerability_id: Type.Integer() }),
);

export const securityFacts = Object.values(vulnerabilityFacts);
