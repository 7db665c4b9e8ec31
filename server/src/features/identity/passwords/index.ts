/** Passwords: hashing and checking, bounded; those that anybody would guess. */
export { isCommonPassword } from './common.ts';
export { createPasswords, longestPassword, type Passwords } from './passwords.ts';
