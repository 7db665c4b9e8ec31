/** Whom texts name, and who else follows what they are of. */
export { membersOf } from './mentions.queries.ts';
export { type About, type Audience, audience, mentionTodos, type Reader } from './mentions.ts';
