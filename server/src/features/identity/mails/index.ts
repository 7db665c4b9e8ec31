/** Letters to the people behind accounts. */
export * as letters from './letters.ts';
