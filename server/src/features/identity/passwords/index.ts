/** Passwords: hashing and checking, bounded. */
export { createPasswords, longestPassword, type Passwords } from './passwords.ts';
