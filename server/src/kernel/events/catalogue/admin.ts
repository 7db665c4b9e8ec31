/** Facts about the instance. */
import Type from 'typebox';
import { defineFact, nullable, payload } from '../fact.ts';

export const settingsChanged = defineFact(
  'settings.changed',
  payload({ actor_id: nullable(Type.Integer()), names: Type.Array(Type.String()) }),
);

export const adminFacts = [settingsChanged] as const;
