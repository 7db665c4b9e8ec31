/** Letters to the people behind accounts, and where they go. */
export { mailAddressOf } from './address.ts';
export * as letters from './mail-templates.ts';
