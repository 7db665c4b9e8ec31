/** Changes that every process has to hear of. */
export { announceChange, identityChannel } from './changes.queries.ts';
