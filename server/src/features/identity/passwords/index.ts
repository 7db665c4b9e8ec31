/** Passwords: hashing and checking, bounded. */
export { createPasswords, longestPassword, type Passwords, TooManyPasswordChecks } from './passwords.ts';
