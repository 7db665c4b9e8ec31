/** Whom texts name, and who else follows what they are of. */
export { type About, type Audience, audience, mentionTodos, type Reader } from './mentions.ts';
