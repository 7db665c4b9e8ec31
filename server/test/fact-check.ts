/** Facts that a test recorded are as the catalogue declares them. */
import Value from 'typebox/value';
import type { Db } from '../src/kernel/db/index.ts';
import { catalogue } from '../src/kernel/events/index.ts';

/** What is wrong with the first fact that is not as declared; null where all are. */
export async function undeclaredFact(db: Db): Promise<string | null> {
  for (const { kind, payload } of await db.selectFrom('facts').select(['kind', 'payload']).execute()) {
    const definition = catalogue.get(kind);
    if (!definition) return `facts of kind ${kind} are not in kernel/events/catalogue`;
    if (Value.Check(definition.payload, payload)) continue;
    const [first] = Value.Errors(definition.payload, payload);
    return `the payload of a fact ${kind} is not as declared: ${JSON.stringify(first)} in ${JSON.stringify(payload)}`;
  }
  return null;
}
