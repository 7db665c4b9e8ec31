/** Letters to the people behind accounts. */
export * as letters from './mail-templates.ts';
